//! One standard AES-GCM message in segments, with the kernel of the lab or with any library.

use crate::spec::Standard;
use aeadlab_abi::Algorithm;
use parsplit::Result;
use parsplit::one_message::{Call, GcmKey, LibraryGcmKey, OneMessage, SegmentedKey, TAG_BYTES};

/// A message with its key set up, whatever the kind of the key.
pub(crate) trait StandardMessage: Send + Sync {
    /// # Safety
    /// `input` and `output` are valid for `bytes` and equal or disjoint, `tag` for 16 bytes.
    unsafe fn seal(
        &self,
        n: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *mut u8,
    ) -> Result<()>;

    /// # Safety
    /// As [`StandardMessage::seal`].
    unsafe fn open(
        &self,
        n: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *const u8,
    ) -> Result<()>;
}

impl<K: SegmentedKey + Send + Sync> StandardMessage for OneMessage<K> {
    unsafe fn seal(
        &self,
        n: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *mut u8,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let sealed = self.seal_raw(n, ad, input, bytes, output, Call::default())?;
            tag.cast::<[u8; TAG_BYTES]>().write(sealed);
        }
        Ok(())
    }

    unsafe fn open(
        &self,
        n: &[u8],
        ad: &[u8],
        input: *const u8,
        bytes: usize,
        output: *mut u8,
        tag: *const u8,
    ) -> Result<()> {
        // SAFETY: the caller's promise.
        unsafe {
            let tag = tag.cast::<[u8; TAG_BYTES]>().read();
            self.open_raw(n, ad, input, bytes, &tag, output, Call::default())
        }
    }
}

/// Returns the message for an AES-GCM with its key.
pub(crate) fn standard(
    algorithm: &'static Algorithm,
    settings: Standard,
    key: &[u8],
) -> Result<Box<dyn StandardMessage>> {
    if settings.own_kernel {
        return Ok(Box::new(configured(GcmKey::new(key)?, settings)?));
    }
    Ok(Box::new(configured(LibraryGcmKey::new(algorithm, key)?, settings)?))
}

fn configured<K: SegmentedKey>(key: K, settings: Standard) -> Result<OneMessage<K>> {
    OneMessage::new(key, settings.threads, settings.schedule)?.segment_bytes(settings.segment_bytes)
}
