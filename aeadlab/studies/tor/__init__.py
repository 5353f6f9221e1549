"""Cells of half a kilobyte, after the document *Tor*."""
