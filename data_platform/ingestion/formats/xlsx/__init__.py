"""Excel workbooks (.xlsx): one sheet with a row of column names."""
