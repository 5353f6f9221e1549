//! One standard message on several threads, whole or by parts.

use crate::memory::{check_buffer, check_disjoint, input_slice, write_result};
use crate::status::{ensure, invalid, status};
use crate::{handle, load};
use aeadlab_abi::Algorithm;
use parsplit::one_message::{
    Call, ChaChaKey, GcmKey, LibraryGcmKey, Multipart, OneMessage, Part, SegmentedKey, SegmentedMessage, TAG_BYTES,
};
use parsplit::{Error, MAX_THREADS, Result, SERIAL_BELOW, Schedule, available_cores};
use std::ffi::{CStr, c_char};
use std::mem::size_of;
use std::slice;
use std::sync::atomic::{AtomicBool, Ordering};
use zeroize::Zeroizing;

/// Bytes of a part besides its value: identifier, offset and length.
const PART_HEADER_BYTES: usize = 32;

/// `parsplit_message_options`
#[repr(C)]
#[derive(Clone, Copy)]
struct Options {
    struct_size: usize,
    threads: usize,
    segment_bytes: usize,
    serial_below: usize,
    schedule: *const c_char,
}

const DEFAULTS: Options = Options {
    struct_size: size_of::<Options>(),
    threads: 0,
    segment_bytes: 0,
    serial_below: SERIAL_BELOW,
    schedule: std::ptr::null(),
};

/// Nonce and associated data of a message.
#[derive(Clone, Copy)]
struct Inputs<'a> {
    nonce: &'a [u8],
    ad: &'a [u8],
}

/// The input and the output of a message or of a part.
#[derive(Clone, Copy)]
struct Text {
    input: *const u8,
    bytes: usize,
    output: *mut u8,
}

/// An engine with a key of any kind.
trait Engine: Send + Sync {
    /// Length of a part in bytes.
    fn part_bytes(&self) -> usize;

    /// Return the tag.
    ///
    /// # Safety
    /// The text is valid for its bytes.
    unsafe fn seal(&self, inputs: Inputs<'_>, text: Text, cancel: &AtomicBool) -> Result<[u8; TAG_BYTES]>;

    /// # Safety
    /// As [`Engine::seal`].
    unsafe fn open(&self, inputs: Inputs<'_>, text: Text, tag: &[u8; TAG_BYTES], cancel: &AtomicBool) -> Result<()>;

    /// Return the part at `offset` of a message of `bytes`.
    ///
    /// # Safety
    /// As [`Engine::seal`]; input and output are equal or disjoint.
    unsafe fn seal_part(&self, inputs: Inputs<'_>, bytes: u64, offset: u64, text: Text) -> Result<Zeroizing<Vec<u8>>>;

    /// Return the tag for parts of [`Engine::part_bytes`] bytes each.
    fn finish(&self, inputs: Inputs<'_>, bytes: u64, parts: &[u8]) -> Result<[u8; TAG_BYTES]>;
}

impl<K: SegmentedKey + Send + Sync> Engine for OneMessage<K> {
    fn part_bytes(&self) -> usize {
        PART_HEADER_BYTES + <K::Message<'_> as SegmentedMessage>::VALUE_BYTES
    }

    unsafe fn seal(&self, inputs: Inputs<'_>, text: Text, cancel: &AtomicBool) -> Result<[u8; TAG_BYTES]> {
        let call = Call { cancel: Some(cancel), fresh: false };
        // SAFETY: the caller's promise.
        unsafe { self.seal_raw(inputs.nonce, inputs.ad, text.input, text.bytes, text.output, call) }
    }

    unsafe fn open(&self, inputs: Inputs<'_>, text: Text, tag: &[u8; TAG_BYTES], cancel: &AtomicBool) -> Result<()> {
        let call = Call { cancel: Some(cancel), fresh: false };
        // SAFETY: the caller's promise.
        unsafe { self.open_raw(inputs.nonce, inputs.ad, text.input, text.bytes, tag, text.output, call) }
    }

    unsafe fn seal_part(&self, inputs: Inputs<'_>, bytes: u64, offset: u64, text: Text) -> Result<Zeroizing<Vec<u8>>> {
        let message = Multipart::new(self.key(), inputs.nonce, inputs.ad, bytes)?;
        // SAFETY: the caller's promise.
        let part = unsafe { message.seal_raw(offset, text.input, text.bytes, text.output)? };
        Ok(Zeroizing::new(part.to_bytes()))
    }

    fn finish(&self, inputs: Inputs<'_>, bytes: u64, parts: &[u8]) -> Result<[u8; TAG_BYTES]> {
        let parts = parts.chunks(self.part_bytes()).map(Part::from_bytes).collect::<Result<Vec<_>>>()?;
        Multipart::new(self.key(), inputs.nonce, inputs.ad, bytes)?.finish(&parts)
    }
}

/// `parsplit_message`
struct Message {
    engine: Box<dyn Engine>,
    interrupted: AtomicBool,
}

/// Return the engine for a key with the settings of the caller, where 0 and NULL select defaults.
fn engine<K: SegmentedKey + Send + Sync + 'static>(key: K, options: Options) -> Result<Box<dyn Engine>> {
    let schedule = if options.schedule.is_null() {
        Schedule::default()
    } else {
        // SAFETY: by the header a C string.
        unsafe { CStr::from_ptr(options.schedule) }.to_string_lossy().parse()?
    };
    let threads = match options.threads {
        0 => available_cores().min(MAX_THREADS),
        threads => threads,
    };
    let engine = OneMessage::new(key, threads, schedule)?.serial_below(options.serial_below);
    Ok(match options.segment_bytes {
        0 => Box::new(engine),
        bytes => Box::new(engine.segment_bytes(bytes)?),
    })
}

/// Store a new handle for the engine that `create` returns.
///
/// # Safety
/// `key` is NULL or valid for its length, `options` and `handle` follow the header.
unsafe fn new_message(
    key: (*const u8, usize),
    options: *const Options,
    handle: *mut *mut Message,
    create: impl FnOnce(&[u8], Options) -> Result<Box<dyn Engine>>,
) -> i32 {
    status(|| {
        // SAFETY: by the header NULL or options that begin with their size.
        let options = unsafe { handle::options_or(options, DEFAULTS, "PARSPLIT_MESSAGE_DEFAULTS")? };
        // SAFETY: the caller's promise.
        let engine = create(unsafe { input_slice(key.0, key.1, "key")? }, options)?;
        // Checked before `into_raw`, which would leak the handle.
        ensure!(!handle.is_null(), "pointer for the handle given as NULL");
        let created = Box::into_raw(Box::new(Message { engine, interrupted: AtomicBool::new(false) }));
        // SAFETY: by the header valid for writing.
        unsafe { write_result(handle, created) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_new(
    name: *const c_char,
    key: *const u8,
    key_bytes: usize,
    options: *const Options,
    handle: *mut *mut Message,
) -> i32 {
    let create = |key: &[u8], options| {
        ensure!(!name.is_null(), "name given as NULL");
        // SAFETY: by the header a C string.
        match unsafe { CStr::from_ptr(name) }.to_bytes() {
            b"aes-gcm" => engine(GcmKey::new(key)?, options),
            b"chacha20-poly1305" => engine(ChaChaKey::new(key)?, options),
            other => invalid(format!(
                "algorithm {} given, aes-gcm or chacha20-poly1305 expected",
                String::from_utf8_lossy(other)
            )),
        }
    };
    // SAFETY: by the header.
    unsafe { new_message((key, key_bytes), options, handle, create) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_of(
    algorithm: *const Algorithm,
    key: *const u8,
    key_bytes: usize,
    options: *const Options,
    handle: *mut *mut Message,
) -> i32 {
    let create = |key: &[u8], options| {
        // SAFETY: by the header a descriptor that follows aeadlab.h.
        let algorithm = unsafe { load::check_algorithm(algorithm)? };
        engine(LibraryGcmKey::new(algorithm, key)?, options)
    };
    // SAFETY: by the header.
    unsafe { new_message((key, key_bytes), options, handle, create) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_free(handle: *mut Message) {
    status(|| {
        if !handle.is_null() {
            // SAFETY: a constructor above returned it, and by the header it has no other user, now or later.
            drop(unsafe { Box::from_raw(handle) });
        }
        Ok(())
    });
}

/// Call `work` with the handle and the checked nonce and associated data.
///
/// # Safety
/// `handle` is NULL or a valid handle, `nonce` and `ad` are NULL or valid for their lengths.
unsafe fn with_message(
    handle: *const Message,
    nonce: (*const u8, usize),
    ad: (*const u8, usize),
    work: impl FnOnce(&Message, Inputs<'_>) -> Result<()>,
) -> i32 {
    // SAFETY: the caller's promises; NULL gives None.
    status(|| unsafe {
        let Some(handle) = handle.as_ref() else {
            return invalid("handle given as NULL");
        };
        let nonce = input_slice(nonce.0, nonce.1, "nonce")?;
        work(handle, Inputs { nonce, ad: input_slice(ad.0, ad.1, "associated data")? })
    })
}

/// Check the buffers of a text. Its output overlaps no other input, and `result`, which is written last, nothing at all.
fn check_text(inputs: Inputs<'_>, text: Text, result: (*const u8, usize, &str)) -> Result<()> {
    check_buffer(text.input, text.bytes, "message")?;
    check_buffer(text.output, text.bytes, "output")?;
    check_buffer(result.0, result.1, result.2)?;
    for input in [inputs.nonce, inputs.ad] {
        check_disjoint(input, text.output, text.bytes)?;
    }
    // SAFETY: by the header valid for the length; only the addresses of the slice are used.
    let result = unsafe { input_slice(result.0, result.1, result.2)? };
    check_disjoint(result, text.output, text.bytes)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_seal(
    handle: *const Message,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    out: *mut u8,
    tag: *mut u8,
) -> i32 {
    let work = |message: &Message, inputs: Inputs<'_>| {
        let text = Text { input, bytes, output: out };
        check_text(inputs, text, (tag, TAG_BYTES, "tag"))?;
        // SAFETY: by the header buffers of these lengths; the engine checks the overlap of input and output.
        let computed = unsafe { message.engine.seal(inputs, text, &message.interrupted)? };
        // SAFETY: by the header valid for 16 bytes.
        unsafe { write_result(tag.cast(), computed) }
    };
    // SAFETY: by the header.
    unsafe { with_message(handle, (nonce, nonce_bytes), (ad, ad_bytes), work) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_open(
    handle: *const Message,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    input: *const u8,
    bytes: usize,
    out: *mut u8,
    tag: *const u8,
) -> i32 {
    let work = |message: &Message, inputs: Inputs<'_>| {
        let text = Text { input, bytes, output: out };
        check_text(inputs, text, (tag, TAG_BYTES, "tag"))?;
        // SAFETY: by the header valid for 16 bytes, and not NULL.
        let tag = unsafe { tag.cast::<[u8; TAG_BYTES]>().read() };
        // SAFETY: by the header buffers of these lengths; the engine checks the overlap of input and output.
        unsafe { message.engine.open(inputs, text, &tag, &message.interrupted) }
    };
    // SAFETY: by the header.
    unsafe { with_message(handle, (nonce, nonce_bytes), (ad, ad_bytes), work) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_part_bytes(handle: *const Message, part_bytes: *mut usize) -> i32 {
    let none = (std::ptr::null(), 0);
    // SAFETY: by the header a valid handle and memory for the result.
    unsafe { with_message(handle, none, none, |message, _| write_result(part_bytes, message.engine.part_bytes())) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_seal_part(
    handle: *const Message,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    message_bytes: u64,
    offset: u64,
    input: *const u8,
    bytes: usize,
    out: *mut u8,
    part: *mut u8,
) -> i32 {
    let work = |message: &Message, inputs: Inputs<'_>| {
        let text = Text { input, bytes, output: out };
        check_text(inputs, text, (part, message.engine.part_bytes(), "part"))?;
        if input != out.cast_const() {
            // SAFETY: by the header valid for the length; only the addresses of the slice are used.
            check_disjoint(unsafe { input_slice(input, bytes, "message")? }, out, bytes)?;
        }
        // SAFETY: by the header buffers of these lengths, which are equal or disjoint.
        let sealed = unsafe { message.engine.seal_part(inputs, message_bytes, offset, text)? };
        // SAFETY: by the header valid for the length of a part, and not NULL.
        unsafe { slice::from_raw_parts_mut(part, sealed.len()) }.copy_from_slice(&sealed);
        Ok(())
    };
    // SAFETY: by the header.
    unsafe { with_message(handle, (nonce, nonce_bytes), (ad, ad_bytes), work) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_finish(
    handle: *const Message,
    nonce: *const u8,
    nonce_bytes: usize,
    ad: *const u8,
    ad_bytes: usize,
    message_bytes: u64,
    parts: *const u8,
    part_count: usize,
    tag: *mut u8,
) -> i32 {
    let work = |message: &Message, inputs: Inputs<'_>| {
        let bytes = part_count.checked_mul(message.engine.part_bytes());
        let bytes = bytes.ok_or_else(|| Error::Argument(format!("{part_count} parts exceed the address space")))?;
        // SAFETY: by the header valid for this number of parts.
        let parts = unsafe { input_slice(parts, bytes, "parts")? };
        let computed = message.engine.finish(inputs, message_bytes, parts)?;
        // SAFETY: by the header valid for 16 bytes.
        unsafe { write_result(tag.cast(), computed) }
    };
    // SAFETY: by the header.
    unsafe { with_message(handle, (nonce, nonce_bytes), (ad, ad_bytes), work) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_interrupt(handle: *const Message) {
    // SAFETY: by the header a valid handle. NULL gives None.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.interrupted.store(true, Ordering::Relaxed);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn parsplit_message_resume(handle: *const Message) {
    // SAFETY: as above.
    if let Some(handle) = unsafe { handle.as_ref() } {
        handle.interrupted.store(false, Ordering::Relaxed);
    }
}
