"""One file per source of known answers.

Each exports ``TABLE``: for each algorithm, a function that yields its `Vector`s. Adding an algorithm is adding a row.
`files` is the exception: it reads the record files that several sources are written in.

Conventions where names leave room: ``aes-256-gmac`` is GCM of an empty message with the data as associated data;
``aes-256-siv`` has a key of 64 bytes and takes a nonce (RFC 5297 section 3); ``aes-256-xts`` has a key of 64 bytes;
CTR takes the initial counter block of 16 bytes as nonce; ``chacha20`` is that of RFC 8439 with the counter starting
at 0; ``3des`` takes a key of 24 bytes.
"""
