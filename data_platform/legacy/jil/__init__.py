"""Reads JIL, the job information language of Autosys, as its scheduler reads it.

From the bottom: ``text`` (bytes to lines), ``line`` (comments, and the attributes of a line), ``stanza`` (statements
and attributes with their places), ``grammar`` (conditions), ``estate`` (statements applied in order), ``schedule``,
``process``, ``edge``, ``dataset``, and ``scan``, which runs all of it. No file, however broken, raises an error: text
that cannot be read becomes a finding with its file and line.
"""
