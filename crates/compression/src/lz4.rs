//! LZ4 blocks, also those of its slower compressor LZ4HC, through liblz4.
//!
//! liblz4 rather than a Rust decoder: LZ4HC exists nowhere else, and on blocks of 4 to 64 KiB of half
//! random values its decoder takes 450 to 6400 ns where the fastest safe one takes 620 to 10500.
//! Everything unsafe of this crate is in [`library`], behind functions over slices.

use crate::size_prefix::Codec;
use crate::{CompressionDictionary, CompressionOptions, UncompressionDictionary};
use base::block_capacity::block_capacity;
use base::{Result, Status};

/// A byte that lengthens a match adds 255.
const CODEC: Codec = Codec { name: "lz4", expansion_max: 255, expansion_extra: 64 };
/// LZ4HC takes a level below 1 as its default, 9.
const HC_LEVEL_DEFAULT: i32 = 0;

pub(crate) fn decompress(
    mut input: &[u8],
    format_version: u32,
    dictionary: Option<&UncompressionDictionary>,
) -> Result<Vec<u8>> {
    let size = if format_version >= 2 {
        CODEC.take_varint32(&mut input)?
    } else {
        CODEC.take_fixed64(&mut input)?
    };
    let mut output = Vec::with_capacity(block_capacity(size));
    let dictionary = dictionary.map_or(&[][..], |dictionary| dictionary.raw());
    if !library::decompress(input, &mut output, size, dictionary) {
        return Err(CODEC.corrupt(format_args!("expected a block of {size} bytes, found none")));
    }
    CODEC.exactly(output, size)
}

pub(crate) fn compress(
    options: &CompressionOptions,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
) -> Result<Vec<u8>> {
    let acceleration = match options.level_or(0) {
        level @ ..0 => level.saturating_neg(),
        _ => 1,
    };
    let mut output = prepare(input)?;
    let dictionary = dictionary.map_or(&[][..], |dictionary| dictionary.raw());
    if !library::compress(input, &mut output, dictionary, acceleration) {
        return Err(failed());
    }
    Ok(output)
}

pub(crate) fn compress_hc(
    options: &CompressionOptions,
    input: &[u8],
    dictionary: Option<&CompressionDictionary>,
) -> Result<Vec<u8>> {
    let mut output = prepare(input)?;
    let dictionary = dictionary.map_or(&[][..], |dictionary| dictionary.raw());
    let level = options.level_or(HC_LEVEL_DEFAULT);
    if !library::compress_hc(input, &mut output, dictionary, level) {
        return Err(failed());
    }
    Ok(output)
}

/// An output that begins with the size and has room for any block of `input`.
fn prepare(input: &[u8]) -> Result<Vec<u8>> {
    match library::compress_bound(input.len()) {
        Some(bound) => CODEC.output_with_size(input, bound),
        None => Err(Status::not_supported("lz4: inputs above 2113929216 bytes")),
    }
}

#[cold]
fn failed() -> Status {
    Status::aborted("lz4: liblz4 could not compress")
}

#[expect(unsafe_code, reason = "calls into liblz4")]
mod library {
    use crate::context_memory::Counted;
    use lz4_sys::{
        LZ4_compressBound, LZ4_createStream, LZ4_decompress_safe, LZ4_freeStream, LZ4StreamEncode,
    };
    use std::cell::RefCell;
    use std::ffi::{c_char, c_int, c_void};
    use std::ptr::NonNull;

    // What lz4-sys links and does not declare. Signatures as in lz4.h and lz4hc.h of 1.10.
    unsafe extern "C" {
        fn LZ4_decompress_safe_usingDict(
            source: *const c_char,
            target: *mut c_char,
            source_size: c_int,
            target_capacity: c_int,
            dictionary: *const c_char,
            dictionary_size: c_int,
        ) -> c_int;
        fn LZ4_resetStream(stream: *mut LZ4StreamEncode);
        fn LZ4_loadDict(
            stream: *mut LZ4StreamEncode,
            dictionary: *const c_char,
            dictionary_size: c_int,
        ) -> c_int;
        fn LZ4_compress_fast_continue(
            stream: *mut LZ4StreamEncode,
            source: *const c_char,
            target: *mut c_char,
            source_size: c_int,
            target_capacity: c_int,
            acceleration: c_int,
        ) -> c_int;
        fn LZ4_createStreamHC() -> *mut c_void;
        fn LZ4_freeStreamHC(stream: *mut c_void) -> c_int;
        fn LZ4_resetStreamHC_fast(stream: *mut c_void, level: c_int);
        fn LZ4_loadDictHC(
            stream: *mut c_void,
            dictionary: *const c_char,
            dictionary_size: c_int,
        ) -> c_int;
        fn LZ4_compress_HC_continue(
            stream: *mut c_void,
            source: *const c_char,
            target: *mut c_char,
            source_size: c_int,
            target_capacity: c_int,
        ) -> c_int;
    }

    /// Offsets have 16 bits: nothing further back can be referred to.
    const WINDOW: usize = 64 << 10;

    fn last_window(dictionary: &[u8]) -> &[u8] {
        &dictionary[dictionary.len().saturating_sub(WINDOW)..]
    }

    /// The most bytes that an input of this length can take, unless it is too long for LZ4.
    pub(super) fn compress_bound(length: usize) -> Option<usize> {
        let length = c_int::try_from(length).ok()?;
        // SAFETY: a pure function of an integer; it returns 0 for lengths LZ4 does not take.
        match unsafe { LZ4_compressBound(length) } {
            bound @ 1.. => Some(bound as usize),
            _ => None,
        }
    }

    /// Appends what `input` holds to `output`, at most `size_max` bytes. Says whether it could.
    pub(super) fn decompress(
        input: &[u8],
        output: &mut Vec<u8>,
        size_max: usize,
        dictionary: &[u8],
    ) -> bool {
        output.reserve(size_max);
        let (Ok(input_size), Ok(capacity)) =
            (c_int::try_from(input.len()), c_int::try_from(size_max))
        else {
            return false;
        };
        let dictionary = last_window(dictionary);
        let source = input.as_ptr().cast();
        let target = output.spare_capacity_mut().as_mut_ptr().cast();
        // SAFETY: `source` is readable for `input_size` bytes, `target` writable for `capacity`
        // (reserved above), the dictionary readable for its length, which is at most `WINDOW`; the
        // three don't overlap. Both functions are liblz4's for input nobody vouches for: they stay
        // inside these bounds whatever `source` holds.
        let written = unsafe {
            if dictionary.is_empty() {
                LZ4_decompress_safe(source, target, input_size, capacity)
            } else {
                let size = dictionary.len() as c_int;
                let dictionary = dictionary.as_ptr().cast();
                LZ4_decompress_safe_usingDict(
                    source, target, input_size, capacity, dictionary, size,
                )
            }
        };
        let Ok(written) = usize::try_from(written) else { return false };
        assert!(written <= size_max);
        // SAFETY: liblz4 initialised `written` bytes behind the old length, within the capacity.
        unsafe { output.set_len(output.len() + written) };
        true
    }

    /// Bytes of a compressor's state (`LZ4_STREAM_MINSIZE`), and of one of LZ4HC (`LZ4_STREAMHC_MINSIZE`).
    const STREAM_SIZE: usize = (16 << 10) + 32;
    const HC_STREAM_SIZE: usize = 262_200;

    /// A compressor's state. It refers to no input between two calls that begin with a
    /// reset.
    struct Stream(NonNull<LZ4StreamEncode>);

    impl Stream {
        fn new() -> Self {
            // SAFETY: no preconditions; null is checked.
            let stream = unsafe { LZ4_createStream() };
            Self(NonNull::new(stream).expect("memory for an LZ4 stream"))
        }
    }

    impl Drop for Stream {
        fn drop(&mut self) {
            // SAFETY: made by `LZ4_createStream`, freed once.
            unsafe { LZ4_freeStream(self.0.as_ptr()) };
        }
    }

    /// As [`Stream`], for LZ4HC.
    struct HcStream(NonNull<c_void>);

    impl HcStream {
        fn new() -> Self {
            // SAFETY: no preconditions; null is checked.
            let stream = unsafe { LZ4_createStreamHC() };
            Self(NonNull::new(stream).expect("memory for an LZ4HC stream"))
        }
    }

    impl Drop for HcStream {
        fn drop(&mut self) {
            // SAFETY: made by `LZ4_createStreamHC`, freed once.
            unsafe { LZ4_freeStreamHC(self.0.as_ptr()) };
        }
    }

    thread_local! {
        static STREAM: RefCell<Counted<Stream>> =
            RefCell::new(Counted::new(Stream::new(), STREAM_SIZE));
        static HC_STREAM: RefCell<Counted<HcStream>> =
            RefCell::new(Counted::new(HcStream::new(), HC_STREAM_SIZE));
    }

    /// Calls `call(source, source_size, target, target_capacity)` to append a block to `output`.
    fn append(
        input: &[u8],
        output: &mut Vec<u8>,
        call: impl FnOnce(*const c_char, c_int, *mut c_char, c_int) -> c_int,
    ) -> bool {
        let Ok(input_size) = c_int::try_from(input.len()) else { return false };
        let spare = output.spare_capacity_mut();
        let capacity = spare.len().min(c_int::MAX as usize);
        let target = spare.as_mut_ptr().cast();
        let written = call(input.as_ptr().cast(), input_size, target, capacity as c_int);
        let Ok(written) = usize::try_from(written) else { return false };
        assert!(written <= capacity);
        // SAFETY: `call` initialised `written` bytes of the spare capacity, from its start on.
        unsafe { output.set_len(output.len() + written) };
        written > 0
    }

    /// Appends a block of `input` to `output`, within its capacity. Says whether it could.
    pub(super) fn compress(
        input: &[u8],
        output: &mut Vec<u8>,
        dictionary: &[u8],
        acceleration: c_int,
    ) -> bool {
        let dictionary = last_window(dictionary);
        STREAM.with_borrow_mut(|stream| {
            let stream = stream.context.0.as_ptr();
            // SAFETY: the stream is live and this thread's alone. Either call puts it into a fresh
            // state, in which it refers at most to `dictionary`, and that outlives this function.
            unsafe {
                if dictionary.is_empty() {
                    // All of it is cleared: after a fast reset blocks meet what is left of earlier ones
                    // in its table, and take more than twice as long.
                    LZ4_resetStream(stream);
                } else {
                    LZ4_loadDict(stream, dictionary.as_ptr().cast(), dictionary.len() as c_int);
                }
            }
            append(input, output, |source, size, target, capacity| {
                // SAFETY: `source` is readable for `size` bytes, `target` writable for `capacity`,
                // and neither overlaps the other or the dictionary.
                unsafe {
                    LZ4_compress_fast_continue(stream, source, target, size, capacity, acceleration)
                }
            })
        })
    }

    /// As [`compress`], by LZ4HC.
    pub(super) fn compress_hc(
        input: &[u8],
        output: &mut Vec<u8>,
        dictionary: &[u8],
        level: c_int,
    ) -> bool {
        let dictionary = last_window(dictionary);
        HC_STREAM.with_borrow_mut(|stream| {
            let stream = stream.context.0.as_ptr();
            // SAFETY: the stream is live and this thread's alone. The reset lets it forget earlier
            // inputs; then it refers at most to `dictionary`, which outlives this function.
            unsafe {
                LZ4_resetStreamHC_fast(stream, level);
                if !dictionary.is_empty() {
                    LZ4_loadDictHC(stream, dictionary.as_ptr().cast(), dictionary.len() as c_int);
                }
            }
            append(input, output, |source, size, target, capacity| {
                // SAFETY: `source` is readable for `size` bytes, `target` writable for `capacity`,
                // and neither overlaps the other or the dictionary.
                unsafe { LZ4_compress_HC_continue(stream, source, target, size, capacity) }
            })
        })
    }
}
