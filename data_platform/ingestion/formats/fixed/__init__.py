"""Fixed width: records without column names, whose fields are at positions that the policy declares."""
