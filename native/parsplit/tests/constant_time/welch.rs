//! The test of Reparaz, Balasch and Verbauwhede, "Dude, is my code constant time?", DATE 2017: times of two classes of
//! input, in random order, are compared by Welch's t, for all times and below several percentiles.

use std::hint::black_box;

/// |t| beyond which the authors call code "definitely not constant time".
pub const LEAK: f64 = 10.0;

/// Percentiles of all times below which the classes are compared: interruptions make the longest ones.
const CROPS: [f64; 8] = [0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0];

/// Measurements before the first that counts.
const WARM_UP: usize = 1000;

/// Number of inputs that are made at a time.
const BATCH: usize = 100;

/// A generator of Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}

/// Return the largest |t| of `count` calls of `work`, each with the input that `prepare` made for its class.
pub fn largest_t<I>(
    count: usize,
    seed: u64,
    mut prepare: impl FnMut(bool, &mut Random) -> I,
    mut work: impl FnMut(&I),
) -> f64 {
    let mut random = Random(seed);
    let mut times = Vec::with_capacity(count + WARM_UP);
    while times.len() < count + WARM_UP {
        // Made before the measurements, so that what the processor remembers of it does not depend on the class.
        let inputs: Vec<(I, bool)> = (0..BATCH)
            .map(|_| {
                let class = random.next() & 1 == 1;
                (prepare(class, &mut random), class)
            })
            .collect();
        for (input, class) in black_box(&inputs) {
            let start = ticks();
            work(input);
            times.push(((ticks() - start) as f64, *class));
        }
    }
    let times = &times[WARM_UP..WARM_UP + count];
    let mut sorted: Vec<f64> = times.iter().map(|(time, _)| *time).collect();
    sorted.sort_by(f64::total_cmp);
    let limits = CROPS.map(|share| sorted[(share * (count - 1) as f64) as usize]);
    limits.into_iter().map(|limit| welch(times.iter().filter(|(time, _)| *time <= limit)).abs()).fold(0.0, f64::max)
}

/// Return Welch's t of the two classes; 0 if a class has fewer than two times or none varies.
fn welch<'a>(times: impl Iterator<Item = &'a (f64, bool)>) -> f64 {
    // Welford's sums: count, mean and squared distances.
    let mut classes = [(0.0, 0.0, 0.0); 2];
    for (time, class) in times {
        let (n, mean, squares) = &mut classes[usize::from(*class)];
        *n += 1.0;
        let distance = time - *mean;
        *mean += distance / *n;
        *squares += distance * (time - *mean);
    }
    let error: f64 = classes.iter().map(|(n, _, squares)| squares / (n - 1.0) / n).sum::<f64>().sqrt();
    if error > 0.0 { (classes[0].1 - classes[1].1) / error } else { 0.0 }
}

/// Return the time stamp counter, after all preceding and before all following instructions.
#[cfg(target_arch = "x86_64")]
fn ticks() -> u64 {
    use std::arch::x86_64::{_mm_lfence, _rdtsc};
    // SAFETY: every x86-64 processor has these instructions.
    unsafe {
        _mm_lfence();
        let ticks = _rdtsc();
        _mm_lfence();
        ticks
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn ticks() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

#[test]
fn the_statistic_is_that_of_known_values() {
    // Means 2 and 5, variances 1 and 4, three values each: -3 / sqrt(1/3 + 4/3).
    let times = [(1.0, false), (2.0, false), (3.0, false), (3.0, true), (5.0, true), (7.0, true)];
    assert!((welch(times.iter()) + 3.0 / (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    assert_eq!(welch([(1.0, false), (1.0, true), (1.0, false), (1.0, true)].iter()), 0.0);
}
