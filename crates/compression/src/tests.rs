use super::*;
use base::coding;
use base::status::Code;
use proptest::prelude::*;

const DICTIONARY_KINDS: [CompressionType; 4] =
    [CompressionType::Zlib, CompressionType::Lz4, CompressionType::Lz4hc, CompressionType::Zstd];

fn supported() -> impl Iterator<Item = CompressionType> {
    CompressionType::all().filter(|&kind| kind != CompressionType::Xpress)
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().map(|c| (c as char).to_digit(16).unwrap() as u8).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

struct GoldenBlock {
    name: String,
    format_version: u32,
    kind: CompressionType,
    size: usize,
    crc: u32,
    dictionary: Option<UncompressionDictionary>,
    payload: Vec<u8>,
}

/// Every codec, the sizes in front of old and new format versions, and raw and trained dictionaries.
/// Sizes and checksums of the contents were confirmed by other decoders.
fn golden_blocks() -> Vec<GoldenBlock> {
    let text = include_str!("tests/blocks.txt");
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let block = |pair: &[&str]| {
        let fields: Vec<&str> = pair[0].split(' ').collect();
        GoldenBlock {
            name: format!("{} {}", fields[0], fields[1]),
            format_version: fields[2].parse().unwrap(),
            kind: CompressionType::from_u8(fields[3].parse().unwrap()).unwrap(),
            size: fields[4].parse().unwrap(),
            crc: u32::from_str_radix(fields[5], 16).unwrap(),
            dictionary: (fields[6] != "-")
                .then(|| UncompressionDictionary::new(from_hex(fields[6]))),
            payload: from_hex(pair[1]),
        }
    };
    lines.chunks(2).map(block).collect()
}

impl GoldenBlock {
    fn decompress(&self, payload: &[u8]) -> Result<Vec<u8>> {
        decompress(self.kind, payload, self.format_version, self.dictionary.as_ref())
    }
}

#[test]
fn golden_blocks_of_rocksdb() {
    let blocks = golden_blocks();
    assert_eq!(blocks.len(), 14);
    for block in &blocks {
        let contents = block.decompress(&block.payload).unwrap();
        assert_eq!(contents.len(), block.size, "{}", block.name);
        assert_eq!(base::crc32c::value(&contents), block.crc, "{}", block.name);
    }
    for kind in supported().filter(|&kind| kind != CompressionType::None) {
        assert!(blocks.iter().any(|block| block.kind == kind), "{kind}");
    }
}

#[test]
fn golden_blocks_cut_short_are_corruption() {
    for block in golden_blocks() {
        for length in 0..block.payload.len() {
            let error = block.decompress(&block.payload[..length]).unwrap_err();
            assert!(error.is_corruption(), "{} {length}: {error}", block.name);
        }
        let longer = [&block.payload[..], &[0]].concat();
        assert!(block.decompress(&longer).is_err(), "{}", block.name);
    }
}

/// Without checksums flipped bits may go unseen, but never as a wrong size, and never as a panic.
#[test]
fn golden_blocks_with_a_flipped_bit_give_the_size_or_an_error() {
    for block in golden_blocks() {
        let mut payload = block.payload.clone();
        for at in 0..payload.len() {
            payload[at] ^= 1 << (at % 8);
            match block.decompress(&payload) {
                Ok(contents) => assert!(contents.len() <= 100 << 20, "{} {at}", block.name),
                Err(error) => assert!(error.is_corruption(), "{} {at}: {error}", block.name),
            }
            payload[at] = block.payload[at];
        }
    }
}

#[test]
fn a_wrong_or_missing_dictionary_is_never_the_same_content() {
    for mut block in golden_blocks().into_iter().filter(|block| block.dictionary.is_some()) {
        for dictionary in [None, Some(UncompressionDictionary::new(*b"another dictionary"))] {
            block.dictionary = dictionary;
            if let Ok(contents) = block.decompress(&block.payload) {
                assert_ne!(base::crc32c::value(&contents), block.crc, "{}", block.name);
            }
        }
    }
}

fn sample(length: usize) -> Vec<u8> {
    let mut text = Vec::new();
    for index in 0u32.. {
        if text.len() >= length {
            break;
        }
        let noise = index.wrapping_mul(0x9e37_79b9) >> 12;
        text.extend_from_slice(format!("key{index:08} value{noise} some words ").as_bytes());
    }
    text.truncate(length);
    text
}

fn round_trip(kind: CompressionType, options: &CompressionOptions, input: &[u8], raw: &[u8]) {
    let writing = CompressionDictionary::new(kind, options, raw).unwrap();
    let reading = UncompressionDictionary::new(raw);
    let payload = compress(kind, options, input, Some(&writing)).unwrap();
    let contents = decompress(kind, &payload, 5, Some(&reading)).unwrap();
    assert!(contents == input, "{kind}, {} bytes, dictionary of {}", input.len(), raw.len());
}

#[test]
fn round_trips_of_many_lengths() {
    let options = CompressionOptions::default();
    for kind in supported() {
        for length in [0, 1, 2, 5, 13, 100, 1000, 4096, 40_000, 70_000, 1 << 20] {
            let input = sample(length);
            let payload = compress(kind, &options, &input, None).unwrap();
            assert!(decompress(kind, &payload, 5, None).unwrap() == input, "{kind} {length}");
            if length >= 1000 && kind != CompressionType::None {
                assert!(payload.len() < length * 7 / 8, "{kind} {length}: {}", payload.len());
            }
        }
        for byte in [0, 0x61] {
            let input = vec![byte; 3 << 20];
            let payload = compress(kind, &options, &input, None).unwrap();
            assert!(decompress(kind, &payload, 5, None).unwrap() == input, "{kind}: run");
        }
    }
}

#[test]
fn old_format_versions_differ_in_the_size_only() {
    let input = sample(20_000);
    for kind in supported() {
        let payload = compress(kind, &CompressionOptions::default(), &input, None).unwrap();
        let mut stream = &payload[..];
        let old = match kind {
            CompressionType::Zlib | CompressionType::Bzip2 => {
                coding::get_varint32(&mut stream).unwrap();
                stream.to_vec()
            }
            CompressionType::Lz4 | CompressionType::Lz4hc => {
                let size = u64::from(coding::get_varint32(&mut stream).unwrap());
                [&size.to_le_bytes(), stream].concat()
            }
            _ => payload.clone(),
        };
        for format_version in [0, 1] {
            assert!(decompress(kind, &old, format_version, None).unwrap() == input, "{kind}");
        }
    }
}

#[test]
fn dictionaries_of_many_lengths() {
    let options = CompressionOptions::default();
    let input = sample(4096);
    for kind in supported() {
        for length in [0, 3, 8, 100, 4096, 16 << 10, 40_000, 64 << 10, 100_000] {
            // The last bytes of the dictionary are those that every codec can reach.
            let raw = [sample(length), input.clone()].concat();
            round_trip(kind, &options, &input, &raw[raw.len() - length..]);
        }
    }
}

/// Contexts are kept: what comes out depends on nothing that was compressed before.
#[test]
fn earlier_blocks_leave_nothing_behind() {
    let options = CompressionOptions::default();
    let raw = sample(5000);
    let lengths = [4090, 100, 70_000, 0, 4096, 65_546, 65_547, 30_000];
    for kind in DICTIONARY_KINDS {
        let dictionary = CompressionDictionary::new(kind, &options, &raw[..]).unwrap();
        let reading = UncompressionDictionary::new(&raw[..]);
        let (with, without) = ((Some(&dictionary), Some(&reading)), (None, None));
        for step in 0..200 {
            let (writing, reading) = if step % 3 == 1 { with } else { without };
            let input = &sample(80_000)[step..][..lengths[step * 5 % lengths.len()]];
            let payload = compress(kind, &options, input, writing).unwrap();
            assert!(decompress(kind, &payload, 5, reading).unwrap() == input, "{kind} {step}");
        }
    }
}

#[test]
fn a_dictionary_makes_payloads_smaller() {
    let options = CompressionOptions::default();
    let (input, raw) = (sample(1000), sample(4000));
    for kind in DICTIONARY_KINDS {
        let dictionary = CompressionDictionary::new(kind, &options, &raw[..]).unwrap();
        let with = compress(kind, &options, &input, Some(&dictionary)).unwrap();
        let without = compress(kind, &options, &input, None).unwrap();
        assert!(with.len() * 4 < without.len(), "{kind}: {} {}", with.len(), without.len());
        assert!(kind.uses_dictionary());
    }
}

#[test]
fn a_trained_dictionary_round_trips() {
    let samples = sample(100_000);
    let lengths = [1000; 100];
    let raw = CompressionDictionary::train_zstd(&samples, &lengths, 2048).unwrap();
    assert!(raw.starts_with(&[0x37, 0xa4, 0x30, 0xec]) && raw.len() <= 2048);
    for kind in supported() {
        round_trip(kind, &CompressionOptions::default(), &sample(3000), &raw);
    }
    let error = CompressionDictionary::train_zstd(b"few", &[3], 2048).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
}

#[test]
fn a_broken_trained_dictionary_is_an_error() {
    let raw = [&[0x37, 0xa4, 0x30, 0xec][..], &[0xff; 100]].concat();
    let options = CompressionOptions::default();
    let error = CompressionDictionary::new(CompressionType::Zstd, &options, &raw[..]).unwrap_err();
    assert_eq!(error.code(), Code::InvalidArgument);
    let payload = compress(CompressionType::Zstd, &options, b"abc", None).unwrap();
    let dictionary = UncompressionDictionary::new(raw);
    let error = decompress(CompressionType::Zstd, &payload, 5, Some(&dictionary)).unwrap_err();
    assert!(error.is_corruption(), "{error}");
}

#[test]
fn a_dictionary_counts_its_digest() {
    let dictionary = UncompressionDictionary::new(sample(1000));
    let before = dictionary.memory_usage_bytes();
    assert!(before >= 1000);
    dictionary.zstd().unwrap();
    assert!(dictionary.memory_usage_bytes() >= before + 1000);
}

#[test]
fn levels_count_and_wrong_options_are_refused() {
    let input = sample(50_000);
    let size = |kind, level| {
        let options = CompressionOptions { level, ..Default::default() };
        let payload = compress(kind, &options, &input, None).unwrap();
        assert!(decompress(kind, &payload, 5, None).unwrap() == input);
        payload.len()
    };
    assert!(size(CompressionType::Zstd, 15) < size(CompressionType::Zstd, 1));
    assert!(size(CompressionType::Zlib, 9) < size(CompressionType::Zlib, 1));
    assert!(size(CompressionType::Zlib, -1) == size(CompressionType::Zlib, 6));
    assert!(size(CompressionType::Lz4, 1) < size(CompressionType::Lz4, -30));
    assert!(size(CompressionType::Lz4hc, 12) <= size(CompressionType::Lz4hc, 3));
    for window_bits in -15..=-9 {
        let options = CompressionOptions { window_bits, ..Default::default() };
        round_trip(CompressionType::Zlib, &options, &input, &input[..30_000]);
    }
    for options in [
        CompressionOptions { window_bits: 15, ..Default::default() },
        CompressionOptions { window_bits: -16, ..Default::default() },
        CompressionOptions { level: 10, ..Default::default() },
    ] {
        assert!(compress(CompressionType::Zlib, &options, &input, None).is_err(), "{options:?}");
    }
}

#[test]
fn a_zstd_checksum_is_written_and_checked() {
    let input = sample(3000);
    let raw = sample(2000);
    let options = CompressionOptions { checksum: true, ..Default::default() };
    let plain = CompressionOptions::default();
    let kind = CompressionType::Zstd;
    let dictionary = CompressionDictionary::new(kind, &options, &raw[..]).unwrap();
    for dictionary in [None, Some(&dictionary)] {
        let mut payload = compress(kind, &options, &input, dictionary).unwrap();
        let without = compress(kind, &plain, &input, dictionary).unwrap();
        assert_eq!(payload.len(), without.len() + 4);
        *payload.last_mut().unwrap() ^= 1;
        let reading = UncompressionDictionary::new(&raw[..]);
        assert!(decompress(kind, &payload, 5, Some(&reading)).is_err());
    }
}

#[test]
fn xpress_is_refused_by_name() {
    let kind = CompressionType::Xpress;
    let options = CompressionOptions::default();
    for error in [
        decompress(kind, b"abc", 5, None).unwrap_err(),
        compress(kind, &options, b"abc", None).unwrap_err(),
    ] {
        assert_eq!(error.code(), Code::NotSupported);
        assert!(error.message().contains("Xpress"));
    }
}

/// A few bytes that promise gigabytes are refused before any allocation.
#[test]
fn promised_sizes_need_input_to_show_for_them() {
    let mut promise = Vec::new();
    coding::put_varint32(&mut promise, u32::MAX);
    promise.extend_from_slice(&sample(40));
    for kind in supported().filter(|&kind| kind != CompressionType::None) {
        let error = decompress(kind, &promise, 5, None).unwrap_err();
        assert!(error.is_corruption(), "{kind}: {error}");
    }
    let promise = [&u64::MAX.to_le_bytes()[..], &[0; 40]].concat();
    assert!(decompress(CompressionType::Lz4, &promise, 0, None).unwrap_err().is_corruption());
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(input: Vec<u8>, size in 0u32..100_000, format_version in 0u32..3) {
        let mut prefixed = Vec::new();
        coding::put_varint32(&mut prefixed, size);
        prefixed.extend_from_slice(&input);
        let dictionary = UncompressionDictionary::new(sample(500));
        for kind in supported().filter(|&kind| kind != CompressionType::None) {
            for bytes in [&input, &prefixed] {
                for dictionary in [None, Some(&dictionary)] {
                    if let Err(error) = decompress(kind, bytes, format_version, dictionary) {
                        prop_assert!(error.is_corruption(), "{}: {}", kind, error);
                    }
                }
            }
        }
    }

    #[test]
    fn arbitrary_bytes_round_trip(input: Vec<u8>, raw: Vec<u8>) {
        for kind in supported() {
            round_trip(kind, &CompressionOptions::default(), &input, &raw);
        }
    }

    /// An independent decoder reads what liblz4 writes, with dictionaries too.
    #[test]
    fn another_decoder_reads_our_lz4(input: Vec<u8>, raw in prop::collection::vec(0u8..4, 0..99)) {
        let options = CompressionOptions::default();
        for kind in [CompressionType::Lz4, CompressionType::Lz4hc] {
            let dictionary = CompressionDictionary::new(kind, &options, &raw[..]).unwrap();
            let payload = compress(kind, &options, &input, Some(&dictionary)).unwrap();
            let mut stream = &payload[..];
            let size = coding::get_varint32(&mut stream).unwrap() as usize;
            let mut output = vec![0; size];
            let decoded = lz4_flex::block::decompress_into_with_dict(stream, &mut output, &raw);
            prop_assert_eq!(decoded.ok(), Some(size));
            prop_assert_eq!(&output, &input);
        }
    }
}
