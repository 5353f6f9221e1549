//! Formats between Rust's readers and writers.

use crate::error::Error;
use crate::formats::{Format, Opener, Sealer, StreamLayout};
use crate::header::{Derivation, Header};
use crate::splitter::ParSplit;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use zeroize::Zeroizing;

/// Seals the bytes written to it. [`SealingWriter::finish`] seals the last block; an unfinished stream does not open.
///
/// # Examples
/// The algorithm is any AEAD behind `aeadlab.h`; `GCM` is one of the tests.
/// ```
/// # #[path = "../tests/double/mod.rs"] mod double;
/// # use double::GCM;
/// use parsplit::{OpeningReader, ParSplit, Schedule, SealingWriter};
/// use std::io::{Read, Write};
///
/// # fn main() -> std::io::Result<()> {
/// let parsplit = ParSplit::new(&GCM, 65536, 2, Schedule::default())?;
/// let key = parsplit::random::<32>()?;
///
/// let mut writer = SealingWriter::new(&parsplit, &key, b"backup of Monday", Vec::new())?;
/// writer.write_all(b"attack at dawn")?;
/// let sealed = writer.finish()?;
///
/// let mut reader = OpeningReader::new(&parsplit, &key, b"backup of Monday", &sealed[..])?;
/// let mut message = String::new();
/// reader.read_to_string(&mut message)?;
/// assert_eq!(message, "attack at dawn");
/// # Ok(())
/// # }
/// ```
pub struct SealingWriter<W> {
    sealer: Sealer,
    sink: W,
    /// Unsealed bytes, at most one batch. A full batch is sealed with the next write, because it may be the last.
    plain: Zeroizing<Vec<u8>>,
    sealed: Vec<u8>,
    /// Whether sealed blocks may be missing in the sink.
    failed: bool,
}

impl<W: Write> SealingWriter<W> {
    /// Start a stream with a derived key and write its header.
    ///
    /// # Errors
    /// As [`Header::random`] and [`Sealer::new`], and errors of `sink`.
    pub fn new(splitter: &ParSplit, key: &[u8], ad: &[u8], sink: W) -> io::Result<Self> {
        Self::with_header(splitter, Header::random(splitter)?, key, ad, sink)
    }

    /// Start a stream with this header and write the header, with the errors of [`Sealer::new`] and of `sink`.
    pub fn with_header(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8], sink: W) -> io::Result<Self> {
        Self::with_sealer(Sealer::new(splitter, header, key, ad)?, sink)
    }

    /// Start a message of a format and write its header, with the errors of [`Sealer::begin`] and of `sink`.
    pub fn with_format(splitter: &ParSplit, format: &Format, key: &[u8], context: &[u8], sink: W) -> io::Result<Self> {
        Self::with_sealer(Sealer::begin(splitter, format, key, context)?, sink)
    }

    fn with_sealer(sealer: Sealer, mut sink: W) -> io::Result<Self> {
        sink.write_all(sealer.header())?;
        let most = sealer.batch_blocks() * sealer.chunk_bytes();
        let plain = Zeroizing::new(Vec::with_capacity(most));
        let sealed = vec![0; sealer.sealed_bytes(most, true)?];
        Ok(Self { sealer, sink, plain, sealed, failed: false })
    }

    fn seal(&mut self, last: bool) -> io::Result<()> {
        if self.failed {
            return Err(Error::Argument("an earlier write failed: seal the stream again from its start".into()).into());
        }
        self.failed = true;
        let written = self.sealer.seal(&self.plain, last, &mut self.sealed)?;
        self.plain.clear();
        self.sink.write_all(self.sealed.get(..written).unwrap_or_default())?;
        self.failed = false;
        Ok(())
    }

    /// Seal the last block, flush the sink and return it. Errors are those of [`Sealer::seal`] and of the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        self.sink.flush()?;
        Ok(self.sink)
    }
}

impl<W: Write> Write for SealingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.plain.len() == self.sealer.batch_bytes() && !bytes.is_empty() {
            self.seal(false)?;
        }
        let taken = bytes.len().min(self.sealer.batch_bytes() - self.plain.len());
        self.plain.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    /// Flush the sink. An incomplete batch is kept, because each block is sealed once.
    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Fill the buffer from its start until the source ends; return the number of bytes read.
fn fill(source: &mut impl Read, mut buffer: &mut [u8]) -> io::Result<usize> {
    let bytes = buffer.len();
    while !buffer.is_empty() {
        match source.read(buffer) {
            Ok(0) => break,
            Ok(n) => buffer = buffer.get_mut(n..).unwrap_or_default(),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(bytes - buffer.len())
}

/// Change the length of a buffer without spare capacity, which would exceed the limit of memory.
fn resize_exact(buffer: &mut Vec<u8>, bytes: usize) {
    buffer.reserve_exact(bytes.saturating_sub(buffer.len()));
    buffer.resize(bytes, 0);
}

fn copy_prefix(from: &[u8], to: &mut [u8]) -> usize {
    let bytes = from.len().min(to.len());
    to[..bytes].copy_from_slice(&from[..bytes]);
    bytes
}

/// Read the header of a format from a source, and no byte after it.
fn read_header(format: &Format, source: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut header = Vec::new();
    loop {
        let (known, bytes) = (header.len(), format.header_bytes(&header)?);
        if bytes <= known {
            return Ok(header);
        }
        header.resize(bytes, 0);
        let read = fill(source, header.get_mut(known..).unwrap_or_default())?;
        if known + read < bytes {
            // A header that is too short is reported by the format.
            header.truncate(known + read);
            return Ok(header);
        }
    }
}

impl Header {
    /// Read a header from a source, and no byte after it.
    ///
    /// # Errors
    /// [`Error::Format`] if the source is not a sealed stream, and errors of the source.
    pub fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut bytes = vec![0; Header::FIXED_BYTES];
        let read = fill(source, &mut bytes)?;
        bytes.truncate(read);
        bytes.resize(Header::length(&bytes)?, 0);
        let read = read + fill(source, bytes.get_mut(Header::FIXED_BYTES..).unwrap_or_default())?;
        bytes.truncate(read);
        Ok(Header::parse(&bytes)?)
    }

    /// Read a header of a stream with a derived key. Whether the key is derived must not depend on the unverified
    /// header, so the caller opens other streams by `with_header`.
    fn read_derived(source: &mut impl Read) -> io::Result<Self> {
        let header = Self::read(source)?;
        if header.derivation() == Derivation::None {
            let reason = "the key of this stream is not derived: read the header, check its nonce prefix, \
                          and pass it to `with_header`";
            return Err(Error::Format(reason.into()).into());
        }
        Ok(header)
    }
}

/// Reads the plaintext of a sealed stream, from verified blocks only.
///
/// Until a read returns 0 bytes, the plaintext is a verified prefix of a message that may be truncated. After an error
/// every read fails, and none reports the end.
pub struct OpeningReader<R> {
    opener: Opener,
    source: R,
    next_block: u64,
    sealed: Vec<u8>,
    /// Number of bytes in `sealed` that were read from the source.
    buffered: usize,
    plain: Zeroizing<Vec<u8>>,
    /// Position in `plain` of the plaintext that was not read yet.
    unread: Range<usize>,
    ended: bool,
    failed: bool,
}

impl<R: Read> OpeningReader<R> {
    /// Read the header from the source, and no byte after it.
    ///
    /// # Errors
    /// [`Error::Format`] if the source is not a sealed stream; as [`Opener::new`]; errors of the source.
    pub fn new(splitter: &ParSplit, key: &[u8], ad: &[u8], mut source: R) -> io::Result<Self> {
        let header = Header::read_derived(&mut source)?;
        Self::with_header(splitter, header, key, ad, source)
    }

    /// Open a source whose header was already read by [`Header::read`], with the errors of [`Opener::new`].
    pub fn with_header(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8], source: R) -> io::Result<Self> {
        Ok(Self::with_opener(Opener::new(splitter, header, key, ad)?, source))
    }

    /// Read the header of a format from the source, and no byte after it, with the errors of [`Opener::resume`] and of
    /// the source.
    pub fn with_format(
        splitter: &ParSplit,
        format: &Format,
        key: &[u8],
        context: &[u8],
        mut source: R,
    ) -> io::Result<Self> {
        let header = read_header(format, &mut source)?;
        Ok(Self::with_opener(Opener::resume(splitter, format, key, context, &header)?, source))
    }

    fn with_opener(opener: Opener, source: R) -> Self {
        let (sealed, plain) = (Vec::new(), Zeroizing::default());
        let (ended, failed) = (false, false);
        Self { opener, source, next_block: 0, sealed, buffered: 0, plain, unread: 0..0, ended, failed }
    }

    /// Open the next batch. One byte more is read, which shows whether the stream continues.
    fn advance(&mut self) -> io::Result<()> {
        if self.failed {
            return Err(Error::Authentication.into());
        }
        self.failed = true;
        let (block, sealed_block) = (self.opener.chunk_bytes(), self.opener.sealed_chunk_bytes());
        let (batch_blocks, batch) = (self.opener.batch_blocks(), self.opener.batch_bytes(self.next_block));
        // The buffer grows with the data, so that a short stream whose header states large blocks takes little memory.
        while self.buffered < batch + 1 {
            let size = (self.buffered + sealed_block.max(1 << 16)).min(batch + 1).max(self.sealed.len());
            resize_exact(&mut self.sealed, size);
            let read = fill(&mut self.source, self.sealed.get_mut(self.buffered..).unwrap_or_default())?;
            self.buffered += read;
            if self.buffered < size {
                break;
            }
        }
        let last = self.buffered <= batch;
        let consumed = self.buffered.min(batch);
        self.unread = 0..0;
        let plain_bytes = self.opener.opened_bytes(self.next_block, consumed, last)?;
        if self.plain.len() < plain_bytes {
            self.plain = Zeroizing::new(vec![0; plain_bytes.max(block)]);
        }
        let sealed = self.sealed.get(..consumed).unwrap_or_default();
        self.unread.end = self.opener.open(self.next_block, sealed, last, &mut self.plain)?;
        self.next_block += batch_blocks as u64;
        self.sealed.copy_within(consumed..self.buffered, 0);
        self.buffered -= consumed;
        self.ended = last;
        self.failed = false;
        Ok(())
    }
}

impl<R: Read> Read for OpeningReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unread.is_empty() && !self.ended && !buffer.is_empty() {
            self.advance()?;
        }
        let copied = copy_prefix(self.plain.get(self.unread.clone()).unwrap_or_default(), buffer);
        self.unread.start += copied;
        Ok(copied)
    }
}

/// Reads at any position of a sealed stream whose source can seek, opening only the blocks that are read.
///
/// The first and the last block are opened at the start, which verifies the header, the associated data and the length.
/// A later change of the source is an error when the changed block is read.
pub struct SeekingReader<R> {
    opener: Opener,
    source: R,
    start: u64,
    layout: StreamLayout,
    position: u64,
    sealed: Vec<u8>,
    plain: Zeroizing<Vec<u8>>,
    /// Position in the message of the first byte of `plain`.
    plain_offset: u64,
    plain_bytes: usize,
}

impl<R: Read + Seek> SeekingReader<R> {
    /// Verify the header, the first and the last block. The source is at the start of the stream, which continues to
    /// the end of the source.
    ///
    /// # Errors
    /// As [`OpeningReader::new`]; [`Error::Authentication`] if the stream is truncated or does not verify.
    pub fn new(splitter: &ParSplit, key: &[u8], ad: &[u8], mut source: R) -> io::Result<Self> {
        let header = Header::read_derived(&mut source)?;
        Self::with_header(splitter, header, key, ad, source)
    }

    /// Open a source whose header was already read by [`Header::read`], with the errors of [`SeekingReader::new`].
    pub fn with_header(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8], source: R) -> io::Result<Self> {
        Self::with_opener(Opener::new(splitter, header, key, ad)?, source)
    }

    /// Verify the header of a format and the last chunk, and the first chunk unless the format is committing, with the
    /// errors of [`SeekingReader::new`] and [`Opener::resume`].
    pub fn with_format(
        splitter: &ParSplit,
        format: &Format,
        key: &[u8],
        context: &[u8],
        mut source: R,
    ) -> io::Result<Self> {
        let header = read_header(format, &mut source)?;
        Self::with_opener(Opener::resume(splitter, format, key, context, &header)?, source)
    }

    fn with_opener(opener: Opener, mut source: R) -> io::Result<Self> {
        let start = source.stream_position()?;
        let end = source.seek(SeekFrom::End(0))?;
        let layout = opener.layout(end.saturating_sub(start))?;
        let (sealed, plain) = (Vec::new(), Zeroizing::default());
        let mut reader =
            Self { opener, source, start, layout, position: 0, sealed, plain, plain_offset: 0, plain_bytes: 0 };
        reader.open_blocks(layout.blocks() - 1, layout.blocks())?;
        if !reader.opener.committing() {
            reader.open_blocks(0, 1)?;
        }
        Ok(reader)
    }

    /// The layout of the stream: its length and its number of blocks.
    pub fn layout(&self) -> StreamLayout {
        self.layout
    }

    /// Length of the message in bytes.
    #[allow(clippy::len_without_is_empty)] // the length of a file
    pub fn len(&self) -> u64 {
        self.layout.bytes()
    }

    fn open_blocks(&mut self, first: u64, end: u64) -> io::Result<()> {
        let range = self.layout.sealed_range(&(first..end))?;
        let bytes = usize::try_from(range.end - range.start).map_err(|_| ErrorKind::OutOfMemory)?;
        self.plain_bytes = 0;
        resize_exact(&mut self.sealed, bytes);
        self.source.seek(SeekFrom::Start(self.start + range.start))?;
        if fill(&mut self.source, &mut self.sealed)? < bytes {
            return Err(Error::Authentication.into());
        }
        let last = end == self.layout.blocks();
        let plain_bytes = self.opener.opened_bytes(first, bytes, last)?;
        if self.plain.len() < plain_bytes {
            self.plain = Zeroizing::new(vec![0; plain_bytes]);
        }
        self.plain_bytes = self.opener.open(first, &self.sealed, last, &mut self.plain)?;
        self.plain_offset = self.opener.starts(first).0;
        Ok(())
    }

    /// The opened plaintext from the current position on.
    fn unread(&self) -> &[u8] {
        let start = self.position.checked_sub(self.plain_offset).and_then(|n| usize::try_from(n).ok());
        start.and_then(|start| self.plain.get(start..self.plain_bytes)).unwrap_or_default()
    }
}

impl<R: Read + Seek> Read for SeekingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.len() || buffer.is_empty() {
            return Ok(0);
        }
        if self.unread().is_empty() {
            let first = self.opener.block_at(self.position);
            let batch_end = first + self.opener.batch_blocks() as u64;
            let buffer_end = self.opener.block_at(self.position + buffer.len() as u64 - 1) + 1;
            self.open_blocks(first, buffer_end.min(batch_end).min(self.layout.blocks()))?;
        }
        let copied = copy_prefix(self.unread(), buffer);
        self.position += copied as u64;
        Ok(copied)
    }
}

impl<R: Read + Seek> Seek for SeekingReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(by) => self.len().checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position =
            position.ok_or_else(|| Error::Argument("position before the start of the message requested".into()))?;
        Ok(self.position)
    }
}
