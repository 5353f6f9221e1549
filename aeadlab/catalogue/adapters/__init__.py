"""One file per Python library; each has ``implementations()``, which imports the library or raises ImportError.

`base` is the exception: it holds what the others share.
"""
