//! The lab's own AES-GCM and ChaCha20-Poly1305: the kernels of `native/gcm` and `native/chacha`.

use crate::descriptor::c_string;
use crate::export::{Aead, AeadMany, Failure, Keyed, Lengths, Outcome, aead, aead_many};
use aeadlab_abi::{self as abi, Algorithm, Blocks};
use aeadlab_chacha as chacha;
use aeadlab_gcm::{self as gcm, Buffers, Places, Run, Stores};
use inout::InOutBuf;

const FLAGS: u64 = abi::THREAD_SAFE | abi::IN_PLACE | abi::OPEN_COMPUTES_TAG;

struct Gcm(gcm::Key);

impl Keyed for Gcm {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        gcm::Key::new(key).map(Self).map_err(|_| Failure::BadArgument)
    }
}

/// Return the buffers of a message, and how to write the output: past the cache if it does not fit there.
fn buffers<'a>(message: InOutBuf<'a, 'a, u8>) -> (Buffers<'a>, Stores) {
    let bytes = message.len();
    let (input, output) = message.into_raw();
    let streaming = input != output.cast_const() && bytes >= parsplit::last_level_cache_bytes();
    // SAFETY: both are valid for `bytes`, equal or disjoint, and borrowed by the message.
    let buffers = unsafe { Buffers::from_raw(input, output, bytes) };
    (buffers, if streaming { Stores::Streaming } else { Stores::Regular })
}

fn failure(error: gcm::Error) -> Failure {
    if error == gcm::Error::Authentication { Failure::Authentication } else { Failure::BadArgument }
}

impl Aead for Gcm {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let (buffers, stores) = buffers(message);
        tag.copy_from_slice(&self.0.seal(nonce, ad, buffers, stores).map_err(failure)?);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        let (buffers, stores) = buffers(message);
        self.0.open(nonce, ad, buffers, tag, stores).map_err(failure)
    }
}

/// Call `process` with the run and the places of blocks, and the nonce of each by its index in the run.
fn with_run(blocks: &Blocks, process: impl FnOnce(&Run<'_>, &dyn Fn(usize) -> [u8; 12], &Places) -> gcm::Result<()>) -> Outcome {
    // SAFETY: by the header the nonce has this length.
    let nonce = unsafe { std::slice::from_raw_parts(blocks.nonce, blocks.nonce_bytes) };
    let template: [u8; 12] = nonce.try_into().map_err(|_| Failure::BadArgument)?;
    let [.., a, b, c, d, _] = template;
    let first = u32::from_be_bytes([a, b, c, d]);
    let nonce = |index: usize| {
        let mut nonce = template;
        nonce[7..11].copy_from_slice(&first.wrapping_add(index as u32).to_be_bytes());
        nonce[11] = u8::from(blocks.last != 0 && index + 1 == blocks.count);
        nonce
    };
    let first_ad = match blocks.ad_bytes {
        0 => &[][..],
        // SAFETY: by the header the associated data has this length, which is not 0.
        bytes => unsafe { std::slice::from_raw_parts(blocks.ad, bytes) },
    };
    let streaming = blocks.hints & abi::PAST_CACHE != 0 && blocks.input != blocks.output.cast_const();
    let stores = if streaming { Stores::Streaming } else { Stores::Regular };
    let places = Places {
        messages: blocks.count,
        last_bytes: blocks.last_bytes,
        input: blocks.input,
        input_step: blocks.in_stride,
        output: blocks.output,
        output_step: blocks.out_stride,
        tags: blocks.tags,
        tag_step: blocks.tag_stride,
    };
    process(&Run { message_bytes: blocks.block_bytes, first_ad, stores }, &nonce, &places).map_err(failure)
}

impl AeadMany for Gcm {
    unsafe fn seal_many(&mut self, blocks: &Blocks) -> Outcome {
        // SAFETY: the places are those of the header, which promises what the function requires.
        with_run(blocks, |run, nonce, places| unsafe { self.0.seal_places(run, nonce, places) })
    }

    unsafe fn open_many(&mut self, blocks: &Blocks) -> Outcome {
        // SAFETY: as in `seal_many`.
        with_run(blocks, |run, nonce, places| unsafe { self.0.open_places(run, nonce, places) })
    }
}

struct ChaCha(chacha::Key);

impl Keyed for ChaCha {
    fn new(_: &Algorithm, key: &[u8]) -> Result<Self, Failure> {
        Ok(Self(chacha::Key::new(key.try_into().map_err(|_| Failure::BadArgument)?)))
    }
}

impl Aead for ChaCha {
    fn seal(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &mut [u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        tag.copy_from_slice(&self.0.seal(nonce, ad, message).map_err(|_| Failure::BadArgument)?);
        Ok(())
    }

    fn open(&mut self, nonce: &[u8], ad: &[u8], message: InOutBuf<'_, '_, u8>, tag: &[u8]) -> Outcome {
        let nonce = nonce.try_into().map_err(|_| Failure::BadArgument)?;
        let tag = tag.try_into().map_err(|_| Failure::BadArgument)?;
        self.0.open(nonce, ad, message, tag).map_err(|error| match error {
            chacha::Error::Authentication => Failure::Authentication,
            _ => Failure::BadArgument,
        })
    }
}

/// The rows of the library.
pub(super) fn rows() -> Vec<Algorithm> {
    let kernel = c_string(gcm::Kernel::fastest().name()).as_ptr();
    let gcm_row = |(name, key)| Algorithm {
        max_bytes: gcm::MAX_MESSAGE_BYTES,
        kernel,
        ..aead_many::<Gcm>(name, Lengths(key, 12, 16), FLAGS | abi::ANY_NONCE_LENGTH)
    };
    let mut rows: Vec<Algorithm> =
        [(c"aes-128-gcm", 16), (c"aes-192-gcm", 24), (c"aes-256-gcm", 32)].into_iter().map(gcm_row).collect();
    rows.push(Algorithm {
        max_bytes: chacha::MAX_LENGTH,
        kernel: c_string(chacha::Kernel::fastest().name()).as_ptr(),
        ..aead::<ChaCha>(c"chacha20-poly1305", Lengths(32, 12, 16), FLAGS)
    });
    rows
}
