//! ChaCha20 of RustCrypto, which uses SSE2, AVX2 or NEON where it finds them.

use super::State;
use chacha20::cipher::{InOutBuf, KeyIvInit, StreamCipher, StreamCipherCoreWrapper};
use chacha20::{ChaChaCore, R20, variants::Ietf};
use zeroize::Zeroizing;

pub(super) fn apply(state: &State, data: InOutBuf<'_, '_, u8>) {
    let bytes = Zeroizing::new(state.map(u32::to_le_bytes));
    let mut key = Zeroizing::new([0; 32]);
    key.copy_from_slice(bytes[4..12].as_flattened());
    let mut nonce = [0; 12];
    nonce.copy_from_slice(bytes[13..].as_flattened());
    let mut core = ChaChaCore::<R20, Ietf>::new((&*key).into(), (&nonce).into());
    core.set_block_pos(state[12]);
    // The checked methods reject block 2^32 - 1, which RFC 8439 allows. The caller has checked the length.
    StreamCipherCoreWrapper::from_core(core).unchecked_apply_keystream_inout(data);
}
