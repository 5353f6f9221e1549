"""The header of age files (c2sp.org/age), which wraps the key of a file for recipients."""
