"""The Spark session and Delta tables; other packages decide what is done with them."""
