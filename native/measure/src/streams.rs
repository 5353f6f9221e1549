//! Output of a generator from one or several threads.

use crate::calibration::calibrate;
use crate::clock::{Sample, count_cpu_time, sample as time};
use aeadlab_abi::{self as abi, Algorithm};
use parsplit::{Context, Error, Result};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::thread;

/// Request length in bytes where none is given: the buffer stays in the first-level cache.
const DEFAULT_REQUEST: usize = 16 << 10;
/// Shortest request in bytes whose repetition is an error and not a coincidence.
const COMPARED_FROM: usize = 16;

/// One or several threads that request output from a generator, each with a context of the same key. A generator that
/// is shared has one state for all of them.
#[derive(Clone, Debug)]
pub struct Streams {
    algorithm: &'static Algorithm,
    bytes_per_stream: usize,
    request: usize,
    threads: usize,
    requests_per_key: usize,
}

impl Streams {
    /// Checks the parameters. One execution generates `bytes` bytes in all, in requests of `request` bytes, or in
    /// requests of 16 KiB where `request` is 0. Each stream changes its key before all streams together exceed the
    /// generator's limit for one key.
    ///
    /// # Errors
    /// [`Error::Argument`] unless the algorithm is a generator, `threads` is at least 1, `bytes` is a multiple of
    /// `threads` times `request`, and one key suffices for a request of each stream.
    pub fn new(algorithm: &'static Algorithm, bytes: usize, request: usize, threads: usize) -> Result<Self> {
        ensure!(algorithm.kind == abi::GENERATOR, "the algorithm has no operation Generate");
        ensure!(threads > 0, "0 streams given, at least 1 expected");
        let bytes_per_stream = bytes / threads;
        ensure!(
            bytes.is_multiple_of(threads) && (request == 0 || bytes_per_stream.is_multiple_of(request)),
            "{bytes} bytes given, a multiple of {threads} streams times {} bytes per request expected",
            request.max(1)
        );
        let request = if request == 0 { DEFAULT_REQUEST } else { request };
        let requests_per_key = match algorithm.max_bytes {
            0 => usize::MAX,
            // The last request of a stream may be shorter, but counts in full.
            limit => usize::try_from(limit).unwrap_or(usize::MAX) / threads / request,
        };
        ensure!(
            requests_per_key > 0,
            "{threads} streams with requests of {request} bytes given, at most {} bytes in all expected: the \
             generator's limit for one key",
            algorithm.max_bytes
        );
        Ok(Self { algorithm, bytes_per_stream, request, threads, requests_per_key })
    }

    /// Returns the number of executions that take at least `target_ns` nanoseconds together, with the errors of
    /// [`Streams::sample`].
    pub fn calibrate(&self, target_ns: i64) -> Result<u64> {
        calibrate(target_ns, |batch| Ok(self.sample(batch)?.wall_ns))
    }

    /// Takes one sample of `batch` executions, which begins with a new key. The threads are started before the clock
    /// and wait for it.
    ///
    /// # Errors
    /// [`Error::Argument`] for an empty batch and for output that repeats; the error of the library.
    pub fn sample(&self, batch: u64) -> Result<Sample> {
        ensure!(batch > 0, "batch of 0 given, at least 1 expected");
        let barrier = Barrier::new(self.threads);
        // Each thread allocates its own buffer, so that no two threads write to one cache line. All contexts are made
        // before the first stream runs, because a shared generator has one state for all of them.
        let failed = AtomicBool::new(false);
        let set_up = || {
            let stream = Stream::new(self, &barrier);
            failed.fetch_or(stream.is_err(), Relaxed);
            barrier.wait();
            stream
        };
        let run = |stream: Result<_>| {
            barrier.wait();
            let stream = stream.map(|stream: Stream| if failed.load(Relaxed) { stream } else { stream.run(batch) });
            count_cpu_time();
            stream
        };
        let (sample, streams) = thread::scope(|scope| {
            let others: Vec<_> = (1..self.threads).map(|_| scope.spawn(|| run(set_up()))).collect();
            let own = set_up();
            time(|| {
                let own = run(own);
                let panicked = |_| Err(Error::Argument("a stream panicked: please report this".into()));
                others.into_iter().map(|thread| thread.join().unwrap_or_else(panicked)).chain([own]).collect::<Vec<_>>()
            })
        });
        for stream in streams {
            stream?.outcome?;
        }
        Ok(sample)
    }
}

struct Stream<'a> {
    spec: &'a Streams,
    /// All streams change their key together, so that those that share a state agree on it.
    barrier: &'a Barrier,
    context: Context,
    key_index: u64,
    /// Requests left under the current key.
    requests_left: usize,
    buffer: Vec<u8>,
    /// The first error. A stream that failed requests nothing more, but still meets the others at the barrier.
    outcome: Result<()>,
}

impl<'a> Stream<'a> {
    fn new(spec: &'a Streams, barrier: &'a Barrier) -> Result<Self> {
        let (context, requests_left) = (new_context(spec, 0)?, spec.requests_per_key);
        Ok(Self { spec, barrier, context, key_index: 0, requests_left, buffer: vec![0; spec.request], outcome: Ok(()) })
    }

    fn run(mut self, batch: u64) -> Self {
        let Streams { bytes_per_stream, request, .. } = *self.spec;
        for _ in 0..batch {
            let before = self.buffer.clone();
            let mut remaining = bytes_per_stream / request;
            while remaining > 0 {
                let count = remaining.min(self.requests_under_key());
                self.generate(request, count);
                remaining -= count;
            }
            let compared = request >= COMPARED_FROM && bytes_per_stream >= request;
            if compared && self.buffer == before && self.outcome.is_ok() {
                self.outcome = Err(Error::Argument("the output of the generator repeats".into()));
            }
            let rest = bytes_per_stream % request;
            if rest > 0 {
                self.requests_under_key();
                self.generate(rest, 1);
            }
        }
        self
    }

    /// Makes `count` requests of `bytes` bytes, at most the length of the buffer.
    fn generate(&mut self, bytes: usize, count: usize) {
        self.requests_left -= count;
        if self.outcome.is_ok() {
            // SAFETY: the buffer is as long as a full request.
            self.outcome = unsafe { self.context.generate_repeated(self.buffer.as_mut_ptr(), bytes, count) };
        }
    }

    /// Returns the number of requests left under the key, at least 1; changes the key if none is left.
    fn requests_under_key(&mut self) -> usize {
        if self.requests_left == 0 {
            self.barrier.wait();
            self.key_index += 1;
            match new_context(self.spec, self.key_index) {
                Ok(context) => self.context = context,
                Err(error) => self.outcome = Err(error),
            }
            self.requests_left = self.spec.requests_per_key;
        }
        self.requests_left
    }
}

/// Sets up the key with this index, the same for every stream.
fn new_context(spec: &Streams, key_index: u64) -> Result<Context> {
    let index = key_index.to_le_bytes();
    let key: Vec<u8> = (0..spec.algorithm.key_bytes as usize).map(|i| index[i % 8] ^ 0x5a ^ i as u8).collect();
    Context::new(spec.algorithm, &key)
}
