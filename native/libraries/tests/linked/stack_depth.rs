//! No implementation uses more of the stack than the engine clears after it.

use crate::context::Context;
use aeadlab_abi::{self as abi, Blocks};
use aeadlab_libraries::{Entry, linked, load};
use parsplit::cleared_stack;
use std::hint::black_box;
use std::mem::MaybeUninit;
use std::path::Path;
use std::thread;

/// Bytes below the caller's frame that are observed: more than any implementation uses.
const OBSERVED: usize = 256 << 10;
const PATTERN: u8 = 0xa5;
const LENGTHS: [usize; 9] = [0, 1, 16, 17, 255, 256, 4096, 4097, 65553];

/// Fill the stack below the caller with the pattern; return the address of its lowest byte.
#[inline(never)]
fn paint() -> usize {
    let mut area = MaybeUninit::<[u8; OBSERVED]>::uninit();
    // SAFETY: the array has this length.
    unsafe { area.as_mut_ptr().cast::<u8>().write_bytes(PATTERN, OBSERVED) };
    black_box(&mut area).as_ptr().expose_provenance()
}

/// Return the number of bytes of the stack that `call` uses below this function.
#[inline(never)]
fn depth_of(call: impl FnOnce()) -> usize {
    let lowest = black_box(paint());
    call();
    let start = std::ptr::with_exposed_provenance::<u8>(lowest);
    // SAFETY: the stack of this thread, far from its end. An array as in `paint` would be written by the probes of its
    // frame.
    let intact = (0..OBSERVED).take_while(|&i| unsafe { start.add(i).read_volatile() } == PATTERN).count();
    OBSERVED - intact
}

/// Return the largest depth of all functions of an algorithm.
fn deepest(entry: &Entry) -> usize {
    let algorithm = entry.algorithm;
    let key: Vec<u8> = (0..algorithm.key_bytes as u8).collect();
    let nonce = vec![9; algorithm.nonce_bytes as usize];
    let mut context = None;
    let mut largest = depth_of(|| context = Some(Context::new(algorithm, &key)));
    let context = context.unwrap();
    let (raw, block) = (context.raw, algorithm.block_bytes as usize);
    for bytes in LENGTHS.map(|length| length - length % block) {
        let (input, mut output, mut tag) = (vec![1_u8; bytes], vec![0_u8; bytes], [0_u8; 64]);
        let (n, n_bytes, i, o, t) =
            (nonce.as_ptr(), nonce.len(), input.as_ptr(), output.as_mut_ptr(), tag.as_mut_ptr());
        let (ad, ad_bytes) = if algorithm.has(abi::NO_ASSOCIATED_DATA) { (n, 0) } else { (i, bytes.min(100)) };
        // SAFETY: all buffers have the lengths passed, and `key_new` made the context.
        unsafe {
            if let (Some(seal), Some(open)) = (algorithm.seal, algorithm.open) {
                largest = largest.max(depth_of(|| {
                    black_box(seal(raw, n, n_bytes, ad, ad_bytes, i, bytes, o, t));
                }));
                largest = largest.max(depth_of(|| {
                    black_box(open(raw, n, n_bytes, ad, ad_bytes, i, bytes, o, t));
                }));
            }
            for many in [algorithm.seal_many, algorithm.open_many].into_iter().flatten() {
                let block_bytes = (bytes / 40).max(1).next_multiple_of(128).min(bytes.max(1));
                let count = bytes.div_ceil(block_bytes).max(1);
                let mut tags = vec![0_u8; count * algorithm.tag_bytes as usize];
                let blocks = Blocks {
                    nonce: n,
                    nonce_bytes: n_bytes,
                    last: 1,
                    hints: 0,
                    ad,
                    ad_bytes,
                    count,
                    block_bytes,
                    last_bytes: bytes - (count - 1) * block_bytes,
                    input: i,
                    in_stride: block_bytes,
                    output: o,
                    out_stride: block_bytes,
                    tags: tags.as_mut_ptr(),
                    tag_stride: algorithm.tag_bytes as usize,
                };
                largest = largest.max(depth_of(|| {
                    black_box(many(raw, &raw const blocks));
                }));
            }
            for crypt in [algorithm.encrypt, algorithm.decrypt].into_iter().flatten() {
                largest = largest.max(depth_of(|| {
                    black_box(crypt(raw, n, n_bytes, i, bytes, o));
                }));
            }
            if let Some(digest) = algorithm.digest {
                largest = largest.max(depth_of(|| {
                    black_box(digest(raw, n, n_bytes, i, bytes, t));
                }));
            }
            if let Some(generate) = algorithm.generate {
                largest = largest.max(depth_of(|| {
                    black_box(generate(raw, o, bytes));
                }));
            }
        }
    }
    largest.max(depth_of(|| drop(context)))
}

fn entries() -> Vec<Entry> {
    let mut entries: Vec<Entry> = linked().iter().flat_map(|library| library.entries().unwrap()).collect();
    let plugins = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../aeadlab/plugins");
    for file in std::fs::read_dir(plugins).into_iter().flatten().flatten() {
        if file.path().extension().is_some_and(|extension| extension == "so") {
            // SAFETY: the plugins of this repository.
            entries.extend(unsafe { load(&file.path()) }.into_iter().flatten());
        }
    }
    entries.retain(|entry| entry.algorithm.key_bytes > 0 && !entry.algorithm.has(abi::BASELINE));
    entries
}

/// Frames of the engine between the function that clears the stack and the library, and other compilers.
const MARGIN: usize = 4 << 10;

#[test]
fn no_implementation_goes_deeper_than_the_engine_clears() {
    let measure = || -> Vec<_> { entries().into_iter().map(|entry| (deepest(&entry), entry)).collect() };
    let mut depths = thread::Builder::new().stack_size(4 << 20).spawn(measure).unwrap().join().unwrap();
    assert!(depths.len() > 200, "{} algorithms", depths.len());
    depths.sort_by_key(|(depth, _)| *depth);
    for (depth, Entry { library, name, algorithm, .. }) in depths {
        let cleared = cleared_stack(algorithm);
        println!("{depth:6} of {cleared} {library}/{name}");
        assert!(depth + MARGIN <= cleared, "{library}/{name} uses {depth} bytes, {cleared} are cleared");
    }
}
