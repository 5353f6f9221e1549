"""Block ciphers without authentication, after the document *Ciphers*."""
