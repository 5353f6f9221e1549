//! One sample: clocks and resource counters around a piece of work.

use std::mem::MaybeUninit;
use std::ops::AddAssign;

/// Measurements of one execution, or of a batch of executions. Times are in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// Elapsed time of CLOCK_MONOTONIC.
    pub wall_ns: i64,
    /// User and system time of the whole process, from getrusage, with a resolution of a microsecond.
    pub cpu_ns: i64,
    /// Ticks of the time-stamp counter, which has a constant rate and does not count core cycles; 0 where there is none.
    pub tsc_ticks: u64,
    /// Page faults without disk access.
    pub minor_faults: i64,
    /// Page faults with disk access.
    pub major_faults: i64,
    /// Voluntary context switches: the process waited.
    pub voluntary_switches: i64,
    /// Involuntary context switches: the process was pre-empted.
    pub involuntary_switches: i64,
}

impl AddAssign for Sample {
    fn add_assign(&mut self, other: Self) {
        self.wall_ns += other.wall_ns;
        self.cpu_ns += other.cpu_ns;
        self.tsc_ticks += other.tsc_ticks;
        self.minor_faults += other.minor_faults;
        self.major_faults += other.major_faults;
        self.voluntary_switches += other.voluntary_switches;
        self.involuntary_switches += other.involuntary_switches;
    }
}

/// Returns the time-stamp counter, read after all earlier loads; 0 where there is none.
#[inline]
pub fn tsc() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        // SAFETY: every x86-64 has both instructions.
        unsafe {
            core::arch::x86_64::_mm_lfence();
            core::arch::x86_64::_rdtsc()
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        let ticks: u64;
        // SAFETY: the virtual counter may be read from user space.
        unsafe { core::arch::asm!("isb", "mrs {}, cntvct_el0", out(reg) ticks, options(nomem, nostack)) };
        ticks
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    0
}

fn monotonic_ns() -> i64 {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` can hold the result, and its initial zeros are valid if the call fails.
    let time = unsafe {
        libc::clock_gettime(libc::CLOCK_MONOTONIC, time.as_mut_ptr());
        time.assume_init()
    };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn usage() -> libc::rusage {
    let mut usage = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` can hold the result, and its initial zeros are valid if the call fails.
    unsafe {
        libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr());
        usage.assume_init()
    }
}

fn cpu_ns(usage: &libc::rusage) -> i64 {
    // `tv_usec` is 32 bits wide on some systems.
    #[allow(clippy::useless_conversion)]
    let ns = |time: libc::timeval| time.tv_sec * 1_000_000_000 + i64::from(time.tv_usec) * 1_000;
    ns(usage.ru_utime) + ns(usage.ru_stime)
}

/// Times `work`. The resource counters are read outside the interval that the clocks cover.
#[inline]
pub fn sample<T>(work: impl FnOnce() -> T) -> (Sample, T) {
    let before = usage();
    let start = monotonic_ns();
    let start_tsc = tsc();
    let result = work();
    let end_tsc = tsc();
    let end = monotonic_ns();
    let after = usage();
    let sample = Sample {
        wall_ns: end - start,
        cpu_ns: cpu_ns(&after) - cpu_ns(&before),
        tsc_ticks: end_tsc.saturating_sub(start_tsc),
        minor_faults: after.ru_minflt - before.ru_minflt,
        major_faults: after.ru_majflt - before.ru_majflt,
        voluntary_switches: after.ru_nvcsw - before.ru_nvcsw,
        involuntary_switches: after.ru_nivcsw - before.ru_nivcsw,
    };
    (sample, result)
}

/// Has the kernel count the CPU time of this thread up to now for the process. Otherwise it does so when the thread
/// leaves its core, which may be after another one has waited for its result and read the counters.
#[inline]
pub fn count_cpu_time() {
    let mut time = MaybeUninit::<libc::timespec>::zeroed();
    // SAFETY: `time` can hold the result, which is not used.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, time.as_mut_ptr()) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn sleep_takes_wall_time_but_no_cpu_time() {
        // The counters are those of the process, in which other tests may run for the first seconds.
        let quiet = (0..200).any(|_| {
            let (sample, ()) = sample(|| std::thread::sleep(Duration::from_millis(30)));
            assert!(sample.wall_ns >= 30_000_000, "{sample:?}");
            assert!(sample.voluntary_switches >= 1, "{sample:?}");
            sample.cpu_ns < 20_000_000
        });
        assert!(quiet, "CPU time passes in every sleep");
    }

    #[test]
    fn counts_page_faults_of_new_memory() {
        let (sample, _) = sample(|| std::hint::black_box(vec![1u8; 8 << 20]));
        assert!(sample.minor_faults >= 1, "{sample:?}");
    }
}
