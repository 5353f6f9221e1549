use crate::arena::{Arena, Holds};
use crate::clock::{Sample, sample as sample_of};
use crate::evict;
use aeadlab_abi::{self as abi, Algorithm, SetNumber};
use parsplit::{Context, Error, Keyed, ParSplit, Result, Span};
use std::sync::atomic::{AtomicU64, Ordering};
use std::{ptr, slice};

/// How an implementation is driven.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// One call over the message.
    Whole,
    /// Cut into blocks.
    ParSplit(ParSplit),
}

/// What the clock covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// Key set-up and message.
    Oneshot,
    /// The message alone.
    Keyed,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Op {
    Seal,
    Open,
    Encrypt,
    Decrypt,
    Digest,
}

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Input and output differ.
    Separate,
    /// The output replaces the input.
    InPlace,
}

/// What a library that is parallel itself is told before each sample: its exports, each with a number. Other cases may
/// have told it other numbers.
pub type Told = [Option<(SetNumber, usize)>; 2];

/// A case, before it is prepared.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Spec {
    pub algorithm: &'static Algorithm,
    pub engine: Engine,
    pub model: Model,
    pub op: Op,
    pub bytes: usize,
    pub placement: Placement,
    /// Whether message and output are put out of all caches before each execution.
    pub cold: bool,
    pub told: Told,
}

enum Driver {
    Whole(Option<Context>),
    ParSplit(ParSplit, Option<Box<Keyed>>),
}

/// A case with its keys made; sampled any number of times.
pub struct Case {
    spec: Spec,
    number: u64,
    driver: Driver,
    key: Vec<u8>,
    nonce: Vec<u8>,
    tag_bytes: usize,
    fingerprint: Option<u64>,
}

static NUMBER: AtomicU64 = AtomicU64::new(0);

/// Longest batch: keeps a mistaken calibration from running for hours.
const MAX_BATCH: u64 = 1 << 24;

/// The same key and nonce for every implementation, so that their outputs can be compared.
fn material(length: usize, salt: u8) -> Vec<u8> {
    (0..length).map(|i| (i as u8).wrapping_mul(151).wrapping_add(salt) ^ 0x5a).collect()
}

fn tell(told: &Told) -> Result<()> {
    for &(set, number) in told.iter().flatten() {
        // SAFETY: the export of a loaded library; no call of it runs while a case is prepared or sampled.
        if unsafe { set(number) } != abi::OK {
            return Err(Error::Argument(format!("its library does not take {number} threads or bytes per block")));
        }
    }
    Ok(())
}

impl Case {
    /// Checks the combination and makes the keys.
    ///
    /// # Errors
    /// An operation that the algorithm does not have, a length it does not take, a placement it cannot do, a number of
    /// threads or a block size that its library refuses.
    pub fn new(spec: Spec) -> Result<Self> {
        let a = spec.algorithm;
        let has = match spec.op {
            Op::Seal | Op::Open => a.kind == abi::AEAD,
            Op::Encrypt | Op::Decrypt => a.kind == abi::CIPHER,
            Op::Digest => matches!(a.kind, abi::HASH | abi::MAC),
        };
        if !has {
            return Err(Error::Argument(format!("the algorithm has no operation {:?}", spec.op)));
        }
        if spec.bytes % a.block_bytes as usize != 0 {
            return Err(Error::Argument(format!(
                "{} bytes given, a multiple of {} wanted: this algorithm does not pad",
                spec.bytes, a.block_bytes
            )));
        }
        if a.max_bytes != 0 && matches!(spec.engine, Engine::Whole) && spec.bytes as u64 > a.max_bytes {
            return Err(Error::Argument(format!("{} bytes given, at most {} wanted", spec.bytes, a.max_bytes)));
        }
        if spec.placement == Placement::InPlace && (!a.has(abi::IN_PLACE) || spec.op == Op::Digest) {
            return Err(Error::Argument("the algorithm cannot work in place".into()));
        }
        if spec.cold && !evict::POSSIBLE {
            return Err(Error::Argument("a cold cache wanted: this processor's cannot be emptied line by line".into()));
        }
        tell(&spec.told)?;
        let key = material(a.key_bytes as usize, 1);
        let keyed = spec.model == Model::Keyed;
        let (driver, nonce_bytes, tag_bytes) = match spec.engine {
            Engine::Whole => {
                let context = if keyed { Some(Context::new(a, &key)?) } else { None };
                (Driver::Whole(context), a.nonce_bytes as usize, a.tag_bytes as usize)
            }
            Engine::ParSplit(splitter) => {
                if spec.op == Op::Digest {
                    return Err(Error::Argument("ParSplit has no operation Digest".into()));
                }
                let tags = splitter.layout(spec.bytes)?.tags();
                let context = if keyed { Some(Box::new(splitter.key(&key)?)) } else { None };
                (Driver::ParSplit(splitter, context), splitter.nonce_bytes(), tags)
            }
        };
        Ok(Self {
            spec,
            number: NUMBER.fetch_add(1, Ordering::Relaxed),
            driver,
            key,
            nonce: material(nonce_bytes, 2),
            tag_bytes,
            fingerprint: None,
        })
    }

    /// Bytes of tags that the case needs behind the message.
    #[must_use]
    pub fn tag_bytes(&self) -> usize {
        self.tag_bytes
    }

    /// A fingerprint of the result, equal for all implementations of an algorithm with the same engine, length and
    /// block size; `None` before the first sample and where the result is not kept.
    #[must_use]
    pub fn fingerprint(&self) -> Option<u64> {
        self.fingerprint
    }

    /// Executions that take at least `target_ns` together.
    ///
    /// # Errors
    /// As [`Case::sample`].
    pub fn calibrate(&mut self, arena: &mut Arena, target_ns: i64) -> Result<u64> {
        let mut batch = 1;
        // The first run pays for cold caches and lazy set-up.
        self.sample(arena, 1)?;
        while !self.single() {
            let wall = self.sample(arena, batch)?.wall_ns.max(1);
            if wall >= target_ns || batch >= MAX_BATCH {
                break;
            }
            let wanted = (batch as f64 * target_ns as f64 / wall as f64 * 1.1).ceil() as u64;
            batch = wanted.clamp(batch + 1, batch * 100).min(MAX_BATCH);
        }
        Ok(batch)
    }

    /// Opening in place destroys its input, so that a batch would open garbage.
    fn single(&self) -> bool {
        self.spec.op == Op::Open && self.spec.placement == Placement::InPlace
    }

    /// One sample of `batch` executions.
    ///
    /// # Errors
    /// An arena that is too small, a library that fails, or a result that differs from the first sample's.
    pub fn sample(&mut self, arena: &mut Arena, batch: u64) -> Result<Sample> {
        if self.spec.bytes > arena.capacity() || self.tag_bytes > arena.tag_capacity() {
            return Err(Error::Argument(format!(
                "{} bytes and {} of tags given, the arena holds {} and {}",
                self.spec.bytes,
                self.tag_bytes,
                arena.capacity(),
                arena.tag_capacity()
            )));
        }
        if batch == 0 || (batch > 1 && self.single()) {
            return Err(Error::Argument(format!("a batch of {batch} cannot be run")));
        }
        tell(&self.spec.told)?;
        self.prepare(arena, batch)?;
        let (plain, output) = (arena.plain(), arena.output());
        let (input, to) = match (self.spec.op, self.spec.placement) {
            (_, Placement::InPlace) => (output, output),
            (Op::Open, Placement::Separate) => (output, plain),
            (_, Placement::Separate) => (plain, output),
        };
        let tags = output.wrapping_add(if self.spec.op == Op::Digest { 0 } else { self.spec.bytes });
        arena.holds = Holds::Anything;
        // What is cold is timed one by one: the lines are put out in between.
        let (times, each) = if self.spec.cold { (batch, 1) } else { (1, batch) };
        let (mut sample, mut outcome) = (Sample::default(), Ok(()));
        for _ in 0..times {
            if self.spec.cold {
                for side in [plain, output] {
                    // SAFETY: both sides are the arena's, and as long as this, as checked above.
                    unsafe { evict::lines(side, self.spec.bytes) };
                }
                // SAFETY: likewise.
                unsafe { evict::lines(tags, self.tag_bytes) };
            }
            let (one, done) = sample_of(|| {
                // SAFETY: the arena holds `bytes` on both sides and the tags behind the output, as checked above.
                unsafe { self.several(input, to, tags, each) }
            });
            sample += one;
            outcome = done;
            if outcome.is_err() {
                break;
            }
        }
        if let Err(error) = outcome {
            // A failed opening has wiped or spoilt the plaintext that the other cases need.
            arena.refill();
            return Err(error);
        }
        self.check(arena, batch)?;
        Ok(sample)
    }

    /// One execution, and who did which block when.
    ///
    /// # Errors
    /// As [`Case::sample`], and a case that is not ParSplit's with its key set up before.
    pub fn trace(&mut self, arena: &mut Arena) -> Result<Vec<Span>> {
        self.keyed()?.traced(true);
        let sampled = self.sample(arena, 1);
        let keyed = self.keyed()?;
        keyed.traced(false);
        sampled.map(|_| keyed.spans().to_vec())
    }

    fn keyed(&mut self) -> Result<&mut Keyed> {
        match &mut self.driver {
            Driver::ParSplit(_, Some(keyed)) => Ok(keyed),
            _ => Err(Error::Argument("only a case of engine parsplit and model keyed has a trace".into())),
        }
    }

    /// Puts what the operation reads where it reads it, outside the timed part.
    fn prepare(&mut self, arena: &mut Arena, batch: u64) -> Result<()> {
        let bytes = self.spec.bytes;
        let (plain, output) = (arena.plain(), arena.output());
        let tags = output.wrapping_add(bytes);
        match (self.spec.op, self.spec.placement) {
            (Op::Open, _) if arena.holds != Holds::SealedBy(self.number) => {
                // SAFETY: as in `sample`.
                unsafe { self.once(Op::Seal, plain, output, tags)? };
            }
            (Op::Open, _) => {}
            (_, Placement::InPlace) if batch == 1 => {
                // SAFETY: both sides hold `bytes` and are different mappings.
                unsafe { ptr::copy_nonoverlapping(plain, output, bytes) };
            }
            _ => {}
        }
        Ok(())
    }

    /// # Safety
    /// `input` and `output` are valid for the case's bytes, equal or apart; `tags` for its tags.
    #[inline]
    unsafe fn once(&mut self, op: Op, input: *mut u8, output: *mut u8, tags: *mut u8) -> Result<()> {
        let bytes = self.spec.bytes;
        match &mut self.driver {
            Driver::Whole(context) => {
                let mut fresh;
                let context = match context {
                    Some(context) => context,
                    None => {
                        fresh = Context::new(self.spec.algorithm, &self.key)?;
                        &mut fresh
                    }
                };
                // SAFETY: the caller's promise.
                unsafe { whole(context, &self.nonce, op, (input, bytes, output, tags), 1) }
            }
            Driver::ParSplit(splitter, keyed) => {
                let mut fresh;
                let keyed = match keyed {
                    Some(keyed) => keyed.as_mut(),
                    None => {
                        fresh = splitter.key(&self.key)?;
                        &mut fresh
                    }
                };
                // SAFETY: the caller's promise.
                unsafe {
                    match op {
                        Op::Open | Op::Decrypt => keyed.open_raw(&self.nonce, &[], input, bytes, output, tags),
                        _ => keyed.seal_raw(&self.nonce, &[], input, bytes, output, tags),
                    }
                }
            }
        }
    }

    /// So many executions of the case's own operation; what is not of a message is done once for all of them.
    ///
    /// # Safety
    /// As [`Case::once`].
    #[inline]
    unsafe fn several(&mut self, input: *mut u8, output: *mut u8, tags: *mut u8, times: u64) -> Result<()> {
        let (op, bytes) = (self.spec.op, self.spec.bytes);
        if let Driver::Whole(Some(context)) = &mut self.driver {
            // SAFETY: the caller's promise.
            return unsafe { whole(context, &self.nonce, op, (input, bytes, output, tags), times as usize) };
        }
        for _ in 0..times {
            // SAFETY: the caller's promise.
            unsafe { self.once(op, input, output, tags)? }
        }
        Ok(())
    }

    /// Compares the result with the first sample's; a benchmark that does not look at its result times anything.
    fn check(&mut self, arena: &mut Arena, batch: u64) -> Result<()> {
        let bytes = self.spec.bytes;
        let changed = || Error::Argument("the result differs from the first sample's".into());
        match (self.spec.op, self.spec.placement) {
            (Op::Open, Placement::Separate) => {
                // Only now is the ciphertext still there for the next sample.
                arena.holds = Holds::SealedBy(self.number);
                return if arena.plain_is_whole(bytes) {
                    Ok(())
                } else {
                    arena.refill();
                    Err(Error::Argument("the opened message is not the one that was sealed".into()))
                };
            }
            (Op::Open, Placement::InPlace) => {
                let (plain, output) = (arena.plain(), arena.output());
                // SAFETY: both sides hold `bytes`.
                let same = unsafe { slice::from_raw_parts(plain, bytes) == slice::from_raw_parts(output, bytes) };
                return if same { Ok(()) } else { Err(changed()) };
            }
            // A batch in place encrypts its own output over and over.
            (_, Placement::InPlace) if batch > 1 => return Ok(()),
            (Op::Seal, Placement::Separate) => arena.holds = Holds::SealedBy(self.number),
            _ => {}
        }
        // A digest has no text, and its tag lies where a ciphertext of no bytes would end.
        let text = if self.spec.op == Op::Digest { 0 } else { bytes };
        let fingerprint = arena.fingerprint(text, self.tag_bytes);
        if *self.fingerprint.get_or_insert(fingerprint) == fingerprint { Ok(()) } else { Err(changed()) }
    }
}

/// Input, its bytes, output and tags.
type Buffers = (*mut u8, usize, *mut u8, *mut u8);

/// Calls of one operation over a whole message.
///
/// # Safety
/// As [`Case::once`].
#[inline]
unsafe fn whole(context: &mut Context, nonce: &[u8], op: Op, buffers: Buffers, times: usize) -> Result<()> {
    let (input, bytes, output, tags) = buffers;
    // SAFETY: the caller's promise.
    unsafe {
        match op {
            Op::Seal | Op::Encrypt => context.seal_each(nonce, &[], input, bytes, output, tags, times),
            Op::Open | Op::Decrypt => context.open_each(nonce, &[], input, bytes, output, tags, times),
            Op::Digest => context.digest_each(nonce, input, bytes, tags, times),
        }
    }
}
