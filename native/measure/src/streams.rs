use crate::clock::{Sample, sample as sample_of};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{Context, Error, Result};
use std::sync::Barrier;
use std::thread;

/// How much is asked for at a time where it does not matter: it stays in the first-level cache.
const PIECE: usize = 16 << 10;
/// Longest batch: keeps a mistaken calibration from running for hours.
const MAX_BATCH: u64 = 1 << 24;

/// One or several threads that ask a generator for output, each with a context of the same key: a generator that is
/// shared has one state for all of them.
#[derive(Clone, Debug)]
pub struct Streams {
    algorithm: &'static Algorithm,
    oneshot: bool,
    bytes: usize,
    request: usize,
    threads: usize,
    key: Vec<u8>,
}

impl Streams {
    /// Checks the combination. An execution makes `bytes` in all, asked for `request` bytes at a time, 0 for large ones;
    /// with `oneshot` each begins with the key.
    ///
    /// # Errors
    /// What is no generator, no threads, a number of bytes that is no whole number of requests for each thread, or more
    /// than the generator gives under one key.
    pub fn new(algorithm: &'static Algorithm, oneshot: bool, bytes: usize, request: usize, threads: usize) -> Result<Self> {
        if algorithm.kind != abi::GENERATOR {
            return Err(Error::Argument("the algorithm has no operation Generate".into()));
        }
        if threads == 0 {
            return Err(Error::Argument("0 streams given, at least 1 wanted".into()));
        }
        let each = bytes / threads;
        let any = request == 0;
        let request = if any { each.clamp(1, PIECE) } else { request };
        if bytes % threads != 0 || (!any && each % request != 0) {
            return Err(Error::Argument(format!(
                "{bytes} bytes given, a multiple of {threads} streams times {request} bytes of a request wanted"
            )));
        }
        let made = Self { algorithm, oneshot, bytes, request, threads, key: vec![0x5a; algorithm.key_bytes as usize] };
        made.within_key(1)?;
        Ok(made)
    }

    fn within_key(&self, batch: u64) -> Result<()> {
        let (most, wanted) = (self.algorithm.max_bytes, (self.bytes as u64).saturating_mul(batch));
        let once = if self.oneshot { self.bytes as u64 } else { wanted };
        if most != 0 && once > most {
            return Err(Error::Argument(format!(
                "{once} bytes given, at most {most} under one key wanted: the generator wants a new key then"
            )));
        }
        Ok(())
    }

    /// Executions that take at least `target_ns` together, or as many as one key allows.
    ///
    /// # Errors
    /// As [`Streams::sample`].
    pub fn calibrate(&self, target_ns: i64) -> Result<u64> {
        let most = match self.algorithm.max_bytes {
            0 => MAX_BATCH,
            _ if self.oneshot => MAX_BATCH,
            most => (most / self.bytes.max(1) as u64).clamp(1, MAX_BATCH),
        };
        let mut batch = 1;
        self.sample(1)?;
        loop {
            let wall = self.sample(batch)?.wall_ns.max(1);
            if wall >= target_ns || batch >= most {
                return Ok(batch);
            }
            let wanted = (batch as f64 * target_ns as f64 / wall as f64 * 1.1).ceil() as u64;
            batch = wanted.clamp(batch + 1, batch.saturating_mul(100)).min(most);
        }
    }

    /// One sample of `batch` executions, under keys of its own. Threads are started before the clock is.
    ///
    /// # Errors
    /// A library that fails, more than it gives under one key, or output that repeats.
    pub fn sample(&self, batch: u64) -> Result<Sample> {
        if batch == 0 {
            return Err(Error::Argument("a batch of 0 cannot be run".into()));
        }
        self.within_key(batch)?;
        let contexts: Result<Vec<_>> = (0..self.threads).map(|_| Context::new(self.algorithm, &self.key)).collect();
        let mut streams: Vec<_> = contexts?.into_iter().map(|context| Stream::new(self, context)).collect();
        let ready = Barrier::new(self.threads);
        thread::scope(|scope| {
            let Some((own, others)) = streams.split_first_mut() else {
                return Err(Error::Argument("no stream".into()));
            };
            let others: Vec<_> = others
                .iter_mut()
                .map(|stream| {
                    scope.spawn(|| {
                        ready.wait();
                        stream.run(batch)
                    })
                })
                .collect();
            ready.wait();
            let (sample, outcome) = sample_of(|| {
                let mine = own.run(batch);
                others.into_iter().fold(mine, |all, one| {
                    let one = one.join().unwrap_or_else(|_| Err(Error::Argument("a stream has panicked".into())));
                    all.and(one)
                })
            });
            outcome.map(|()| sample)
        })?
        .checked(&streams)
    }
}

impl Sample {
    /// The sample, if no stream gave the same twice.
    fn checked(self, streams: &[Stream<'_>]) -> Result<Self> {
        match streams.iter().any(|stream| stream.repeats) {
            true => Err(Error::Argument("its output repeats".into())),
            false => Ok(self),
        }
    }
}

struct Stream<'a> {
    of: &'a Streams,
    context: Context,
    buffer: Vec<u8>,
    repeats: bool,
}

impl<'a> Stream<'a> {
    fn new(of: &'a Streams, context: Context) -> Self {
        Self { of, context, buffer: vec![0; of.request], repeats: false }
    }

    fn run(&mut self, batch: u64) -> Result<()> {
        let Streams { algorithm, oneshot, bytes, request, threads, key } = self.of;
        let each = bytes / threads;
        for _ in 0..batch {
            if *oneshot {
                self.context = Context::new(algorithm, key)?;
            }
            let before = self.buffer.clone();
            // SAFETY: the buffer is as long as a request.
            unsafe { self.context.generate_each(self.buffer.as_mut_ptr(), *request, each / request)? };
            // SAFETY: what is left is less than a request.
            unsafe { self.context.generate_each(self.buffer.as_mut_ptr(), each % request, 1)? };
            // Of shorter requests two may be equal by chance.
            self.repeats |= *request >= 16 && !oneshot && self.buffer == before;
        }
        Ok(())
    }
}
