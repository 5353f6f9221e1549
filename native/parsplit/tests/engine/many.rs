//! An algorithm that processes several blocks at once gives the bytes of one that does not, with every schedule.

use crate::double::GCM;
use aeadlab_abi::{self as abi, Algorithm, Blocks, FIRST_ALGORITHM_BYTES};
use parsplit::{Error, Keyed, OpeningReader, ParSplit, Schedule, SealingWriter, entry_of};
use std::ffi::c_void;
use std::io::{Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const KEY: [u8; 32] = [7; 32];
const NONCE: [u8; 7] = [1, 2, 3, 4, 5, 6, 7];

/// Number of calls, and of their blocks.
static CALLS: AtomicUsize = AtomicUsize::new(0);
static BLOCKS: AtomicUsize = AtomicUsize::new(0);
/// The counters are shared by the process, so the tests run one at a time.
static ONE_TEST: Mutex<()> = Mutex::new(());

static MANY: Algorithm =
    Algorithm { flags: GCM.flags | abi::MANY, seal_many: Some(seal_many), open_many: Some(open_many), ..GCM };

unsafe extern "C" fn seal_many(context: *mut c_void, blocks: *const Blocks) -> i32 {
    unsafe { run(context, &*blocks, true) }
}

unsafe extern "C" fn open_many(context: *mut c_void, blocks: *const Blocks) -> i32 {
    unsafe { run(context, &*blocks, false) }
}

/// Calls the functions of single blocks as the header describes it.
unsafe fn run(context: *mut c_void, b: &Blocks, seal: bool) -> i32 {
    CALLS.fetch_add(1, Ordering::SeqCst);
    BLOCKS.fetch_add(b.count, Ordering::SeqCst);
    assert!(b.count > 0 && b.last_bytes <= b.block_bytes && (b.last_bytes > 0 || b.count == 1));
    assert_eq!(b.nonce_bytes, 12);
    let template: [u8; 12] = unsafe { b.nonce.cast::<[u8; 12]>().read() };
    assert_eq!(template[11], 0);
    let first = u32::from_be_bytes(template[7..11].try_into().unwrap());
    for i in 0..b.count {
        let last = i + 1 == b.count;
        let mut nonce = template;
        nonce[7..11].copy_from_slice(&first.checked_add(i as u32).unwrap().to_be_bytes());
        nonce[11] = if last { b.last as u8 } else { 0 };
        let (n, bytes) = (nonce.as_ptr(), if last { b.last_bytes } else { b.block_bytes });
        let ad_bytes = if i == 0 { b.ad_bytes } else { 0 };
        let status = unsafe {
            let (from, to, tag) =
                (b.input.add(i * b.in_stride), b.output.add(i * b.out_stride), b.tags.add(i * b.tag_stride));
            if seal {
                GCM.seal.unwrap()(context, n, 12, b.ad, ad_bytes, from, bytes, to, tag)
            } else {
                GCM.open.unwrap()(context, n, 12, b.ad, ad_bytes, from, bytes, to, tag)
            }
        };
        if status != abi::OK {
            return status;
        }
    }
    abi::OK
}

fn data(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| ((i * 131) >> 3) as u8).collect()
}

fn keyed(algorithm: &'static Algorithm, block_size: usize, threads: usize, schedule: Schedule) -> Keyed {
    ParSplit::new(algorithm, block_size, threads, schedule).unwrap().serial_below(0).key(&KEY).unwrap()
}

fn seal(keyed: &mut Keyed, message: &[u8]) -> Vec<u8> {
    let mut sealed = vec![0; keyed.splitter().layout(message.len()).unwrap().sealed_bytes()];
    keyed.seal(&NONCE, b"associated", message, &mut sealed).unwrap();
    sealed
}

#[test]
fn every_schedule_and_thread_count_gives_the_bytes_of_single_calls() {
    let _guard = ONE_TEST.lock();
    for (bytes, block_size) in [(0, 16), (1000, 1), (70_000, 1000), (300_001, 4096), (64 << 10, 512)] {
        let message = data(bytes);
        let expected = seal(&mut keyed(&GCM, block_size, 1, Schedule::STATIC), &message);
        for (name, schedule) in Schedule::ALL {
            for threads in [1, 2, 5] {
                let mut keyed = keyed(&MANY, block_size, threads, *schedule);
                assert_eq!(seal(&mut keyed, &message), expected, "{name}, {threads} threads, {bytes} in {block_size}");
                let mut buffer = [message.clone(), vec![0; expected.len() - bytes]].concat();
                keyed.seal_in_place(&NONCE, b"associated", &mut buffer, bytes).unwrap();
                assert_eq!(buffer, expected, "in place: {name}, {threads} threads, {bytes} in {block_size}");
                keyed.open_in_place(&NONCE, b"associated", &mut buffer).unwrap();
                assert_eq!(buffer[..bytes], message);
                let mut opened = vec![0xee; bytes];
                keyed.open(&NONCE, b"associated", &expected, &mut opened).unwrap();
                assert_eq!(opened, message);
            }
        }
    }
}

#[test]
fn one_call_processes_up_to_256_kib_and_leaves_every_worker_enough() {
    let _guard = ONE_TEST.lock();
    let calls = |bytes, block_size, threads: usize| {
        let mut keyed = keyed(&MANY, block_size, threads, Schedule::STATIC);
        for counter in [&CALLS, &BLOCKS] {
            counter.store(0, Ordering::SeqCst);
        }
        seal(&mut keyed, &data(bytes));
        [&CALLS, &BLOCKS].map(|counter| counter.swap(0, Ordering::SeqCst))
    };
    assert_eq!(calls(1 << 20, 16 << 10, 1), [4, 64]);
    assert_eq!(calls(1 << 20, 16 << 10, 2), [16, 64]);
    assert_eq!(calls((1 << 20) + 1, 1 << 20, 1), [2, 2]);
    let mut keyed = keyed(&MANY, 1024, 1, Schedule::DYNAMIC);
    keyed.set_traced(true);
    seal(&mut keyed, &data(10_000));
    let spans: Vec<_> = keyed.spans().iter().map(|span| span.block).collect();
    assert_eq!(spans, (0..10).collect::<Vec<_>>(), "a trace has each block");
    assert_eq!(CALLS.swap(0, Ordering::SeqCst), 10);
}

#[test]
fn a_forged_block_wipes_the_output_with_every_schedule() {
    let _guard = ONE_TEST.lock();
    let message = data(100_000);
    for (name, schedule) in Schedule::ALL {
        let mut keyed = keyed(&MANY, 500, 3, *schedule);
        let sealed = seal(&mut keyed, &message);
        for at in [0, 50_000, 99_999, 100_000, sealed.len() - 1] {
            let mut forged = sealed.clone();
            forged[at] ^= 1;
            let mut opened = vec![0xee; message.len()];
            let failed = keyed.open(&NONCE, b"associated", &forged, &mut opened);
            assert_eq!(failed, Err(Error::Authentication), "{name}, byte {at}");
            assert!(opened.iter().all(|&byte| byte == 0), "{name}, byte {at}: not wiped");
        }
    }
}

#[test]
fn ranges_and_streams_have_the_bytes_of_single_calls() {
    let _guard = ONE_TEST.lock();
    let message = data(50_007);
    for threads in [1, 3] {
        let mut one = keyed(&GCM, 500, threads, Schedule::DYNAMIC);
        let mut many = keyed(&MANY, 500, threads, Schedule::DYNAMIC);
        let sealed = seal(&mut one, &message);
        for blocks in [0..1, 0..101, 3..50, 99..101, 100..101] {
            let bytes = blocks.start as usize * 500..message.len().min(blocks.end as usize * 500);
            let mut opened = vec![0; bytes.len()];
            many.open_range(&NONCE, b"associated", blocks, &sealed, &mut opened).unwrap();
            assert_eq!(opened, message[bytes]);
        }
    }
    for bytes in [0, 1, 500, 49_500, 50_007] {
        for threads in [1, 3] {
            let splitter = |algorithm| ParSplit::new(algorithm, 500, threads, Schedule::DYNAMIC).unwrap();
            let mut writer = SealingWriter::new(&splitter(&MANY), &KEY, b"ad", Vec::new()).unwrap();
            writer.write_all(&message[..bytes]).unwrap();
            let sealed = writer.finish().unwrap();
            let mut opened = Vec::new();
            for algorithm in [&GCM, &MANY] {
                opened.clear();
                let mut reader = OpeningReader::new(&splitter(algorithm), &KEY, b"ad", &sealed[..]).unwrap();
                reader.read_to_end(&mut opened).unwrap();
                assert_eq!(opened, message[..bytes], "{bytes} bytes");
            }
        }
    }
}

/// A descriptor of a plugin that was compiled with the first header: nothing follows its last field.
#[test]
fn an_entry_of_the_first_header_is_read_up_to_its_end() {
    let words = FIRST_ALGORITHM_BYTES / size_of::<u64>();
    assert_eq!(FIRST_ALGORITHM_BYTES, 136);
    let memory: &'static mut [u64] = vec![0; words].leak();
    let entry = memory.as_mut_ptr().cast::<Algorithm>();
    unsafe {
        entry.cast::<u8>().copy_from_nonoverlapping((&raw const GCM).cast(), FIRST_ALGORITHM_BYTES);
        entry.cast::<usize>().write(FIRST_ALGORITHM_BYTES);
    }
    let read = unsafe { entry_of(entry) }.unwrap();
    assert!(read.seal_many.is_none() && read.open_many.is_none());
    assert!(std::ptr::eq(read, unsafe { entry_of(entry) }.unwrap()), "copied once");
    let message = data(5000);
    let sealed = seal(&mut keyed(read, 1000, 2, Schedule::DYNAMIC), &message);
    assert_eq!(sealed, seal(&mut keyed(&GCM, 1000, 2, Schedule::DYNAMIC), &message));
    unsafe { entry.cast::<usize>().write(FIRST_ALGORITHM_BYTES - 1) };
    assert_eq!(unsafe { entry_of(entry) }.err(), Some(FIRST_ALGORITHM_BYTES - 1));
    let whole = unsafe { entry_of(&raw const MANY) }.unwrap();
    assert!(std::ptr::eq(whole, &raw const MANY), "a complete entry is not copied");
}
