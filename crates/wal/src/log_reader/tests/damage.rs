//! Logs cut and flipped everywhere, random logs, and bytes that are none.

use super::*;
use proptest::prelude::*;
use testing::corrupt;

/// Entries of every kind, the last records with these sizes.
fn mixture(sizes: &[usize]) -> Vec<Seen> {
    let info = PredecessorWalInfo { log_number: 3, size_bytes: 5, last_sequence: 9 };
    let mut entries = vec![Seen::PredecessorWalInfo(info)];
    entries.extend(records(&[13, 200, 0]));
    entries.push(Seen::TimestampSizes(vec![(0, 8)]));
    entries.extend(records(sizes));
    entries
}

/// Sizes with which a mixture covers two blocks.
const TWO_BLOCKS: [usize; 3] = [BLOCK_SIZE - 400, 600, 40];

#[test]
fn every_truncation_gives_a_prefix_and_a_torn_tail() {
    let entries = mixture(&TWO_BLOCKS);
    for form in FORMS {
        let bytes = form.write(&entries);
        for size in 0..bytes.len() {
            let seen = read_all(&bytes[..size]);
            let (before, found) = until_damage(&seen);
            assert_eq!(before, &entries[..before.len()], "{form:?} {size}");
            assert!(before.len() + 1 >= seen.len(), "{form:?} {size} {seen:?}");
            assert!(found.is_none_or(|found| found.kind.is_torn_tail()), "{size} {found:?}");
        }
    }
}

#[test]
fn every_flipped_byte_gives_a_prefix_and_nothing_false() {
    check_flips(&mixture(&[100, 20]), &corrupt::MASKS);
    check_flips(&mixture(&TWO_BLOCKS), &[0xff]);
}

fn check_flips(entries: &[Seen], masks: &[u8]) {
    for form in FORMS {
        let bytes = form.write(entries);
        for flip in corrupt::flips(bytes.len(), masks) {
            let seen = read_all(&flip.apply(&bytes));
            let (before, found) = until_damage(&seen);
            assert_eq!(before, &entries[..before.len()], "{form:?} {flip}");
            assert!(found.is_some() || before == entries, "{form:?} {flip}");
            // Whoever goes on after damage finds a part of what was written.
            let mut rest = entries.iter();
            for entry in seen.iter().filter(|entry| !matches!(entry, Seen::Damage(_))) {
                assert!(rest.any(|written| written == entry), "{form:?} {flip} {entry:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_records_survive_any_form_and_cut(
        sizes in prop::collection::vec(
            prop_oneof![0usize..64, 0usize..5000, 32_700usize..32_800, 60_000usize..100_000],
            1..12,
        ),
        form in prop::sample::select(FORMS.to_vec()),
        cut in any::<prop::sample::Index>(),
        flipped in any::<prop::sample::Index>(),
        mask in 1u8..,
    ) {
        let entries = records(&sizes);
        let mut bytes = form.write(&entries);
        prop_assert_eq!(&read_all(&bytes), &entries);

        let seen = read_all(&bytes[..cut.index(bytes.len())]);
        let (before, _) = until_damage(&seen);
        prop_assert_eq!(before, &entries[..before.len()]);

        let position = flipped.index(bytes.len());
        bytes[position] ^= mask;
        let seen = read_all(&bytes);
        let (before, found) = until_damage(&seen);
        prop_assert_eq!(before, &entries[..before.len()]);
        prop_assert!(found.is_some() || before.len() == entries.len());
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
        read_all(&bytes);
    }

    #[test]
    fn any_physical_records_are_read_to_their_end(
        parts in prop::collection::vec(
            (prop_oneof![0u8..14, 128u8..134], 0usize..9000, any::<bool>()),
            0..30,
        ),
    ) {
        let mut bytes = Vec::new();
        for (seed, (number, size, zeros)) in parts.into_iter().enumerate() {
            let payload = if zeros { vec![0; size] } else { noise(seed as u64, size) };
            let log_number =
                PhysicalType::from_number(number).filter(|(_, form)| *form).map(|_| 4);
            crate::log_format::put_physical_record(&mut bytes, number, log_number, |output| {
                output.extend_from_slice(&payload);
            });
        }
        read_all_or_unsupported(&bytes);
    }
}

/// As [`read_all`], where a random compression type may stop it.
fn read_all_or_unsupported(bytes: &[u8]) {
    let mut reader = LogReader::new(Source::new(bytes), LOG_NUMBER);
    for _ in 0..=bytes.len() {
        match reader.read() {
            Ok(Some(LogEntry::Record(record))) => drop(WriteBatchReader::new(record.payload)),
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(status) => {
                assert_eq!(status.code(), base::status::Code::NotSupported, "{status}");
                return;
            }
        }
    }
    panic!("endless");
}
