use super::*;
use crate::trace::{Span, Trace};
use std::collections::HashSet;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A loop as OpenMP's or Numba's: its own threads, and single blocks in turn.
unsafe extern "C" fn by_turns(threads: usize, blocks: usize, block: Block, state: *const c_void) -> i32 {
    let state = state as usize;
    thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for i in (thread..blocks).step_by(threads) {
                    // SAFETY: the state that was given, and a block of the message.
                    unsafe { block(state as *const c_void, i) };
                }
            });
        }
    });
    0
}

unsafe extern "C" fn all_but_the_last(_: usize, blocks: usize, block: Block, state: *const c_void) -> i32 {
    // SAFETY: as above.
    (0..blocks - 1).map(|i| unsafe { block(state, i) }).sum()
}

unsafe extern "C" fn one_thread_too_many(threads: usize, blocks: usize, block: Block, state: *const c_void) -> i32 {
    // SAFETY: as above.
    unsafe { by_turns(threads + 1, blocks, block, state) }
}

unsafe extern "C" fn not_at_all(_: usize, _: usize, _: Block, _: *const c_void) -> i32 {
    7
}

fn foreign(name: &str, call: Loop) -> Schedule {
    // SAFETY: the loops above do what a loop does, or what is refused.
    name.parse().unwrap_or_else(|_| unsafe { Schedule::foreign(name, 64, call) }.unwrap())
}

fn all() -> Vec<Schedule> {
    let own = Schedule::ALL.iter().chain(Schedule::EXPERIMENTS).map(|(_, schedule)| *schedule);
    own.chain([foreign("turns-a", by_turns)]).collect()
}

#[test]
fn every_block_is_done_once_by_a_worker_that_is_alone() {
    for schedule in all() {
        for threads in [1, 2, 3, 5, 8, 64] {
            for (blocks, block_size) in [(1, 1), (2, 1 << 21), (3, 7), (7, 1), (64, 4096), (1000, 16 << 10)] {
                let done: Vec<_> = (0..blocks).map(|_| AtomicUsize::new(0)).collect();
                let busy: Vec<_> = (0..threads).map(|_| AtomicUsize::new(0)).collect();
                let work = |worker: usize, block: usize| {
                    assert_eq!(busy[worker].fetch_add(1, Ordering::SeqCst), 0, "{schedule:?}: worker shared");
                    done[block].fetch_add(1, Ordering::SeqCst);
                    busy[worker].fetch_sub(1, Ordering::SeqCst);
                    Ok(())
                };
                let run = Run::new(threads, blocks, block_size, &work);
                schedule.run(&run);
                run.outcome().unwrap();
                assert!(done.iter().all(|n| n.load(Ordering::SeqCst) == 1), "{schedule:?} {threads} {blocks}");
            }
        }
    }
}

#[test]
fn a_failure_or_a_panic_of_one_block_stops_the_others_early() {
    for schedule in all() {
        for threads in [2, 5] {
            for panics in [false, true] {
                let done = AtomicUsize::new(0);
                let work = |_: usize, block: usize| {
                    if block == 3 {
                        assert!(!panics, "as wanted");
                        return Err(Error::Library { status: 9 });
                    }
                    done.fetch_add(1, Ordering::SeqCst);
                    thread::sleep(Duration::from_micros(200));
                    Ok(())
                };
                let run = Run::new(threads, 4000, 1 << 20, &work);
                schedule.run(&run);
                match run.outcome() {
                    Err(Error::Library { status: 9 }) if !panics => {}
                    Err(Error::Panic(said)) if panics && said.contains("as wanted") => {}
                    other => panic!("{schedule:?}: {other:?}"),
                }
                // The others were at most through what came before block 3.
                assert!(done.load(Ordering::SeqCst) < 2000, "{schedule:?}: {done:?} blocks were done all the same");
            }
        }
    }
}

#[test]
fn a_set_word_ends_the_run() {
    for schedule in all() {
        let cancel = AtomicBool::new(false);
        let work = |_: usize, _: usize| {
            thread::sleep(Duration::from_millis(1));
            Ok(())
        };
        let start = Instant::now();
        let outcome = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(20));
                cancel.store(true, Ordering::Relaxed);
            });
            let run = Run::new(3, 20_000, 1, &work).cancelled_by(Some(&cancel));
            schedule.run(&run);
            run.outcome()
        });
        assert_eq!(outcome, Err(Error::Interrupted), "{schedule:?}");
        assert!(start.elapsed() < Duration::from_secs(2), "{schedule:?} took {:?}", start.elapsed());
    }
}

#[test]
fn a_trace_has_every_block_and_its_worker() {
    for schedule in all() {
        let trace = Trace::new(500).unwrap();
        let work = |_: usize, _: usize| {
            thread::sleep(Duration::from_micros(50));
            Ok(())
        };
        let run = Run::new(4, 500, 64, &work).traced_to(Some(&trace));
        schedule.run(&run);
        run.outcome().unwrap();
        let spans = trace.into_spans();
        assert!(spans.iter().map(|span| span.block).eq(0..500), "{schedule:?}");
        assert!(spans.iter().all(|span| span.thread < 4 && span.end_ns >= span.start_ns + 50_000), "{schedule:?}");
        for worker in 0..4 {
            let mut mine: Vec<_> = spans.iter().filter(|span| span.thread == worker).collect();
            mine.sort_by_key(|span| span.start_ns);
            assert!(
                mine.windows(2).all(|two| two[0].end_ns <= two[1].start_ns),
                "{schedule:?}: a worker twice at once"
            );
        }
        assert!(spans.iter().map(|span| span.thread).collect::<HashSet<_>>().len() > 1, "{schedule:?}: one worker");
    }
}

fn traced(schedule: Schedule, threads: usize, blocks: usize) -> Vec<Span> {
    let trace = Trace::new(blocks).unwrap();
    let work = |_: usize, _: usize| Ok(());
    let run = Run::new(threads, blocks, 1, &work).traced_to(Some(&trace));
    schedule.run(&run);
    run.outcome().unwrap();
    trace.into_spans()
}

/// Leaves: what was handed out together.
fn leaves(schedule: Schedule, threads: usize, blocks: usize) -> usize {
    traced(schedule, threads, blocks).iter().map(|span| span.leaf).collect::<HashSet<_>>().len()
}

#[test]
fn a_leaf_is_a_range_that_one_worker_did_in_order() {
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
fn nobody_steals_from_one_worker() {
    for blocks in [2, 3, 64, 1000] {
        assert_eq!(leaves(Schedule::RAYON, 1, blocks), 2);
        assert_eq!(leaves(Schedule::RAYON_EXTERNAL, 1, blocks), 8.min(blocks));
        assert_eq!(leaves(Schedule::STATIC, 1, blocks), 1);
    }
}

/// Thieves that come when the first worker has done a leaf and half of the next leave it both.
#[test]
fn thieves_that_are_held_leave_the_first_leaves_alone() {
    let trace = Trace::new(80).unwrap();
    let work = |_: usize, _: usize| {
        thread::sleep(Duration::from_micros(500));
        Ok(())
    };
    let run = Run::new(5, 80, 1, &work).traced_to(Some(&trace));
    "rayon-too-late".parse::<Schedule>().unwrap().run(&run);
    run.outcome().unwrap();
    let spans = trace.into_spans();
    let first = &spans[..20];
    assert!(first.iter().map(|span| span.leaf).eq([0; 10].into_iter().chain([10; 10])), "two leaves of an eighth");
    assert!(first.iter().all(|span| span.thread == first[0].thread));
    let begun = spans.iter().filter(|span| span.thread != first[0].thread).map(|span| span.start_ns).min().unwrap();
    assert!(begun >= first[14].start_ns, "the others began before 15 blocks were");
}

#[test]
fn static_gives_each_worker_one_range() {
    for (threads, blocks) in [(2, 10), (5, 1000), (7, 8), (64, 65)] {
        assert_eq!(leaves(Schedule::STATIC, threads, blocks), threads.min(blocks));
        assert_eq!(leaves(Schedule::STD_THREADS, threads, blocks), threads.min(blocks));
    }
}

#[test]
fn runs_and_leaves_are_long_but_leave_some_for_everybody() {
    let lengths = |threads, blocks, block_size| {
        let run = Run::new(threads, blocks, block_size, &|_, _| Ok(()));
        (longest_run(&run), longest_leaf(&run))
    };
    assert_eq!(lengths(2, 65536, 16 << 10), (64, 64), "1 MiB");
    assert_eq!(lengths(2, 4096, 256 << 10), (4, 4), "1 MiB");
    assert_eq!(lengths(2, 64, 64 << 10), (16, 8), "4 MiB in two threads: four leaves each");
    assert_eq!(lengths(2, 1024, 1 << 20), (4, 4), "a cache line of tags");
    assert_eq!(lengths(64, 100, 1).1, 1);
    assert_eq!(lengths(1, 3, 1 << 30).1, 1);
}

/// Workers that are equally fast end within a block of each other, even where the blocks do not come out even.
#[test]
fn no_worker_is_left_with_much_more_than_its_share() {
    for schedule in [Schedule::DYNAMIC, Schedule::GUIDED] {
        for (threads, blocks) in [(3, 100), (5, 333), (7, 64), (4, 101)] {
            let work = |_: usize, _: usize| {
                thread::sleep(Duration::from_millis(1));
                Ok(())
            };
            // The machine may hold a worker up in one run, hardly in all of them.
            let most = (0..5).map(|_| {
                let trace = Trace::new(blocks).unwrap();
                let run = Run::new(threads, blocks, 1 << 10, &work).traced_to(Some(&trace));
                schedule.run(&run);
                run.outcome().unwrap();
                let spans = trace.into_spans();
                (0..threads as u64).map(|w| spans.iter().filter(|span| span.thread == w).count()).max().unwrap()
            });
            let (least, fair) = (most.min().unwrap(), blocks.div_ceil(threads));
            assert!(least <= fair + 1 + fair / 20, "{schedule:?}: {least} blocks of {blocks} for one of {threads}");
        }
    }
}

#[test]
fn names_round_trip() {
    for (name, schedule) in Schedule::ALL.iter().chain(Schedule::EXPERIMENTS) {
        assert_eq!(name.parse::<Schedule>().unwrap(), *schedule);
        assert_eq!(schedule.name(), *name);
    }
    assert!("raion".parse::<Schedule>().is_err());
    assert_eq!(Schedule::default().name(), "dynamic");
}

#[test]
fn a_foreign_loop_is_held_to_what_it_promised() {
    for (name, call, said) in [
        ("short-a", all_but_the_last as Loop, "returned 0 after 9 of 10 blocks"),
        ("many-a", one_thread_too_many, "in a thread beyond its 3"),
        ("none-a", not_at_all, "returned 7 after 0 of 10 blocks"),
    ] {
        let work = |_: usize, _: usize| {
            thread::sleep(Duration::from_millis(1));
            Ok(())
        };
        let run = Run::new(3, 10, 1, &work);
        foreign(name, call).run(&run);
        let outcome = run.outcome();
        assert!(matches!(&outcome, Err(Error::Argument(why)) if why.contains(said)), "{outcome:?}");
    }
    let run = Run::new(65, 100, 1, &|_, _| Ok(()));
    foreign("turns-a", by_turns).run(&run);
    assert!(
        matches!(run.outcome(), Err(Error::Argument(why)) if why.contains("65 threads given, but schedule turns-a"))
    );
    // SAFETY: refused.
    assert!(unsafe { Schedule::foreign("dynamic", 1, by_turns) }.is_err());
}
