"""Sealing of files and of iterables of bytes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from aeadlab.files.engines import sealer_for
from aeadlab.parsplit.files import StrPath, opened_sink, opened_source
from aeadlab.parsplit.stream_io import ChunkInput, FileInput, Sink, Source, writer
from aeadlab.parsplit.streaming import sealed
from aeadlab.parsplit.write_behind import may_write_behind, write_all

if TYPE_CHECKING:
    from aeadlab.files.formats import Key
    from aeadlab.parsplit.buffers import Memory
    from aeadlab.parsplit.parsplit import ParSplit


def encrypt_file(
    key: Key,
    source: Source | StrPath,
    sink: Sink | StrPath,
    aad: Memory = b"",
    *,
    format: str | None = None,
    segment_bytes: int | None = None,
    cipher: ParSplit | None = None,
    threads: int | None = None,
    max_memory: int | None = None,
) -> int:
    """Seal the content of `source` in a standard format, on several threads and with little memory.

    Each file has its own key, derived from `key` and a random value in its header, so one key may seal any number of
    files; a key of a raw format, which has no header, must seal one. Programs that implement the format open them.

    Parameters
    ----------
    key
        Random bytes as long as `aeadlab.files.FORMATS` states for the format, 32 for the default; not a password. See
        `aeadlab.files.generate_key`. For ``age`` a recipient ``age1…``, a list of them, or a `Passphrase`.
    source
        A path, a binary file or any object with `read`; it need not be seekable, and may be larger than memory.
    sink
        A path, a binary file or any object with `write`. The file of a path has its old content, or does not exist,
        until the file is complete.
    aad
        Associated data, called context by Cobblestone: authenticated, but not part of the file.
    format
        One of `aeadlab.files.FORMATS`, which docs/FORMATS.md compares. None selects ``cobblestone-256``, or the
        Cobblestone with the algorithm of `cipher`.
    segment_bytes
        Length of a sealed segment for the format ``floe``, 64 to 16777216; None selects 1 MiB. With `cipher` it is the
        block size of `cipher` and 32 bytes more.
    cipher
        The ParSplit that seals the chunks, with its threads and schedule; None selects the first implementation of the
        format's algorithm.
    threads
        1 to 256, without `cipher`; None selects the number of cores of this process.
    max_memory
        Maximum length in bytes of all buffers together. The default is 64 MiB, or 400 KiB for each thread if that is
        more.

    Returns
    -------
    int
        Bytes written to `sink`.

    Raises
    ------
    aeadlab.errors.UnknownNameError
        If there is no such format.
    aeadlab.errors.ArgumentError
        If the key has another length, the format has no associated data, is only read or has another algorithm than
        `cipher`, chunks need more memory than `max_memory`, or a file is closed or in text mode.
    OSError
        If a path cannot be opened, such as FileNotFoundError.

    Examples
    --------
    >>> import io
    >>> from aeadlab.files import decrypt_file, encrypt_file
    >>> key, sealed, back = bytes(range(32)), io.BytesIO(), io.BytesIO()
    >>> encrypt_file(key, io.BytesIO(b"attack at dawn"), sealed, aad=b"orders")
    86
    >>> _ = sealed.seek(0)
    >>> decrypt_file(key, sealed, back, aad=b"orders")
    14
    >>> back.getvalue()
    b'attack at dawn'
    """
    with opened_source(source) as readable:
        sealer, header = sealer_for(key, aad, format, segment_bytes, threads, max_memory, cipher)
        with opened_sink(sink) as writable:
            behind = may_write_behind(writable)
            pieces = sealed(sealer, header, FileInput(readable), buffers=1 + behind)
            return write_all(pieces, writer(writable, readable), behind=behind)


def encrypt_iter(
    key: Key,
    chunks: Iterable[Memory],
    aad: Memory = b"",
    *,
    format: str | None = None,
    segment_bytes: int | None = None,
    cipher: ParSplit | None = None,
    threads: int | None = None,
    max_memory: int | None = None,
) -> Iterator[bytes]:
    """Seal an iterable of bytes of any lengths, and iterate over the bytes of the file; see `encrypt_file`.

    Examples
    --------
    >>> from aeadlab.files import decrypt_iter, encrypt_iter
    >>> sealed = encrypt_iter(bytes(range(32)), [b"attack ", b"at ", b"dawn"])
    >>> b"".join(decrypt_iter(bytes(range(32)), sealed))
    b'attack at dawn'
    """
    sealer, header = sealer_for(key, aad, format, segment_bytes, threads, max_memory, cipher)
    return map(bytes, sealed(sealer, header, ChunkInput(chunks)))
