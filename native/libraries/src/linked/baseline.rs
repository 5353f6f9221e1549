//! Reference lines: what moving the bytes costs without any cryptography, and what splitting costs without the bytes.

use crate::describe::{self, RUST_BUILD};
use crate::export::{Aead, Cipher, Failure, Keyed, Lengths, Outcome, aead, cipher};
use aeadlab_abi::{self as abi, Algorithm, Library};
use inout::InOutBuf;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// The C library's memcpy, the physical limit of everything with a separate output.
struct Memcpy;

impl Keyed for Memcpy {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self)
    }
}

impl Cipher for Memcpy {
    fn encrypt(&mut self, _: &[u8], mut message: InOutBuf<'_, '_, u8>) -> Outcome {
        // Without IN_PLACE the host never passes equal buffers, so both borrows are of different memory.
        let (input, length) = (message.get_in().as_ptr(), message.len());
        let output = message.get_out().as_mut_ptr();
        // SAFETY: both are valid for `length` and apart.
        unsafe { libc::memcpy(output.cast(), input.cast(), length) };
        Ok(())
    }

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.encrypt(nonce, message)
    }
}

/// XOR with a repeated 32-byte key, the ETH paper's baseline: the least work an encryption could do.
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
        let (input, output, length) = {
            let length = message.len();
            let (input, output) = message.into_raw();
            (input, output, length)
        };
        let key = self.key;
        let whole = length - length % key.len();
        for start in (0..whole).step_by(key.len()) {
            // SAFETY: `start + 32 <= length`; reading a block before writing it is right in place as well.
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

    fn decrypt(&mut self, nonce: &[u8], message: InOutBuf<'_, '_, u8>) -> Outcome {
        self.encrypt(nonce, message)
    }
}

/// An AEAD in shape alone: a copy with a tag of zeros that takes a set time per byte and leaves the core to others
/// meanwhile. More threads than cores then behave as if each had a core of its own, so that who does which block can be
/// studied at any thread count. It protects nothing.
struct Delay {
    /// How much later than wanted the last wait ended, in nanoseconds; the next is shorter by it, so that what the
    /// system adds to each wait (50 us and more) does not add up over a run.
    late: i64,
    /// When the last call ended.
    ended: i64,
}

/// Nanoseconds per byte, read once per process; the descriptor's kernel says it.
const DELAY_VARIABLE: &str = "AEADLAB_DELAY_NS_PER_BYTE";
/// 64 KiB take 1.6 ms: long against a wake-up, and 64 threads need no more than 40,000 of those in a second.
const DELAY_NS_PER_BYTE: f64 = 25.0;
/// A wait that ended this late was held up by something else than the timer, and is not made good.
const MOST_LATE: i64 = 1_000_000;
/// A call that starts later than this after the last one belongs to another run, and owes it nothing.
const SAME_RUN: i64 = 100_000;

fn delay_ns_per_byte() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        let given = std::env::var(DELAY_VARIABLE).ok().and_then(|text| text.parse().ok());
        given.filter(|ns: &f64| (0.0..=1e6).contains(ns)).unwrap_or(DELAY_NS_PER_BYTE)
    })
}

fn monotonic_ns() -> i64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` is a place for the result, and zero is a valid one should the call fail.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Sleeps until a time of CLOCK_MONOTONIC; interrupted by a signal, it sleeps on.
fn sleep_until(deadline: i64) {
    #[cfg(target_os = "linux")]
    {
        thread_local!(static SHARP: std::cell::Cell<bool> = const { std::cell::Cell::new(false) });
        if !SHARP.replace(true) {
            // SAFETY: takes numbers. Linux ends a thread's waits up to 50 us late to save power, unless told so.
            unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1) };
        }
        let time = libc::timespec { tv_sec: deadline / 1_000_000_000, tv_nsec: deadline % 1_000_000_000 };
        // SAFETY: `time` is a valid time; what is left of the wait is not asked for.
        while unsafe {
            libc::clock_nanosleep(libc::CLOCK_MONOTONIC, libc::TIMER_ABSTIME, &raw const time, std::ptr::null_mut())
        } == libc::EINTR
        {}
    }
    #[cfg(not(target_os = "linux"))]
    while let Ok(left @ 1..) = u64::try_from(deadline - monotonic_ns()) {
        std::thread::sleep(std::time::Duration::from_nanos(left));
    }
}

impl Delay {
    fn copy(&mut self, message: InOutBuf<'_, '_, u8>) {
        let start = monotonic_ns();
        let length = message.len();
        let (input, output) = message.into_raw();
        if input != output.cast_const() {
            // SAFETY: both are valid for `length`, and apart where they are not equal.
            unsafe { libc::memcpy(output.cast(), input.cast(), length) };
        }
        let owed = if start - self.ended < SAME_RUN { self.late } else { 0 };
        let deadline = start + (length as f64 * delay_ns_per_byte()) as i64 - owed;
        let mut now = monotonic_ns();
        if now < deadline {
            sleep_until(deadline);
            now = monotonic_ns();
        }
        (self.late, self.ended) = ((now - deadline).clamp(0, MOST_LATE), now);
    }
}

impl Keyed for Delay {
    fn new(_: &Algorithm, _: &[u8]) -> Result<Self, Failure> {
        Ok(Self { late: 0, ended: 0 })
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

/// The descriptor.
pub(crate) fn library() -> &'static Library {
    static LIBRARY: OnceLock<&'static Library> = OnceLock::new();
    const FLAGS: u64 = abi::THREAD_SAFE | abi::BASELINE;
    LIBRARY.get_or_init(|| {
        describe::library(
            "baseline",
            env!("CARGO_PKG_VERSION"),
            RUST_BUILD,
            vec![
                cipher::<Memcpy>(c"memcpy", Lengths(0, 0, 0), FLAGS),
                cipher::<Xor>(c"xor", Lengths(32, 0, 0), FLAGS | abi::IN_PLACE),
                Algorithm {
                    kernel: describe::text(&format!("{} ns per byte", delay_ns_per_byte())).as_ptr(),
                    ..aead::<Delay>(c"delay", Lengths(0, 12, 16), FLAGS | abi::IN_PLACE)
                },
            ],
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    #[test]
    fn waiting_takes_the_set_time_and_evenly_so_over_a_run() {
        let mut delay = Delay { late: 0, ended: 0 };
        let mut block = [7; 40_000];
        let wanted = Duration::from_nanos((block.len() as f64 * delay_ns_per_byte()) as u64);
        let start = Instant::now();
        let mut shortest = Duration::MAX;
        for _ in 0..50 {
            let start = Instant::now();
            delay.copy(InOutBuf::from(&mut block[..]));
            shortest = shortest.min(start.elapsed());
        }
        let ratio = start.elapsed().as_secs_f64() / (50.0 * wanted.as_secs_f64());
        // Others may hold the machine up, but a wait is never shorter than what the last was late.
        assert!((0.98..1.25).contains(&ratio), "50 waits took {ratio:.3} of the time set");
        assert!(shortest + Duration::from_nanos(MOST_LATE as u64) >= wanted, "{shortest:?} instead of {wanted:?}");
    }

    #[test]
    fn waiting_leaves_the_core_to_others() {
        let cpu = || {
            let mut time = MaybeUninit::<libc::timespec>::zeroed();
            // SAFETY: `time` is a place for the result, and zero is a valid one should the call fail.
            let time = unsafe {
                libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr());
                time.assume_init()
            };
            time.tv_sec * 1_000_000_000 + time.tv_nsec
        };
        let (mut delay, mut block) = (Delay { late: 0, ended: 0 }, [7; 40_000]);
        let before = cpu();
        (0..50).for_each(|_| delay.copy(InOutBuf::from(&mut block[..])));
        assert!(cpu() - before < 10_000_000, "50 waits of 1 ms used {} ns of CPU", cpu() - before);
    }
}
