//! One standard AES-GCM message in segments, with the kernel of the lab or with any library.

use crate::spec::Standard;
use aeadlab_abi::Algorithm;
use parsplit::Result;
use parsplit::one_message::{Call, GcmKey, LibraryGcmKey, OneMessage, SegmentedKey, TAG_BYTES};

/// A message with its key set up.
pub(crate) enum StandardMessage {
    Own(Box<OneMessage<GcmKey>>),
    Library(Box<OneMessage<LibraryGcmKey>>),
}

macro_rules! with_message {
    ($message:expr, $inner:ident => $call:expr) => {
        match $message {
            Self::Own($inner) => $call,
            Self::Library($inner) => $call,
        }
    };
}

impl StandardMessage {
    /// Set the key of an AES-GCM up.
    pub(crate) fn new(algorithm: &'static Algorithm, settings: Standard, key: &[u8]) -> Result<Self> {
        Ok(if settings.own_kernel {
            Self::Own(configured(GcmKey::new(key)?, settings)?)
        } else {
            Self::Library(configured(LibraryGcmKey::new(algorithm, key)?, settings)?)
        })
    }

    /// # Safety
    /// `input` and `output` are valid for `bytes` and equal or disjoint, `tag` for 16 bytes.
    pub(crate) unsafe fn seal(
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
            let sealed = with_message!(self, m => m.seal_raw(n, ad, input, bytes, output, Call::default()))?;
            tag.cast::<[u8; TAG_BYTES]>().write(sealed);
        }
        Ok(())
    }

    /// # Safety
    /// As [`StandardMessage::seal`].
    pub(crate) unsafe fn open(
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
            with_message!(self, m => m.open_raw(n, ad, input, bytes, &tag, output, Call::default()))
        }
    }
}

fn configured<K: SegmentedKey>(key: K, settings: Standard) -> Result<Box<OneMessage<K>>> {
    OneMessage::new(key, settings.threads, settings.schedule)?.segment_bytes(settings.segment_bytes).map(Box::new)
}
