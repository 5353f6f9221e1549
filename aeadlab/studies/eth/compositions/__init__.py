"""Any cipher with any MAC: the outlook of Section 6."""
