//! Prints the run time of a parallel iterator over equal tasks in Rayon's pool, relative to perfect balance:
//!
//!     cargo run --release --package parsplit --example rayon_modes
//!
//! The tasks sleep, so the number of cores does not matter. With 3, 5, 6, 9 or 10 threads some runs take as long as two
//! leaves on one thread and others are balanced; with 2, 4 or 8 threads, or with short leaves, all runs are balanced.

use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::time::{Duration, Instant};

const TASK: Duration = Duration::from_micros(500);
const TASKS_PER_THREAD: usize = 64;
const RUNS: usize = 100;

fn main() -> Result<(), ThreadPoolBuildError> {
    let start = Instant::now();
    (0..1000).for_each(|_| std::thread::sleep(TASK));
    // A sleep takes longer than requested, so the duration of a task is measured.
    let task = start.elapsed().as_secs_f64() / 1000.0;
    println!("threads  expected   par_iter: fast   slow  slow runs    with_max_len(4): slowest run");
    for threads in 2..=10 {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        let tasks = TASKS_PER_THREAD * threads;
        let balanced = task * TASKS_PER_THREAD as f64;
        // Without stealing a range becomes 2^(floor(log2 threads) + 1) leaves: the time of two leaves, relative to balance.
        let expected = 2.0 * threads as f64 / (2 << threads.ilog2()) as f64;
        let ratios = runs(&pool, balanced, || (0..tasks).into_par_iter().for_each(|_| std::thread::sleep(TASK)));
        let short =
            runs(&pool, balanced, || (0..tasks).into_par_iter().with_max_len(4).for_each(|_| std::thread::sleep(TASK)));
        let fast = ratios.partition_point(|ratio| *ratio < 1.0 + 0.7 * (expected - 1.0) || expected == 1.0);
        println!(
            "{threads:7} {expected:9.3} {:15.3} {:>6} {:9}% {:31.3}",
            ratios.get(fast / 2).copied().unwrap_or(f64::NAN),
            ratios.get((fast + ratios.len()) / 2).map_or("-".into(), |slow| format!("{slow:.3}")),
            100 * (ratios.len() - fast) / ratios.len(),
            short.last().copied().unwrap_or(f64::NAN),
        );
    }
    Ok(())
}

/// Return the run times relative to perfect balance, in ascending order.
fn runs(pool: &ThreadPool, balanced: f64, run: impl Fn() + Send + Sync) -> Vec<f64> {
    let mut ratios: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            pool.install(&run);
            start.elapsed().as_secs_f64() / balanced
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}
