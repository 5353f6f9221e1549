"""Adapters: one module per Python library, with ``implementations()``, which raises ImportError without the library.

`base` contains their common parts.
"""
