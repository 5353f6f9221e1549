//! Batch length: the number of executions that one sample times together.

/// Upper bound of a batch: keeps a mistaken calibration from running for hours.
const MAX_BATCH: u64 = 1 << 24;

/// Returns the number of executions that take at least `target_ns` nanoseconds together.
///
/// `wall_ns` executes a batch of the given length and returns its wall time in nanoseconds. Its first call is a
/// warm-up, which pays for cold caches and lazy set-up.
///
/// # Errors
/// The first error of `wall_ns`.
pub fn calibrate<E>(target_ns: i64, mut wall_ns: impl FnMut(u64) -> Result<i64, E>) -> Result<u64, E> {
    // The first execution is slower than later ones, but not ten times: a long message needs no second one.
    if wall_ns(1)? >= target_ns.saturating_mul(10) {
        return Ok(1);
    }
    let mut batch = 1;
    loop {
        let wall = wall_ns(batch)?.max(1);
        if wall >= target_ns || batch >= MAX_BATCH {
            return Ok(batch);
        }
        // 10 % above the estimate, so that jitter rarely costs another iteration.
        let estimate = (batch as f64 * target_ns as f64 / wall as f64 * 1.1).ceil() as u64;
        batch = estimate.clamp(batch + 1, batch * 100).min(MAX_BATCH);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    #[test]
    fn a_long_execution_is_not_repeated() {
        let mut executions = 0;
        let batch = calibrate::<Infallible>(50_000, |batch| {
            executions += 1;
            Ok(batch as i64 * 500_000)
        });
        assert_eq!((batch.unwrap(), executions), (1, 1));
    }

    #[test]
    fn the_calibrated_batch_reaches_the_target() {
        for ns_per_execution in [1, 7, 999, 1_000_000] {
            let batch = calibrate::<Infallible>(50_000, |batch| Ok(batch as i64 * ns_per_execution)).unwrap();
            let wall = batch as i64 * ns_per_execution;
            assert!(wall >= 50_000, "{wall}");
            assert!(wall < 60_000 || batch == 1, "{wall}");
        }
    }

    #[test]
    fn calibration_ends_at_the_largest_batch() {
        assert_eq!(calibrate::<Infallible>(i64::MAX, |_| Ok(0)), Ok(MAX_BATCH));
    }

    #[test]
    fn calibration_returns_the_first_error() {
        assert_eq!(calibrate(1, |_| Err("failed")), Err("failed"));
    }
}
