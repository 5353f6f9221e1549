use crate::cipher::{BLOCK, Cipher};
use crate::element::Element;
use crate::wipe::wipe;
use crate::{Error, InOutBuf, Kernel, Partial, Poly, Sum};
use zeroize::ZeroizeOnDrop;

/// The longest message, 2³⁸ − 64 bytes: block counters 1 to 2³² − 1 (RFC 8439, section 2.8).
pub const MAX_LENGTH: u64 = (1 << 38) - 64;

/// Bytes that are encrypted before they are hashed: input and output stay in the first-level cache.
const CHUNK: usize = 8 << 10;

/// One message under one key and nonce, which is encrypted or decrypted in segments. It is wiped on drop.
///
/// Threads can share it: each encrypts its segments, and the caller combines their partial values in a [`Sum`].
pub struct Message {
    cipher: Cipher,
    poly: Poly,
    s: [u8; 16],
}

/// The order of the two passes over a chunk: Poly1305 covers the ciphertext.
#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Encrypt,
    Decrypt,
}

impl Message {
    pub(crate) fn new(cipher: Cipher, poly: Kernel) -> Self {
        let (r, s) = one_time_key(&cipher);
        Self { cipher, poly: Poly::of_available(r, poly), s }
    }

    /// Return the Poly1305 key of this message.
    pub fn poly(&self) -> &Poly {
        &self.poly
    }

    /// Encrypt a segment and return the value of its ciphertext. Input and output are equal or disjoint.
    ///
    /// The segment starts `offset` bytes after the start of the message, a multiple of 16. Its length is a multiple of
    /// 16 unless it ends the message; then its last block is padded with zeros for the value only.
    ///
    /// # Errors
    /// [`Error::Alignment`] and [`Error::TooLong`] for a segment that ends beyond [`MAX_LENGTH`], before any output is
    /// written.
    pub fn encrypt(&self, offset: u64, data: InOutBuf<'_, '_, u8>) -> Result<Partial, Error> {
        check_segment(offset, data.len() as u64)?;
        Ok(Partial(self.process(Element::ZERO, offset, data, Direction::Encrypt)))
    }

    /// Decrypt a segment and return the value of its ciphertext, as [`Message::encrypt`].
    ///
    /// **The output is not verified.** The caller must not use it, or let others read it, before [`Sum::verify`] has
    /// accepted the whole message, and must wipe it otherwise.
    ///
    /// # Errors
    /// As [`Message::encrypt`].
    pub fn decrypt(&self, offset: u64, data: InOutBuf<'_, '_, u8>) -> Result<Partial, Error> {
        check_segment(offset, data.len() as u64)?;
        Ok(Partial(self.process(Element::ZERO, offset, data, Direction::Decrypt)))
    }

    /// Return the value of a segment of ciphertext without decrypting it. See [`Poly::hash`].
    pub fn hash(&self, ciphertext: &[u8]) -> Partial {
        self.poly.hash(ciphertext)
    }

    /// Start the sum of the segments of a message of `length` bytes.
    ///
    /// # Errors
    /// [`Error::TooLong`] beyond [`MAX_LENGTH`].
    pub fn sum(&self, associated: &[u8], length: u64) -> Result<Sum<'_>, Error> {
        check_length(length)?;
        Ok(Sum::new(&self.poly, self.s, associated, length))
    }

    /// Return the tag for the value of the associated data followed by the ciphertext, each padded to whole blocks. The
    /// lengths are in bytes.
    pub fn tag_of(&self, value: &Partial, associated: u64, length: u64) -> [u8; 16] {
        self.poly.finish_lengths(value.0, associated, length, self.s)
    }

    /// Encrypt or decrypt a whole message and return its tag. The caller has checked the length.
    pub(crate) fn process_whole(
        &self,
        associated: &[u8],
        data: InOutBuf<'_, '_, u8>,
        direction: Direction,
    ) -> [u8; 16] {
        let length = data.len() as u64;
        let value = self.poly.hash_from(Element::ZERO, associated);
        let value = self.process(value, 0, data, direction);
        self.poly.finish_lengths(value, associated.len() as u64, length, self.s)
    }

    /// Encrypt or decrypt a segment, and return the value of the blocks before it continued by its ciphertext.
    fn process(
        &self,
        mut value: Element,
        mut offset: u64,
        mut data: InOutBuf<'_, '_, u8>,
        direction: Direction,
    ) -> Element {
        while !data.is_empty() {
            // A chunk that starts inside a block of keystream ends with that block, so all others start with one.
            let within = (offset % BLOCK as u64) as usize;
            let limit = if within == 0 { CHUNK } else { BLOCK - within };
            let length = limit.min(data.len());
            let (mut chunk, rest) = data.split_at(length);
            data = rest;
            match direction {
                Direction::Encrypt => {
                    self.apply(offset, chunk.reborrow());
                    value = self.poly.hash_from(value, chunk.get_out());
                }
                Direction::Decrypt => {
                    value = self.poly.hash_from(value, chunk.get_in());
                    self.apply(offset, chunk);
                }
            }
            offset += length as u64;
        }
        value
    }

    /// Combine a chunk with its keystream. The chunk starts with a block of keystream or lies within one.
    fn apply(&self, offset: u64, mut chunk: InOutBuf<'_, '_, u8>) {
        // Segments end within MAX_LENGTH, so the counter fits in 32 bits.
        let counter = (offset / BLOCK as u64) as u32 + 1;
        let within = (offset % BLOCK as u64) as usize;
        if within == 0 {
            return self.cipher.apply(counter, chunk);
        }
        let mut keystream = [0; BLOCK];
        self.cipher.apply(counter, InOutBuf::from(&mut keystream[..]));
        let length = chunk.len();
        chunk.xor_in2out(&keystream[within..within + length]);
        wipe(&mut keystream);
    }
}

/// Return r and s: the first half of block 0 of the keystream.
pub(crate) fn one_time_key(cipher: &Cipher) -> ([u8; 16], [u8; 16]) {
    let mut keystream = [0; 32];
    cipher.apply(0, InOutBuf::from(&mut keystream[..]));
    let keys = halves(&keystream);
    wipe(&mut keystream);
    keys
}

/// Return r and s, the first two blocks of 16 bytes.
pub(crate) fn halves(keystream: &[u8]) -> ([u8; 16], [u8; 16]) {
    let (blocks, _) = keystream.as_chunks::<16>();
    (blocks[0], blocks[1])
}

/// # Errors
/// [`Error::TooLong`] beyond [`MAX_LENGTH`].
pub(crate) fn check_length(length: u64) -> Result<(), Error> {
    if length > MAX_LENGTH { Err(Error::TooLong { length }) } else { Ok(()) }
}

/// # Errors
/// As [`Message::encrypt`].
fn check_segment(offset: u64, length: u64) -> Result<(), Error> {
    check_length(offset.saturating_add(length))?;
    if offset.is_multiple_of(16) { Ok(()) } else { Err(Error::Alignment { offset }) }
}

impl Drop for Message {
    fn drop(&mut self) {
        wipe(&mut self.s);
    }
}

// The cipher and the Poly1305 key wipe themselves.
impl ZeroizeOnDrop for Message {}

impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message").field("poly", &self.poly).finish_non_exhaustive()
    }
}
