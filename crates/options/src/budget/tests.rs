use super::*;
use crate::dangers::{column_family_dangers, db_dangers};

fn budgets() -> impl Iterator<Item = Budget> {
    let memories = [32 * MIB, 33 * MIB + 5, 100 * MIB, 1 << 30, 5 << 30, 300 << 30, u64::MAX];
    let with_threads = |memory| [1, 2, 3, 4, 16, 1024].map(|threads| (memory, threads));
    memories.into_iter().flat_map(with_threads).flat_map(|(memory, threads)| {
        WorkloadProfile::ALL.map(|profile| Budget::new(memory, threads, profile).unwrap())
    })
}

#[test]
fn parts_of_the_memory_are_the_memory() {
    for budget in budgets() {
        let parts = budget.memory();
        let sum: u64 = parts.iter().map(|part| part.bytes).sum();
        assert_eq!(sum, budget.memory_bytes, "{budget:?}");
        assert!(parts.iter().all(|part| part.bytes >= MIB), "{budget:?}: {parts:?}");
    }
}

#[test]
fn options_keep_to_the_parts() {
    for budget in budgets() {
        let options = budget.options();
        let [memtables, block_cache, _] = budget.memory();
        let family = &options.column_family;
        let buffers = family.write_buffer_size * family.max_write_buffer_number as u64;
        assert!(buffers <= memtables.bytes, "{budget:?}");
        assert!(buffers >= memtables.bytes / 2 || buffers == 4 << 30, "{budget:?}: {buffers}");
        assert_eq!(options.db.db_write_buffer_size, memtables.bytes, "{budget:?}");
        let cache = family.table.block_cache.as_ref().expect("a block cache");
        assert_eq!(cache.capacity, block_cache.bytes, "{budget:?}");
        assert!(family.table.cache_index_and_filter_blocks, "{budget:?}");
    }
}

#[test]
fn everything_chosen_is_honoured() {
    for budget in budgets() {
        let options = budget.options();
        assert_eq!(options.db.unhonoured(), [], "{budget:?}");
        assert_eq!(options.column_family.unhonoured(), [], "{budget:?}");
    }
}

#[test]
fn what_differs_from_the_defaults_was_chosen() {
    let defaults = Options::default();
    for budget in budgets() {
        let (options, choices) = (budget.options(), budget.choices());
        let chosen = |owner: Owner, name: &str| {
            choices.iter().any(|choice| choice.owner == owner && choice.option == name)
        };
        for info in crate::DbOptions::infos() {
            let is_default = options.db.get(info.name) == defaults.db.get(info.name);
            assert!(is_default || chosen(Owner::Db, info.name), "{budget:?}: {}", info.name);
        }
        for info in crate::ColumnFamilyOptions::infos() {
            let (now, before) = (&options.column_family, &defaults.column_family);
            let is_default = now.get(info.name) == before.get(info.name);
            assert!(
                is_default || chosen(Owner::ColumnFamily, info.name),
                "{budget:?}: {}",
                info.name
            );
        }
    }
}

/// But for those whose point another load is, and those that three numbers cannot spare.
#[test]
fn nothing_chosen_is_dangerous() {
    for budget in budgets() {
        let options = budget.options();
        let mut dangers = db_dangers(&options.db);
        dangers.extend(column_family_dangers(&options.column_family));
        dangers.retain(|danger| match danger.option {
            "filter_policy" => budget.profile != WorkloadProfile::Scans,
            "max_background_jobs" => budget.threads > 4,
            "write_buffer_size" => budget.memory_bytes >= 64 * MIB,
            "max_total_wal_size" => budget.memory_bytes < 64 << 30,
            _ => true,
        });
        assert_eq!(dangers, [], "{budget:?}");
    }
}

#[test]
fn every_choice_is_made_once_and_has_a_reason() {
    for budget in budgets() {
        let choices = budget.choices();
        for (at, choice) in choices.iter().enumerate() {
            assert!(!choices[..at].iter().any(|c| c.option == choice.option), "{choice:?}");
            assert!(choice.because.len() > 10 && !choice.because.ends_with('.'), "{choice:?}");
        }
    }
}

#[test]
fn loads_differ_where_they_should() {
    let options = |profile| Options::for_budget(1 << 30, 8, profile).unwrap();
    let lookups = options(WorkloadProfile::PointReads);
    let scans = options(WorkloadProfile::Scans);
    let ingest = options(WorkloadProfile::Ingest);
    let mixed = options(WorkloadProfile::Mixed);
    assert!(scans.column_family.table.filter_policy.is_none());
    assert!(lookups.column_family.table.filter_policy.is_some());
    assert!(ingest.column_family.write_buffer_size > mixed.column_family.write_buffer_size / 2);
    assert!(ingest.db.max_background_jobs > lookups.db.max_background_jobs);
    let trigger = |options: &Options| options.column_family.level0_file_num_compaction_trigger;
    assert_eq!([&lookups, &scans, &mixed, &ingest].map(trigger), [2, 2, 4, 8]);
}

#[test]
fn too_little_is_refused() {
    let refused = |memory, threads| {
        Budget::new(memory, threads, WorkloadProfile::Mixed).unwrap_err().to_string()
    };
    assert_eq!(refused(1000, 1), "Invalid argument: memory of 1000 bytes: expected 32M at least");
    assert_eq!(refused(1 << 30, 0), "Invalid argument: 0 threads: expected 1 to 1024");
    assert_eq!(
        "all".parse::<WorkloadProfile>().unwrap_err().to_string(),
        "Invalid argument: profile \"all\": expected one of point-reads, scans, ingest, mixed"
    );
}

#[test]
fn sizes_are_as_option_strings_have_them() {
    for (bytes, text) in [
        (0, "0"),
        (1, "1"),
        (1023, "1023"),
        (1024, "1K"),
        (1536, "1536"),
        (3 << 29, "1536M"),
        (1 << 40, "1T"),
    ] {
        assert_eq!(size(bytes), text);
    }
}
