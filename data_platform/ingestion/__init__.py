"""Finds the delivery of a partition and reads its rows.

Module map, top to bottom::

    reader                         the rows of a delivery, as Spark reads them
    delivery                       finds a delivery: its files, manifest and problems
    inspection | duplicate         each file's content and columns; files that have the same rows
    columns                        the columns of a file, and of bronze
    formats                        CSV, fixed width, JSON, XML, Excel, Avro and Parquet, each behind ``FileFormat``
    delivery_file                  values: a delivery and its files
    manifest                       the sender's list of files, sizes, counts and checksums
    content | packing              digest, last lines and compression of a file
    landing                        which files the landing folder has, and which of them are data
"""
