"""Text and HTML for people: units, names of cases, tables and progress."""
