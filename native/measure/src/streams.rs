use crate::clock::{Sample, sample as sample_of};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{Context, Error, Result};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// How much is asked for at a time where it does not matter: it stays in the first-level cache.
const PIECE: usize = 16 << 10;
/// Longest batch: keeps a mistaken calibration from running for hours.
const MAX_BATCH: u64 = 1 << 24;
/// Bytes of a request from which two equal ones are no chance.
const NO_CHANCE: usize = 16;

/// One or several threads that ask a generator for output, each with a context of the same key: a generator that is
/// shared has one state for all of them.
#[derive(Clone, Debug)]
pub struct Streams {
    algorithm: &'static Algorithm,
    each: usize,
    request: usize,
    threads: usize,
    requests_of_key: usize,
}

impl Streams {
    /// Checks the combination. An execution makes `bytes` in all, asked for `request` bytes at a time, 0 for large ones.
    /// Together the streams take no more under one key than the generator gives, then each goes on with the next key.
    ///
    /// # Errors
    /// What is no generator, no streams, a number of bytes that is no whole number of requests for each stream, or
    /// requests for which one key is too little.
    pub fn new(algorithm: &'static Algorithm, bytes: usize, request: usize, threads: usize) -> Result<Self> {
        if algorithm.kind != abi::GENERATOR {
            return Err(Error::Argument("the algorithm has no operation Generate".into()));
        }
        if threads == 0 {
            return Err(Error::Argument("0 streams given, at least 1 wanted".into()));
        }
        let each = bytes / threads;
        let wanted = if request == 0 { PIECE } else { request };
        if bytes % threads != 0 || (request != 0 && each % request != 0) {
            return Err(Error::Argument(format!(
                "{bytes} bytes given, a multiple of {threads} streams times {} bytes of a request wanted",
                request.max(1)
            )));
        }
        let requests_of_key = match algorithm.max_bytes {
            0 => usize::MAX,
            // The last one may be shorter, and counts as whole.
            most => usize::try_from(most).unwrap_or(usize::MAX) / threads / wanted,
        };
        if requests_of_key == 0 {
            return Err(Error::Argument(format!(
                "{threads} streams with requests of {wanted} bytes given: the generator gives {} under one key",
                algorithm.max_bytes
            )));
        }
        Ok(Self { algorithm, each, request: wanted, threads, requests_of_key })
    }

    /// Executions that take at least `target_ns` together.
    ///
    /// # Errors
    /// As [`Streams::sample`].
    pub fn calibrate(&self, target_ns: i64) -> Result<u64> {
        let mut batch = 1;
        self.sample(1)?;
        loop {
            let wall = self.sample(batch)?.wall_ns.max(1);
            if wall >= target_ns || batch >= MAX_BATCH {
                return Ok(batch);
            }
            let wanted = (batch as f64 * target_ns as f64 / wall as f64 * 1.1).ceil() as u64;
            batch = wanted.clamp(batch + 1, batch.saturating_mul(100)).min(MAX_BATCH);
        }
    }

    /// One sample of `batch` executions, which begins with a new key. Threads are started before the clock is, and wait
    /// for it.
    ///
    /// # Errors
    /// A library that fails, or output that repeats.
    pub fn sample(&self, batch: u64) -> Result<Sample> {
        if batch == 0 {
            return Err(Error::Argument("a batch of 0 cannot be run".into()));
        }
        let together = Barrier::new(self.threads);
        // Each thread makes its own memory, so that no two write to one cache line. All have a context before the first
        // runs: they share one state, or have one each.
        let failed = AtomicBool::new(false);
        let made = || {
            let stream = Stream::new(self, &together);
            failed.fetch_or(stream.is_err(), Relaxed);
            together.wait();
            stream
        };
        let run = |stream: Result<_>| {
            together.wait();
            stream.map(|stream: Stream| if failed.load(Relaxed) { stream } else { stream.run(batch) })
        };
        let (sample, streams) = thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads).map(|_| scope.spawn(|| run(made()))).collect();
            let own = made();
            sample_of(|| {
                let own = run(own);
                let panicked = |_| Err(Error::Argument("a stream has panicked".into()));
                others.into_iter().map(|one| one.join().unwrap_or_else(panicked)).chain([own]).collect::<Vec<_>>()
            })
        });
        for stream in streams {
            stream?.outcome?;
        }
        Ok(sample)
    }
}

struct Stream<'a> {
    of: &'a Streams,
    /// Where all wait for the last one before the key changes, so that those that share a state always do.
    together: &'a Barrier,
    context: Context,
    /// How many keys there were before.
    key: u64,
    /// Requests that are left under this one.
    left: usize,
    buffer: Vec<u8>,
    /// After an error nothing more is asked for, but the others are not kept waiting.
    outcome: Result<()>,
}

impl<'a> Stream<'a> {
    fn new(of: &'a Streams, together: &'a Barrier) -> Result<Self> {
        let (context, left) = (keyed(of, 0)?, of.requests_of_key);
        Ok(Self { of, together, context, key: 0, left, buffer: vec![0; of.request], outcome: Ok(()) })
    }

    fn run(mut self, batch: u64) -> Self {
        let Streams { each, request, .. } = *self.of;
        for _ in 0..batch {
            let before = self.buffer.clone();
            let mut requests = each / request;
            while requests > 0 {
                let now = requests.min(self.within_key());
                self.ask(request, now);
                requests -= now;
            }
            if request >= NO_CHANCE && each >= request && self.buffer == before && self.outcome.is_ok() {
                self.outcome = Err(Error::Argument("its output repeats".into()));
            }
            let rest = each % request;
            if rest > 0 {
                self.within_key();
                self.ask(rest, 1);
            }
        }
        self
    }

    /// Asks `times` times for `bytes`, at most a request's.
    fn ask(&mut self, bytes: usize, times: usize) {
        self.left -= times;
        if self.outcome.is_ok() {
            // SAFETY: the buffer is as long as a request.
            self.outcome = unsafe { self.context.generate_each(self.buffer.as_mut_ptr(), bytes, times) };
        }
    }

    /// Requests that are left under the key, one at least: where there is none the next key comes.
    fn within_key(&mut self) -> usize {
        if self.left == 0 {
            self.together.wait();
            self.key += 1;
            match keyed(self.of, self.key) {
                Ok(context) => self.context = context,
                Err(error) => self.outcome = Err(error),
            }
            self.left = self.of.requests_of_key;
        }
        self.left
    }
}

/// A context with a key of this number, the same for every stream.
fn keyed(of: &Streams, number: u64) -> Result<Context> {
    let bytes = number.to_le_bytes();
    let key: Vec<u8> = (0..of.algorithm.key_bytes as usize).map(|i| bytes[i % 8] ^ 0x5a ^ i as u8).collect();
    Context::new(of.algorithm, &key)
}
