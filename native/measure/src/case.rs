//! A case of a run: one operation on one message length, prepared once and sampled many times.

use crate::arena::{Arena, Contents};
use crate::cache;
use crate::calibration::calibrate;
use crate::clock::{Sample, sample as time};
use crate::spec::{Engine, LibrarySettings, Model, Op, Placement, Spec};
use crate::standard::StandardMessage;
use aeadlab_abi as abi;
use parsplit::one_message::TAG_BYTES;
use parsplit::tags::{KeyedOneTag, ONE_TAG_BYTES, OneTag};
use parsplit::{Context, Error, Keyed, ParSplit, Result, Span, check_lengths};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{ptr, slice};

/// The memory of one execution: `input` and `output` are valid for the case's message and either equal or disjoint,
/// `tags` is valid for its tags.
#[derive(Clone, Copy)]
pub(crate) struct Buffers<'a> {
    pub(crate) aad: &'a [u8],
    pub(crate) input: *mut u8,
    pub(crate) output: *mut u8,
    pub(crate) tags: *mut u8,
}

enum Driver {
    Whole(Option<Context>),
    ParSplit(ParSplit, Option<Box<Keyed>>),
    OneTag(OneTag, Option<Box<KeyedOneTag>>),
    Standard(StandardMessage),
}

/// A case with its keys set up, to be sampled any number of times.
pub struct Case {
    pub(crate) spec: Spec,
    id: u64,
    driver: Driver,
    key: Vec<u8>,
    nonce: Vec<u8>,
    pub(crate) tag_bytes: usize,
    fingerprint: Option<u64>,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// Returns a fixed key or nonce, the same for every implementation, so that their outputs can be compared.
fn fixed_bytes(length: usize, salt: u8) -> Vec<u8> {
    (0..length).map(|i| (i as u8).wrapping_mul(151).wrapping_add(salt) ^ 0x5a).collect()
}

pub(crate) fn apply(settings: &LibrarySettings) -> Result<()> {
    for &(set, value) in settings.iter().flatten() {
        // SAFETY: the export of a loaded library, of which no call runs while a case is prepared or sampled.
        ensure!(unsafe { set(value) } == abi::OK, "the library rejects {value} as thread count or block size");
    }
    Ok(())
}

impl Case {
    /// Checks the parameters and sets up the keys.
    ///
    /// # Errors
    /// [`Error::Argument`] for an operation, length or placement that the algorithm does not support, and for a thread
    /// count or block size that its library rejects.
    pub fn new(spec: Spec) -> Result<Self> {
        let Spec { algorithm: a, bytes, aad_bytes, .. } = spec;
        let block_bytes = a.block_bytes as usize;
        // With one tag a cipher seals and opens too.
        let one_tag = matches!(spec.engine, Engine::OneTag(_));
        let supported = match spec.op {
            Op::Seal | Op::Open => a.kind == abi::AEAD || one_tag,
            Op::Encrypt | Op::Decrypt => a.kind == abi::CIPHER && !one_tag,
            Op::Digest => matches!(a.kind, abi::HASH | abi::MAC),
        };
        ensure!(supported, "the algorithm has no operation {:?}", spec.op);
        ensure!(
            bytes % block_bytes == 0,
            "{bytes} bytes given, a multiple of {block_bytes} expected: the algorithm does not pad"
        );
        ensure!(
            aad_bytes == 0 || matches!(spec.op, Op::Seal | Op::Open),
            "{aad_bytes} bytes of associated data given, 0 expected: only the operations of AEADs take any"
        );
        ensure!(
            aad_bytes == 0 || !a.has(abi::NO_ASSOCIATED_DATA),
            "{aad_bytes} bytes of associated data given, 0 expected: the implementation takes none"
        );
        check_lengths(a, if matches!(spec.engine, Engine::Whole) { bytes } else { 0 }, aad_bytes)?;
        ensure!(
            spec.placement == Placement::Separate || (a.has(abi::IN_PLACE) && spec.op != Op::Digest),
            "the algorithm cannot work in place"
        );
        ensure!(!spec.cold || cache::CAN_EVICT, "cold cache given, but programs cannot evict cache lines on this CPU");
        apply(&spec.settings)?;
        let key_bytes =
            if let Engine::OneTag(settings) = spec.engine { settings.key_bytes() } else { a.key_bytes as usize };
        let key = fixed_bytes(key_bytes, 1);
        let keyed = spec.model != Model::Oneshot;
        ensure!(
            spec.model != Model::Rekeyed || matches!(spec.engine, Engine::ParSplit(_)),
            "model Rekeyed sets up the key for each block, which only ParSplit with concatenated tags can"
        );
        let (driver, nonce_bytes, tag_bytes) = match spec.engine {
            Engine::Whole => {
                let context = if keyed { Some(Context::new(a, &key)?) } else { None };
                (Driver::Whole(context), a.nonce_bytes as usize, a.tag_bytes as usize)
            }
            Engine::ParSplit(splitter) => {
                let splitter = if spec.model == Model::Rekeyed { splitter.rekeying() } else { splitter };
                ensure!(spec.op != Op::Digest, "ParSplit has no operation Digest");
                let tags = splitter.layout(bytes)?.tags_bytes();
                let context = if keyed { Some(Box::new(splitter.key(&key)?)) } else { None };
                (Driver::ParSplit(splitter, context), splitter.nonce_bytes(), tags)
            }
            Engine::OneTag(settings) => {
                settings.layout(bytes)?;
                let context = if keyed { Some(Box::new(settings.key(&key)?)) } else { None };
                (Driver::OneTag(settings, context), settings.nonce_bytes(), ONE_TAG_BYTES)
            }
            Engine::Standard(settings) => {
                ensure!(a.kind == abi::AEAD && keyed, "one standard message is measured for keyed AEADs");
                (Driver::Standard(StandardMessage::new(a, settings, &key)?), a.nonce_bytes as usize, TAG_BYTES)
            }
        };
        Ok(Self {
            spec,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            driver,
            key,
            nonce: fixed_bytes(nonce_bytes, 2),
            tag_bytes,
            fingerprint: None,
        })
    }

    /// Length of the tags behind the message, in bytes.
    pub fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// Returns a fingerprint of the result, equal for all implementations of an algorithm with the same engine, length
    /// and block size; `None` before the first sample and where no result is left to compare.
    pub fn fingerprint(&self) -> Option<u64> {
        self.fingerprint
    }

    /// Returns the number of executions that take at least `target_ns` nanoseconds together, with the errors of
    /// [`Case::sample`].
    pub fn calibrate(&mut self, arena: &mut Arena, target_ns: i64) -> Result<u64> {
        if !self.is_repeatable() {
            return self.sample(arena, 1).map(|_| 1);
        }
        calibrate(target_ns, |batch| Ok(self.sample(arena, batch)?.wall_ns))
    }

    /// Whether one input serves a batch: opening in place replaces the ciphertext, which cannot be opened twice.
    fn is_repeatable(&self) -> bool {
        !(self.spec.op == Op::Open && self.spec.placement == Placement::InPlace)
    }

    /// Takes one sample of `batch` executions.
    ///
    /// # Errors
    /// [`Error::Argument`] for an arena that is too small, for a batch that cannot be run, and for a result that
    /// differs from that of the first sample; the error of the library.
    pub fn sample(&mut self, arena: &mut Arena, batch: u64) -> Result<Sample> {
        let (bytes, tag_bytes, capacity, tag_capacity) =
            (self.spec.bytes, self.tag_bytes, arena.capacity(), arena.tag_capacity());
        ensure!(
            bytes <= capacity && tag_bytes <= tag_capacity,
            "the case has a message of {bytes} bytes and {tag_bytes} bytes of tags, the arena holds {capacity} and \
             {tag_capacity}"
        );
        ensure!(batch > 0, "batch of 0 given, at least 1 expected");
        ensure!(
            batch == 1 || self.is_repeatable(),
            "batch of {batch} given, 1 expected: opening in place replaces its input"
        );
        apply(&self.spec.settings)?;
        let aad_bytes = self.spec.aad_bytes;
        let associated = arena.associated(aad_bytes).map_err(|error| {
            Error::Argument(format!("{aad_bytes} bytes of associated data cannot be allocated: {error}"))
        })?;
        let aad = associated.prefix(aad_bytes);
        self.prepare(arena, aad, batch)?;
        let (plain, output) = (arena.plain(), arena.output());
        let (source, destination) = match (self.spec.op, self.spec.placement) {
            (_, Placement::InPlace) => (output, output),
            (Op::Open, Placement::Separate) => (output, plain),
            (_, Placement::Separate) => (plain, output),
        };
        let tags = output.wrapping_add(if self.spec.op == Op::Digest { 0 } else { bytes });
        let buffers = Buffers { aad, input: source, output: destination, tags };
        arena.contents = Contents::Unspecified;
        // With a cold cache each execution is timed on its own, since the lines are evicted before each.
        let (timings, executions) = if self.spec.cold { (batch, 1) } else { (1, batch) };
        let (mut total, mut outcome) = (Sample::default(), Ok(()));
        for _ in 0..timings {
            if self.spec.cold {
                for buffer in [plain, output] {
                    // SAFETY: both buffers are the arena's and hold the message, as checked above.
                    unsafe { cache::evict(buffer, bytes) };
                }
                // SAFETY: the output buffer has room for the tags, as checked above; the associated data is a slice.
                unsafe {
                    cache::evict(tags, tag_bytes);
                    cache::evict(aad.as_ptr(), aad.len());
                }
            }
            let (sample, executed) = time(|| {
                // SAFETY: both buffers hold the message and the output buffer the tags behind it, as checked above.
                unsafe { self.execute_batch(buffers, executions) }
            });
            total += sample;
            outcome = executed;
            if outcome.is_err() {
                break;
            }
        }
        if let Err(error) = outcome {
            // A failed open operation has overwritten the plaintext that the other cases need.
            arena.refill();
            return Err(error);
        }
        self.check(arena, batch)?;
        Ok(total)
    }

    /// Executes the case once and returns the time and worker of each block.
    ///
    /// # Errors
    /// As [`Case::sample`]; [`Error::Argument`] unless the engine is ParSplit and the model [`Model::Keyed`].
    pub fn trace(&mut self, arena: &mut Arena) -> Result<Vec<Span>> {
        self.keyed()?.set_traced(true);
        let sampled = self.sample(arena, 1);
        let keyed = self.keyed()?;
        keyed.set_traced(false);
        sampled.map(|_| keyed.spans().to_vec())
    }

    fn keyed(&mut self) -> Result<&mut Keyed> {
        match &mut self.driver {
            Driver::ParSplit(_, Some(keyed)) => Ok(keyed),
            _ => Err(Error::Argument("a trace needs a case of engine parsplit and model keyed".into())),
        }
    }

    /// Writes the operation's input to its buffer, outside the timed part.
    fn prepare(&mut self, arena: &mut Arena, aad: &[u8], batch: u64) -> Result<()> {
        let bytes = self.spec.bytes;
        let (plain, output) = (arena.plain(), arena.output());
        let tags = output.wrapping_add(bytes);
        match (self.spec.op, self.spec.placement) {
            (Op::Open, _) if arena.contents != Contents::SealedBy(self.id) => {
                // SAFETY: as in `sample`.
                unsafe { self.execute(Op::Seal, Buffers { aad, input: plain, output, tags })? };
            }
            (Op::Open, _) => {}
            (_, Placement::InPlace) if batch == 1 => {
                // SAFETY: both buffers hold the message and are different mappings.
                unsafe { ptr::copy_nonoverlapping(plain, output, bytes) };
            }
            _ => {}
        }
        Ok(())
    }

    /// Executes one operation, with key set-up unless the key is kept.
    ///
    /// # Safety
    /// The buffers are the case's.
    #[inline]
    pub(crate) unsafe fn execute(&mut self, op: Op, buffers: Buffers<'_>) -> Result<()> {
        let bytes = self.spec.bytes;
        match &mut self.driver {
            Driver::Whole(context) => {
                let mut oneshot;
                let context = match context {
                    Some(context) => context,
                    None => {
                        oneshot = Context::new(self.spec.algorithm, &self.key)?;
                        &mut oneshot
                    }
                };
                // SAFETY: the caller's promise.
                unsafe { call_whole(context, &self.nonce, op, bytes, buffers, 1) }
            }
            Driver::ParSplit(splitter, keyed) => {
                let mut oneshot;
                let keyed = match keyed {
                    Some(keyed) => keyed.as_mut(),
                    None => {
                        oneshot = splitter.key_once(&self.key)?;
                        &mut oneshot
                    }
                };
                let Buffers { aad, input, output, tags } = buffers;
                // SAFETY: the caller's promise.
                unsafe {
                    match op {
                        Op::Open | Op::Decrypt => keyed.open_raw(&self.nonce, aad, input, bytes, output, tags),
                        _ => keyed.seal_raw(&self.nonce, aad, input, bytes, output, tags),
                    }
                }
            }
            Driver::OneTag(settings, keyed) => {
                let mut oneshot;
                let keyed = match keyed {
                    Some(keyed) => keyed.as_mut(),
                    None => {
                        oneshot = settings.key(&self.key)?;
                        &mut oneshot
                    }
                };
                // SAFETY: the caller's promise.
                unsafe { Self::execute_one_tag(keyed, &self.nonce, op, bytes, buffers) }
            }
            Driver::Standard(message) => {
                let Buffers { aad, input, output, tags } = buffers;
                // SAFETY: the caller's promise.
                unsafe {
                    match op {
                        Op::Open => message.open(&self.nonce, aad, input, bytes, output, tags),
                        _ => message.seal(&self.nonce, aad, input, bytes, output, tags),
                    }
                }
            }
        }
    }

    /// Executes one operation with one tag, as [`Case::execute`].
    ///
    /// # Safety
    /// The buffers are the case's, and `tags` has room for a tag.
    unsafe fn execute_one_tag(
        keyed: &mut KeyedOneTag,
        nonce: &[u8],
        op: Op,
        bytes: usize,
        buffers: Buffers<'_>,
    ) -> Result<()> {
        let Buffers { aad, input, output, tags } = buffers;
        let tag = tags.cast::<[u8; ONE_TAG_BYTES]>();
        // SAFETY: the caller's promise.
        unsafe {
            match op {
                Op::Open => keyed.open_raw(nonce, aad, input, bytes, output, &tag.read()),
                _ => keyed.seal_raw(nonce, aad, input, bytes, output).map(|sealed| tag.write(sealed)),
            }
        }
    }

    /// Executes the case's own operation `count` times. The overhead of a call that does not depend on the message is
    /// paid once where the context is kept.
    ///
    /// # Safety
    /// As [`Case::execute`].
    #[inline]
    unsafe fn execute_batch(&mut self, buffers: Buffers<'_>, count: u64) -> Result<()> {
        let (op, bytes) = (self.spec.op, self.spec.bytes);
        if let Driver::Whole(Some(context)) = &mut self.driver {
            // SAFETY: the caller's promise.
            return unsafe { call_whole(context, &self.nonce, op, bytes, buffers, count as usize) };
        }
        for _ in 0..count {
            // SAFETY: the caller's promise.
            unsafe { self.execute(op, buffers)? }
        }
        Ok(())
    }

    /// Compares the result with that of the first sample, so that no wrong result is timed.
    fn check(&mut self, arena: &mut Arena, batch: u64) -> Result<()> {
        let bytes = self.spec.bytes;
        let changed = || Error::WrongResult("the result differs from the first sample's".into());
        match (self.spec.op, self.spec.placement) {
            (Op::Open, Placement::Separate) => {
                // The next sample can open the same ciphertext.
                arena.contents = Contents::SealedBy(self.id);
                return if arena.plaintext_is_intact(bytes) {
                    Ok(())
                } else {
                    arena.refill();
                    Err(Error::WrongResult("the opened message differs from the sealed one".into()))
                };
            }
            (Op::Open, Placement::InPlace) => {
                let (plain, output) = (arena.plain(), arena.output());
                // SAFETY: both buffers hold the message.
                let equal = unsafe { slice::from_raw_parts(plain, bytes) == slice::from_raw_parts(output, bytes) };
                return if equal { Ok(()) } else { Err(changed()) };
            }
            // A batch in place encrypts its own output again and again.
            (_, Placement::InPlace) if batch > 1 => return Ok(()),
            (Op::Seal, Placement::Separate) => arena.contents = Contents::SealedBy(self.id),
            _ => {}
        }
        // A digest has no text, and its tag lies at the start of the output buffer.
        let text = if self.spec.op == Op::Digest { 0 } else { bytes };
        let fingerprint = arena.fingerprint(text, self.tag_bytes);
        if *self.fingerprint.get_or_insert(fingerprint) == fingerprint { Ok(()) } else { Err(changed()) }
    }
}

/// Calls one operation over a whole message `count` times.
///
/// # Safety
/// As [`Case::execute`].
#[inline]
unsafe fn call_whole(
    context: &mut Context,
    nonce: &[u8],
    op: Op,
    bytes: usize,
    buffers: Buffers<'_>,
    count: usize,
) -> Result<()> {
    let Buffers { aad, input, output, tags } = buffers;
    // SAFETY: the caller's promise.
    unsafe {
        match op {
            Op::Seal | Op::Encrypt => context.seal_repeated(nonce, aad, input, bytes, output, tags, count),
            Op::Open | Op::Decrypt => context.open_repeated(nonce, aad, input, bytes, output, tags, count),
            Op::Digest => context.digest_repeated(nonce, input, bytes, tags, count),
        }
    }
}
