use super::*;
use crate::trace::{Span, Trace};
use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A loop as of OpenMP or Numba, with its own threads, which assigns single blocks in turn.
unsafe extern "C" fn round_robin(threads: usize, blocks: usize, block: BlockCallback, state: *const c_void) -> i32 {
    let state = state as usize;
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for i in (thread..blocks).step_by(threads) {
                    // SAFETY: the state that the loop received, and a block of the message.
                    unsafe { block(state as *const c_void, i) };
                }
            });
        }
    });
    0
}

unsafe extern "C" fn skips_last_block(_: usize, blocks: usize, block: BlockCallback, state: *const c_void) -> i32 {
    // SAFETY: as above.
    (0..blocks - 1).map(|i| unsafe { block(state, i) }).sum()
}

unsafe extern "C" fn one_extra_thread(
    threads: usize,
    blocks: usize,
    block: BlockCallback,
    state: *const c_void,
) -> i32 {
    // SAFETY: as above.
    unsafe { round_robin(threads + 1, blocks, block, state) }
}

unsafe extern "C" fn returns_7(_: usize, _: usize, _: BlockCallback, _: *const c_void) -> i32 {
    7
}

fn registered(name: &str, call: ForeignLoop) -> Schedule {
    // SAFETY: the loops above follow the contract, or violate it in a way that is detected.
    name.parse().unwrap_or_else(|_| unsafe { Schedule::register_foreign(name, 64, call, false) }.unwrap())
}

fn all() -> Vec<Schedule> {
    let own = Schedule::ALL.iter().chain(Schedule::EXPERIMENTS).map(|(_, schedule)| *schedule);
    own.chain([registered("roundrobin-a", round_robin)]).collect()
}

#[test]
fn processes_each_block_once_without_sharing_a_worker() {
    for schedule in all() {
        for threads in [1, 2, 3, 5, 8, 64] {
            for (blocks, block_size) in [(1, 1), (2, 1 << 21), (3, 7), (7, 1), (64, 4096), (1000, 16 << 10)] {
                let calls: Vec<_> = (0..blocks).map(|_| AtomicUsize::new(0)).collect();
                let busy: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
                let process = |worker: usize, block: usize| {
                    assert_eq!(
                        busy[worker].fetch_add(1, Ordering::SeqCst),
                        0,
                        "{schedule:?}: a worker ran twice at once"
                    );
                    calls[block].fetch_add(1, Ordering::SeqCst);
                    busy[worker].fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                };
                let run = Run::new(threads, blocks, block_size, &process);
                schedule.run(&run);
                run.into_result().unwrap();
                assert!(calls.iter().all(|n| n.load(Ordering::SeqCst) == 1), "{schedule:?} {threads} {blocks}");
            }
        }
    }
}

#[test]
fn an_error_or_panic_in_one_block_stops_the_run() {
    for schedule in all() {
        for threads in [2, 5] {
            for panics in [false, true] {
                let processed = AtomicUsize::new(0);
                let process = |_: usize, block: usize| {
                    if block == 3 {
                        assert!(!panics, "deliberate");
                        return Err(Error::Library { status: 9 });
                    }
                    processed.fetch_add(1, Ordering::SeqCst);
                    thread::sleep(Duration::from_micros(200));
                    Ok(())
                };
                let run = Run::new(threads, 4000, 1 << 20, &process);
                schedule.run(&run);
                match run.into_result() {
                    Err(Error::Library { status: 9 }) if !panics => {}
                    Err(Error::Panic(message)) if panics && message.contains("deliberate") => {}
                    other => panic!("{schedule:?}: {other:?}"),
                }
                // Without the stop each worker would process its complete share.
                let processed = processed.into_inner();
                assert!(processed < 2000, "{schedule:?}: {processed} blocks were processed after the failure");
            }
        }
    }
}

#[test]
fn a_cancel_flag_stops_the_run() {
    for schedule in all() {
        let cancel = AtomicBool::new(false);
        let process = |_: usize, _: usize| {
            thread::sleep(Duration::from_millis(1));
            Ok(())
        };
        let start = Instant::now();
        let result = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                cancel.store(true, Ordering::Relaxed);
            });
            let run = Run::new(3, 20_000, 1, &process).with_cancel_flag(Some(&cancel));
            schedule.run(&run);
            run.into_result()
        });
        assert_eq!(result, Err(Error::Interrupted), "{schedule:?}");
        assert!(start.elapsed() < Duration::from_secs(2), "{schedule:?} took {:?}", start.elapsed());
    }
}

#[test]
fn a_trace_has_a_span_for_each_block() {
    for schedule in all() {
        let trace = Trace::new(500).unwrap();
        let process = |_: usize, _: usize| {
            thread::sleep(Duration::from_micros(50));
            Ok(())
        };
        let run = Run::new(4, 500, 64, &process).with_trace(Some(&trace));
        schedule.run(&run);
        run.into_result().unwrap();
        let spans = trace.into_spans();
        assert!(spans.iter().map(|span| span.block).eq(0..500), "{schedule:?}");
        assert!(spans.iter().all(|span| span.thread < 4 && span.end_ns >= span.start_ns + 50_000), "{schedule:?}");
        for worker in 0..4 {
            let mut mine: Vec<_> = spans.iter().filter(|span| span.thread == worker).collect();
            mine.sort_by_key(|span| span.start_ns);
            assert!(
                mine.windows(2).all(|two| two[0].end_ns <= two[1].start_ns),
                "{schedule:?}: a worker ran twice at once"
            );
        }
        assert!(spans.iter().map(|span| span.thread).collect::<HashSet<_>>().len() > 1, "{schedule:?}: one worker");
    }
}

fn traced(schedule: Schedule, threads: usize, blocks: usize) -> Vec<Span> {
    let trace = Trace::new(blocks).unwrap();
    let process = |_: usize, _: usize| Ok(());
    let run = Run::new(threads, blocks, 1, &process).with_trace(Some(&trace));
    schedule.run(&run);
    run.into_result().unwrap();
    trace.into_spans()
}

/// Number of leaves or chunks.
fn leaves(schedule: Schedule, threads: usize, blocks: usize) -> usize {
    traced(schedule, threads, blocks).iter().map(|span| span.leaf).collect::<HashSet<_>>().len()
}

#[test]
fn one_worker_processes_a_leaf_in_order() {
    for schedule in all() {
        let spans = traced(schedule, 5, 1000);
        for two in spans.windows(2) {
            if two[0].leaf == two[1].leaf {
                assert_eq!(two[0].thread, two[1].thread, "{schedule:?}");
                assert!(two[0].end_ns <= two[1].start_ns, "{schedule:?}");
            } else {
                assert_eq!(two[1].leaf, two[1].block, "{schedule:?}");
            }
        }
    }
}

#[test]
fn a_single_worker_keeps_the_initial_leaves() {
    for blocks in [2, 3, 64, 1000] {
        assert_eq!(leaves(Schedule::RAYON, 1, blocks), 2);
        assert_eq!(leaves(Schedule::RAYON_EXTERNAL, 1, blocks), 8.min(blocks));
        assert_eq!(leaves(Schedule::STATIC, 1, blocks), 1);
    }
}

/// Workers that start when the first worker has processed one leaf and half of the next do not steal from either leaf.
#[test]
fn late_workers_do_not_steal_from_the_first_two_leaves() {
    let trace = Trace::new(80).unwrap();
    let process = |_: usize, _: usize| {
        thread::sleep(Duration::from_micros(500));
        Ok(())
    };
    let run = Run::new(5, 80, 1, &process).with_trace(Some(&trace));
    "rayon-too-late".parse::<Schedule>().unwrap().run(&run);
    run.into_result().unwrap();
    let spans = trace.into_spans();
    let first = &spans[..20];
    assert!(first.iter().map(|span| span.leaf).eq([0; 10].into_iter().chain([10; 10])), "two leaves of an eighth each");
    assert!(first.iter().all(|span| span.thread == first[0].thread));
    let thieves_start =
        spans.iter().filter(|span| span.thread != first[0].thread).map(|span| span.start_ns).min().unwrap();
    assert!(thieves_start >= first[14].start_ns, "the other workers started before block 14");
}

#[test]
fn static_assigns_one_chunk_per_worker() {
    for (threads, blocks) in [(2, 10), (5, 1000), (7, 8), (64, 65)] {
        assert_eq!(leaves(Schedule::STATIC, threads, blocks), threads.min(blocks));
        assert_eq!(leaves(Schedule::STD_THREADS, threads, blocks), threads.min(blocks));
    }
}

#[test]
fn chunk_and_leaf_lengths_depend_on_message_and_threads() {
    let lengths = |threads, blocks, block_size| {
        let run = Run::new(threads, blocks, block_size, &|_, _| Ok(()));
        (self_scheduling::max_chunk(&run), rayon::max_leaf(&run))
    };
    assert_eq!(lengths(2, 65536, 16 << 10), (64, 64), "1 MiB");
    assert_eq!(lengths(2, 4096, 256 << 10), (4, 4), "1 MiB");
    assert_eq!(lengths(2, 64, 64 << 10), (16, 8), "4 MiB in two threads: four leaves per thread");
    assert_eq!(lengths(2, 1024, 1 << 20), (4, 4), "one cache line of tags");
    assert_eq!(lengths(64, 100, 1).1, 1);
    assert_eq!(lengths(1, 3, 1 << 30).1, 1);
}

/// Equally fast workers finish within one block of each other, also if the thread count does not divide the blocks.
#[test]
fn self_scheduling_balances_equally_fast_workers() {
    for schedule in [Schedule::DYNAMIC, Schedule::GUIDED] {
        for (threads, blocks) in [(3, 100), (5, 333), (7, 64), (4, 101)] {
            let process = |_: usize, _: usize| {
                thread::sleep(Duration::from_millis(1));
                Ok(())
            };
            // The minimum over several runs removes delays by other processes.
            let largest_shares = (0..5).map(|_| {
                let trace = Trace::new(blocks).unwrap();
                let run = Run::new(threads, blocks, 1 << 10, &process).with_trace(Some(&trace));
                schedule.run(&run);
                run.into_result().unwrap();
                let spans = trace.into_spans();
                (0..threads as u64).map(|w| spans.iter().filter(|span| span.thread == w).count()).max().unwrap()
            });
            let (largest, equal) = (largest_shares.min().unwrap(), blocks.div_ceil(threads));
            assert!(
                largest <= equal + 1 + equal / 20,
                "{schedule:?}: {largest} of {blocks} blocks for one of {threads}"
            );
        }
    }
}

#[test]
fn schedule_names_round_trip() {
    for (name, schedule) in Schedule::ALL.iter().chain(Schedule::EXPERIMENTS) {
        assert_eq!(name.parse::<Schedule>().unwrap(), *schedule);
        assert_eq!(schedule.name(), *name);
    }
    assert!("raion".parse::<Schedule>().is_err());
    assert_eq!(Schedule::default().name(), "dynamic");
}

#[test]
fn detects_foreign_loops_that_break_the_contract() {
    for (name, call, expected) in [
        ("short-a", skips_last_block as ForeignLoop, "returned 0 after 9 of 10 blocks"),
        ("many-a", one_extra_thread, "in thread 4 of 3"),
        ("none-a", returns_7, "returned 7 after 0 of 10 blocks"),
    ] {
        let process = |_: usize, _: usize| {
            thread::sleep(Duration::from_millis(1));
            Ok(())
        };
        let run = Run::new(3, 10, 1, &process);
        registered(name, call).run(&run);
        let result = run.into_result();
        assert!(matches!(&result, Err(Error::Argument(reason)) if reason.contains(expected)), "{result:?}");
    }
    let run = Run::new(65, 100, 1, &|_, _| Ok(()));
    registered("roundrobin-a", round_robin).run(&run);
    let result = run.into_result();
    let expected = "65 threads given, but schedule roundrobin-a";
    assert!(matches!(&result, Err(Error::Argument(reason)) if reason.contains(expected)), "{result:?}");
    // SAFETY: the name is taken, so the loop is not registered.
    assert!(unsafe { Schedule::register_foreign("dynamic", 1, round_robin, false) }.is_err());
}
