//! Baselines: the cost of moving a message without cryptography, and the cost of splitting it without moving it.

#[path = "baseline/copies.rs"]
mod copies;

use crate::descriptor::{c_string, rust_library};
use crate::export::{Aead, Cipher, Failure, Keyed, Lengths, Outcome, aead, cipher};
use crate::{FeatureSwitch, Linked};
use aeadlab_abi::{self as abi, Algorithm};
use copies::Copy;
use inout::InOutBuf;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// The C library's memcpy, the upper bound of every cipher with a separate output.
#[derive(Default)]
struct Memcpy;

impl Cipher for Memcpy {
    fn encrypt(&mut self, _: &[u8], mut message: InOutBuf<'_, '_, u8>) -> Outcome {
        // Without IN_PLACE the host never passes equal buffers, so the two borrows are disjoint.
        let (input, length) = (message.get_in().as_ptr(), message.len());
        let output = message.get_out().as_mut_ptr();
        // SAFETY: both are valid for `length` and disjoint.
        unsafe { libc::memcpy(output.cast(), input.cast(), length) };
        Ok(())
    }
}

/// XOR with a repeated 32-byte key, the ETH paper's baseline: the least work of any encryption.
struct Xor {
    key: [u8; 32],
}

impl Keyed for Xor {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self { key: key.try_into().map_err(|_| Failure::BadArgument)? })
    }
}

impl Cipher for Xor {
    fn encrypt(&mut self, _: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        let length = message.len();
        let (input, output) = message.into_raw();
        let key = self.key;
        let whole = length - length % key.len();
        for start in (0..whole).step_by(key.len()) {
            // SAFETY: `start + 32 <= length`; a block is read before it is written, so the buffers may be equal.
            unsafe {
                let mut block: [u8; 32] = input.add(start).cast::<[u8; 32]>().read();
                block.iter_mut().zip(&key).for_each(|(b, k)| *b ^= k);
                output.add(start).cast::<[u8; 32]>().write(block);
            }
        }
        for i in whole..length {
            // SAFETY: `i < length`.
            unsafe { output.add(i).write(input.add(i).read() ^ key[i - whole]) };
        }
        Ok(())
    }
}

/// An AEAD without protection: it copies the message, sleeps for a set time per byte, and uses a tag of zeros. More
/// threads than cores then behave as if each had a core of its own, so that the block assignment of schedules can be
/// studied at any thread count.
#[derive(Default)]
struct Delay {
    /// The overshoot of the last sleep in nanoseconds. The next sleep is shorter by it, so that the overhead of each
    /// sleep (50 us and more) does not accumulate over a run.
    overshoot: i64,
    /// The end of the last call, in nanoseconds of CLOCK_MONOTONIC.
    ended: i64,
}

/// Nanoseconds per byte, read once per process; the descriptor's kernel reports it.
const DELAY_VARIABLE: &str = "AEADLAB_DELAY_NS_PER_BYTE";
/// A block of 64 KiB takes 1.6 ms, which is long compared with a wake-up; 64 threads then wake 40,000 times per second.
const DELAY_NS_PER_BYTE: f64 = 25.0;
/// A longer overshoot, in nanoseconds, is not caused by the timer and not compensated.
const MAX_OVERSHOOT: i64 = 1_000_000;
/// A call that starts more than this many nanoseconds after the last one belongs to another run.
const MAX_PAUSE_IN_RUN: i64 = 100_000;

fn delay_ns_per_byte() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        let setting = std::env::var(DELAY_VARIABLE).ok().and_then(|value| value.parse().ok());
        setting.filter(|ns: &f64| (0.0..=1e6).contains(ns)).unwrap_or(DELAY_NS_PER_BYTE)
    })
}

fn clock_ns(clock: libc::clockid_t) -> i64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is valid for the result, and zeros are a valid value if the call fails.
    let time = unsafe {
        libc::clock_gettime(clock, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn monotonic_ns() -> i64 {
    clock_ns(libc::CLOCK_MONOTONIC)
}

/// Sleep until a time of CLOCK_MONOTONIC in nanoseconds. Signals do not end the sleep.
fn sleep_until(deadline: i64) {
    #[cfg(target_os = "linux")]
    {
        thread_local!(static TIMER_SLACK_SET: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
        if !TIMER_SLACK_SET.replace(true) {
            // By default Linux ends sleeps up to 50 us late to save power.
            // SAFETY: the call takes numbers only.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        }
        let time = libc::timespec { tv_sec: deadline / 1_000_000_000, tv_nsec: deadline % 1_000_000_000 };
        // SAFETY: `time` is a valid time; the remaining time is not requested.
        while unsafe {
            libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const time, std::ptr::null_mut())
        } == libc::EINTR
        {}
    }
    #[cfg(not(target_os = "linux"))]
    while let Ok(remaining @ 1..) = u64::try_from(deadline - monotonic_ns()) {
        std::thread::sleep(std::time::Duration::from_nanos(remaining));
    }
}

impl Delay {
    fn copy(&mut self, message: InOutBuf<'_, '_, u8>) {
        let start = monotonic_ns();
        let length = message.len();
        let (input, output) = message.into_raw();
        if input != output.cast_const() {
            // SAFETY: both are valid for `length`, and disjoint unless they are equal.
            unsafe { libc::memcpy(output.cast(), input.cast(), length) };
        }
        let compensation = if start - self.ended < MAX_PAUSE_IN_RUN { self.overshoot } else { 0 };
        let deadline = start + (length as f64 * delay_ns_per_byte()) as i64 - compensation;
        let mut now = monotonic_ns();
        if now < deadline {
            sleep_until(deadline);
            now = monotonic_ns();
        }
        (self.overshoot, self.ended) = ((now - deadline).clamp(0, MAX_OVERSHOOT), now);
    }
}

impl Aead for Delay {
    fn seal(&mut self, _: &[u8], _: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        self.copy(message);
        tag.fill(0);
        Ok(())
    }

    fn open(&mut self, _: &[u8], _: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        self.copy(message);
        if tag.iter().all(|&byte| byte == 0) { Ok(()) } else { Err(Failure::Authentication) }
    }
}

/// The library.
pub(crate) fn library() -> Linked {
    const FLAGS: u64 = abi::THREAD_SAFE | abi::BASELINE;
    let feature_switch: FeatureSwitch = |name| match name.to_bytes() {
        b"memcpy" => c"GLIBC_TUNABLES",
        b"copy" | b"copy-stream" => c"none: it detects CPU features itself and reads no setting",
        _ => c"none: its code path is chosen at compile time",
    };
    let kernel = c_string(&format!("{} ns per byte", delay_ns_per_byte())).as_ptr();
    let vectors = c_string(copies::kernel()).as_ptr();
    let rows = vec![
        cipher::<Memcpy>(c"memcpy", Lengths(0, 0, 0), FLAGS),
        Algorithm { kernel: vectors, ..cipher::<Copy<false>>(c"copy", Lengths(0, 0, 0), FLAGS) },
        Algorithm { kernel: vectors, ..cipher::<Copy<true>>(c"copy-stream", Lengths(0, 0, 0), FLAGS) },
        cipher::<Xor>(c"xor", Lengths(32, 0, 0), FLAGS | abi::IN_PLACE),
        Algorithm { kernel, ..aead::<Delay>(c"delay", Lengths(0, 12, 16), FLAGS | abi::IN_PLACE) },
    ];
    rust_library("baseline", env!("CARGO_PKG_VERSION"), feature_switch, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn delay_takes_the_set_time_over_a_run() {
        let mut delay = Delay { overshoot: 0, ended: 0 };
        let mut block = [7; 40_000];
        let expected = Duration::from_nanos((block.len() as f64 * delay_ns_per_byte()) as u64);
        let start = Instant::now();
        let mut shortest = Duration::MAX;
        for _ in 0..50 {
            let start = Instant::now();
            delay.copy(InOutBuf::from(&mut block[..]));
            shortest = shortest.min(start.elapsed());
        }
        let ratio = start.elapsed().as_secs_f64() / (50.0 * expected.as_secs_f64());
        // Other load may lengthen a sleep, but the compensation shortens it by at most the last overshoot.
        assert!((0.98..1.25).contains(&ratio), "50 delays took {ratio:.3} of the set time");
        assert!(shortest + Duration::from_nanos(MAX_OVERSHOOT as u64) >= expected, "{shortest:?} of {expected:?}");
    }

    #[test]
    fn delay_leaves_the_core_idle() {
        let cpu_ns = || clock_ns(libc::CLOCK_THREAD_CPUTIME_ID);
        let (mut delay, mut block) = (Delay { overshoot: 0, ended: 0 }, [7; 40_000]);
        let before = cpu_ns();
        (0..50).for_each(|_| delay.copy(InOutBuf::from(&mut block[..])));
        let used = cpu_ns() - before;
        assert!(used < 10_000_000, "50 delays of 1 ms used {used} ns of CPU");
    }
}
