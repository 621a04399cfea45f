//! Outputs whose blocks several threads compress: the same as those of one thread.

use super::errors::job;
use super::*;
use base::sst_partitioner::SstPartitionerFixedPrefixFactory;

/// Values that get small in stretches, and noise in others.
fn mixed_entries(range: std::ops::Range<u32>, sequence: u64) -> Vec<Entry> {
    let mut state = sequence;
    let mut noise = || {
        state = state.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(1);
        (state >> 56) as u8
    };
    let mut entry = |number: u32| {
        let user_key = format!("key{number:06}");
        let value: Vec<u8> = match number / 70 % 3 {
            0 => std::iter::repeat_with(&mut noise).take(100).collect(),
            _ => vec![number as u8; 100],
        };
        (InternalKey::new(user_key.as_bytes(), sequence, ValueType::Value), value)
    };
    range.map(&mut entry).collect()
}

/// What else says where outputs end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ends {
    SizeAlone,
    SizeWithTail,
    Grandparents,
    Partitioner,
}

/// Names and contents of the outputs of one compaction.
fn outputs(
    ends: Ends,
    parallel_threads: u32,
    paranoid_file_checks: bool,
) -> Vec<(String, Vec<u8>)> {
    let comparator = InternalKeyComparator::bytewise();
    let environment = Arc::new(TestEnvironment::new(comparator.clone()));
    let older = flush(&environment, &mixed_entries(0..4000, 5), &[], 1, None).unwrap();
    let newer = flush(&environment, &mixed_entries(2000..6000, 9), &[], 2, None).unwrap();
    let grandparent =
        |range| Arc::new(flush(&environment, &mixed_entries(range, 1), &[], 1, None).unwrap());
    let grandparents =
        (0..12).map(|index| grandparent(index * 500..index * 500 + 300)).collect::<Vec<_>>();
    let version = version(&comparator, &[(0, older), (0, newer)], &[]);
    let mut compaction = compaction(version, &[0], 1, true);
    compaction.target_output_file_size = 60_000;
    compaction.max_output_file_size = 60_000;
    compaction.max_compaction_bytes = 100_000;
    compaction.output_compression = CompressionType::Zstd;
    compaction.output_compression_options.parallel_threads = parallel_threads;
    if ends == Ends::Grandparents {
        compaction.grandparents = grandparents;
    }
    let mut job = job(&environment, compaction);
    job.options.tables.paranoid_file_checks = paranoid_file_checks;
    job.options.target_file_size_is_upper_bound = ends == Ends::SizeWithTail;
    if ends == Ends::Partitioner {
        let factory = SstPartitionerFixedPrefixFactory::new("key00".len());
        job.options.sst_partitioner_factory = Some(Arc::new(factory));
    }
    let outcome = job.run(&[]).unwrap();
    let content = |output: &OutputFile| {
        let name = format!("{:06}.sst", output.metadata.number);
        let path = environment.directory.join(&name);
        let bytes = env::read_file_to_vec(&*environment.file_system, &path, 1 << 20).unwrap();
        (name, bytes)
    };
    outcome.files.iter().map(content).collect()
}

#[test]
fn outputs_end_where_those_of_one_thread_do_and_have_their_bytes() {
    for ends in [Ends::SizeAlone, Ends::SizeWithTail, Ends::Grandparents, Ends::Partitioner] {
        for paranoid_file_checks in [false, true] {
            let alone = outputs(ends, 1, paranoid_file_checks);
            assert!(alone.len() > 3, "{ends:?}: {}", alone.len());
            for threads in [2, 4] {
                let helped = outputs(ends, threads, paranoid_file_checks);
                assert!(helped == alone, "{ends:?}, {threads} threads");
            }
        }
    }
}
