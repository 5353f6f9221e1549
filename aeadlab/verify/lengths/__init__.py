"""Results at single lengths: those that a study measures, random ones, and those around 2^32 bytes.

Each result is compared as a whole, by its digest, with that of another library. If two differ, a third library decides.
"""
