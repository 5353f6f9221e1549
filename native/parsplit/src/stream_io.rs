//! Streams between Rust's readers and writers.

use crate::{Derivation, Error, Header, Opener, ParSplit, Sealer, StreamLayout};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use zeroize::Zeroizing;

/// Seals what is written to it. [`SealingWriter::finish`] makes the last block: a stream that is dropped before does not
/// open.
///
/// # Examples
/// Any AEAD behind `aeadlab.h` will do; the tests have one called `GCM`.
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
    /// What is not sealed yet. Never more than a batch, and not sealed when full: it may be the end.
    plain: Zeroizing<Vec<u8>>,
    sealed: Vec<u8>,
    batch: usize,
    /// Whether blocks were lost on their way to the sink.
    broken: bool,
}

impl<W: Write> SealingWriter<W> {
    /// A stream with a key of its own; its header is written at once.
    ///
    /// # Errors
    /// What [`Header::random`] and [`Sealer::new`] refuse, and those of `sink`.
    pub fn new(splitter: &ParSplit, key: &[u8], ad: &[u8], sink: W) -> io::Result<Self> {
        Self::with_header(splitter, Header::random(splitter)?, key, ad, sink)
    }

    /// A stream with this header; its bytes are written at once.
    ///
    /// # Errors
    /// What [`Sealer::new`] refuses, and those of `sink`.
    pub fn with_header(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8], mut sink: W) -> io::Result<Self> {
        let sealer = Sealer::new(splitter, header, key, ad)?;
        sink.write_all(&sealer.header().bytes())?;
        let batch = sealer.batch_blocks() * sealer.header().block_size();
        let (plain, sealed) = (Zeroizing::new(Vec::with_capacity(batch)), vec![0; sealer.sealed_bytes(batch)?]);
        Ok(Self { sealer, sink, plain, sealed, batch, broken: false })
    }

    fn seal(&mut self, ends: bool) -> io::Result<()> {
        if self.broken {
            return Err(Error::Argument("an earlier write failed: the stream must be sealed anew".into()).into());
        }
        self.broken = true;
        let written = self.sealer.seal(&self.plain, ends, &mut self.sealed)?;
        self.plain.clear();
        self.sink.write_all(self.sealed.get(..written).unwrap_or_default())?;
        self.broken = false;
        Ok(())
    }

    /// Makes the last block, and gives the sink back, flushed.
    ///
    /// # Errors
    /// What [`Sealer::seal`] refuses, and those of the sink.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        self.sink.flush()?;
        Ok(self.sink)
    }
}

impl<W: Write> Write for SealingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.plain.len() == self.batch && !bytes.is_empty() {
            self.seal(false)?;
        }
        let taken = bytes.len().min(self.batch - self.plain.len());
        self.plain.extend_from_slice(bytes.get(..taken).unwrap_or_default());
        Ok(taken)
    }

    /// Flushes the sink. What does not fill a batch stays here: blocks are sealed once.
    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// Fills the buffer from its start, as far as the source goes.
fn fill(source: &mut impl Read, mut buffer: &mut [u8]) -> io::Result<usize> {
    let wanted = buffer.len();
    while !buffer.is_empty() {
        match source.read(buffer) {
            Ok(0) => break,
            Ok(n) => buffer = buffer.get_mut(n..).unwrap_or_default(),
            Err(e) if e.kind() == ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(wanted - buffer.len())
}

impl Header {
    /// Reads a header from a source, and no further.
    ///
    /// # Errors
    /// [`Error::Format`] inside if the source is no sealed stream; those of the source.
    pub fn read(source: &mut impl Read) -> io::Result<Self> {
        let mut bytes = vec![0; Header::FIXED];
        let read = fill(source, &mut bytes)?;
        bytes.truncate(read);
        bytes.resize(Header::length(&bytes)?, 0);
        let read = read + fill(source, bytes.get_mut(Header::FIXED..).unwrap_or_default())?;
        bytes.truncate(read);
        Ok(Header::parse(&bytes)?)
    }

    /// Reads a header that says that the key was derived: others are opened by who knows that.
    fn read_derived(source: &mut impl Read) -> io::Result<Self> {
        let header = Self::read(source)?;
        if header.derivation() == Derivation::None {
            let why =
                "this stream's key was not derived: read the header, check its nonce prefix, and open it with that";
            return Err(Error::Format(why.into()).into());
        }
        Ok(header)
    }
}

/// Gives the plaintext of a sealed stream, of blocks that have been verified and no others.
///
/// Until it has said that the end is reached, by reading no bytes, what it has given is a true beginning of the message
/// that may have been cut off. After an error it gives errors and nothing else: not even an end.
pub struct OpeningReader<R> {
    opener: Opener,
    source: R,
    next: u64,
    sealed: Vec<u8>,
    held: usize,
    plain: Zeroizing<Vec<u8>>,
    given: usize,
    ready: usize,
    ended: bool,
    failed: bool,
}

impl<R: Read> OpeningReader<R> {
    /// Reads the header and no further.
    ///
    /// # Errors
    /// [`Error::Format`] inside if the source is no sealed stream; what [`Opener::new`] refuses; those of the source.
    pub fn new(splitter: &ParSplit, key: &[u8], ad: &[u8], mut source: R) -> io::Result<Self> {
        let header = Header::read_derived(&mut source)?;
        Self::with_header(splitter, header, key, ad, source)
    }

    /// For a source whose header was read already, by [`Header::read`].
    ///
    /// # Errors
    /// What [`Opener::new`] refuses.
    pub fn with_header(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8], source: R) -> io::Result<Self> {
        let opener = Opener::new(splitter, header, key, ad)?;
        let (sealed, plain) = (Vec::new(), Zeroizing::default());
        let (ended, failed) = (false, false);
        Ok(Self { opener, source, next: 0, sealed, held: 0, plain, given: 0, ready: 0, ended, failed })
    }

    /// Opens the next batch. One byte more than that is read, to know whether the stream goes on.
    fn advance(&mut self) -> io::Result<()> {
        if self.failed {
            return Err(Error::Authentication.into());
        }
        self.failed = true;
        let header = self.opener.header();
        let (block, whole) = (header.block_size(), header.block_size() + header.tag_bytes());
        let batch = self.opener.batch_blocks();
        // A short stream needs no room for a long one's batch, whatever its header says.
        while self.held < batch * whole + 1 {
            let room = (self.held + whole.max(1 << 16)).min(batch * whole + 1).max(self.sealed.len());
            self.sealed.resize(room, 0);
            let read = fill(&mut self.source, self.sealed.get_mut(self.held..).unwrap_or_default())?;
            self.held += read;
            if self.held < room {
                break;
            }
        }
        let ends = self.held <= batch * whole;
        let now = self.held.min(batch * whole);
        self.ready = 0;
        self.given = 0;
        let wanted = self.opener.opened_bytes(now)?;
        if self.plain.len() < wanted {
            self.plain = Zeroizing::new(vec![0; wanted.max(block)]);
        }
        self.ready = self.opener.open(self.next, self.sealed.get(..now).unwrap_or_default(), ends, &mut self.plain)?;
        self.next += batch as u64;
        self.sealed.copy_within(now..self.held, 0);
        self.held -= now;
        self.ended = ends;
        self.failed = false;
        Ok(())
    }
}

impl<R: Read> Read for OpeningReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.ready && !self.ended && !buffer.is_empty() {
            self.advance()?;
        }
        let some = self.plain.get(self.given..self.ready).unwrap_or_default();
        let taken = some.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&some[..taken]);
        self.given += taken;
        Ok(taken)
    }
}

/// Reads anywhere in a sealed stream that can be sought, opening the blocks that are asked for and no others.
///
/// The first and the last block are opened at once: so the header, the associated data and the length are genuine. A
/// later change of the source is met as an error by whoever reads the changed block.
pub struct SeekingReader<R> {
    opener: Opener,
    source: R,
    start: u64,
    layout: StreamLayout,
    position: u64,
    sealed: Vec<u8>,
    plain: Zeroizing<Vec<u8>>,
    /// Offset in the message of what `plain` begins with, and how much it has.
    here: (u64, usize),
}

impl<R: Read + Seek> SeekingReader<R> {
    /// Verifies the header, the first and the last block. The source is at the beginning of the stream, which goes on
    /// to the source's end.
    ///
    /// # Errors
    /// As [`OpeningReader::new`]; [`Error::Authentication`] inside if the stream was cut off or is another's.
    pub fn new(splitter: &ParSplit, key: &[u8], ad: &[u8], mut source: R) -> io::Result<Self> {
        let header = Header::read_derived(&mut source)?;
        Self::with_header(splitter, header, key, ad, source)
    }

    /// For a source whose header was read already, by [`Header::read`].
    ///
    /// # Errors
    /// As [`SeekingReader::new`].
    pub fn with_header(splitter: &ParSplit, header: Header, key: &[u8], ad: &[u8], mut source: R) -> io::Result<Self> {
        let opener = Opener::new(splitter, header, key, ad)?;
        let start = source.stream_position()?;
        let end = source.seek(SeekFrom::End(0))?;
        let layout = opener.layout(end.saturating_sub(start))?;
        let (sealed, plain) = (Vec::new(), Zeroizing::default());
        let mut this = Self { opener, source, start, layout, position: 0, sealed, plain, here: (0, 0) };
        this.load(layout.blocks() - 1, layout.blocks())?;
        this.load(0, 1)?;
        Ok(this)
    }

    /// How the stream is laid out: its length, and how many blocks it has.
    pub fn layout(&self) -> StreamLayout {
        self.layout
    }

    /// Bytes of the message.
    #[allow(clippy::len_without_is_empty)] // a file's length
    pub fn len(&self) -> u64 {
        self.layout.bytes()
    }

    fn load(&mut self, first: u64, end: u64) -> io::Result<()> {
        let range = self.layout.sealed_range(&(first..end))?;
        let bytes = usize::try_from(range.end - range.start).map_err(|_| ErrorKind::OutOfMemory)?;
        self.here.1 = 0;
        self.sealed.resize(bytes, 0);
        self.source.seek(SeekFrom::Start(self.start + range.start))?;
        if fill(&mut self.source, &mut self.sealed)? < bytes {
            return Err(Error::Authentication.into());
        }
        let wanted = self.opener.opened_bytes(bytes)?;
        if self.plain.len() < wanted {
            self.plain = Zeroizing::new(vec![0; wanted]);
        }
        let ready = self.opener.open(first, &self.sealed, end == self.layout.blocks(), &mut self.plain)?;
        self.here = (first * self.opener.header().block_size() as u64, ready);
        Ok(())
    }

    /// What of `plain` comes next.
    fn some(&self) -> &[u8] {
        let (offset, ready) = self.here;
        let from = self.position.checked_sub(offset).and_then(|n| usize::try_from(n).ok());
        from.and_then(|from| self.plain.get(from..ready)).unwrap_or_default()
    }
}

impl<R: Read + Seek> Read for SeekingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.len() || buffer.is_empty() {
            return Ok(0);
        }
        if self.some().is_empty() {
            let size = self.opener.header().block_size() as u64;
            let first = self.position / size;
            let most = self.opener.batch_blocks() as u64;
            let end = (self.position + buffer.len() as u64).div_ceil(size).min(first + most).min(self.layout.blocks());
            self.load(first, end)?;
        }
        let some = self.some();
        let taken = some.len().min(buffer.len());
        buffer[..taken].copy_from_slice(&some[..taken]);
        self.position += taken as u64;
        Ok(taken)
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
            position.ok_or_else(|| Error::Argument("a position before the start of the message wanted".into()))?;
        Ok(self.position)
    }
}
