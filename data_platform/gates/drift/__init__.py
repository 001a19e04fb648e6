"""The values of the columns of a delivery beside those of earlier ones: what is measured, and what is unusual."""
