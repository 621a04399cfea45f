//! The limits that the design of Touchstone's read and write paths was planned with, from the constants
//! that were measured then.

use super::workload::Order;
use super::*;

/// A virtual machine with two processors.
fn measured() -> Values {
    Values::of_symbols(&[
        ("C2", 4.0),
        ("C3", 12.0),
        ("D", 145.0),
        ("T32", 6.5),
        ("Br", 37.0),
        ("Dw", 1.5),
        ("Dr", 1.8),
        ("I1", 14_000.0),
        ("I16", 64_000.0),
        ("I64", 84_000.0),
        ("Sf", 3500.0),
    ])
}

fn workload(benchmark: &str) -> Workload {
    Workload {
        benchmark: benchmark.to_owned(),
        entries: 5_000_000,
        operations: 5_000_000,
        processors: 2,
        stored_share: 1.0,
        ..Workload::default()
    }
}

fn micros(workload: &Workload) -> (f64, Resource) {
    let limit = limit(workload, &measured()).expect("a formula covers it");
    (limit.nanos_per_op / 1000.0, limit.by)
}

#[track_caller]
fn near(workload: &Workload, micros_expected: f64, by: Resource) {
    let (micros, limited_by) = micros(workload);
    assert!((micros / micros_expected - 1.0).abs() < 0.08, "{micros} for {micros_expected}");
    assert_eq!(limited_by, by);
}

#[test]
fn writing_in_order_is_limited_by_the_processor() {
    near(&workload("fillseq"), 0.10, Resource::Processor);
    let device = device_limit(
        &workload("fillseq"),
        workload("fillseq").amplification(Order::Keys),
        &measured(),
    );
    assert!((device.expect("constants are there").nanos_per_op - 80.0).abs() < 5.0);
}

#[test]
fn larger_values_in_order_are_limited_by_the_device() {
    let larger = Workload { key_bytes: 20, value_bytes: 400, ..workload("fillseq") };
    near(&larger, 0.28, Resource::Device);
}

#[test]
fn random_writes_are_written_three_times() {
    let fill = workload("fillrandom");
    assert_eq!(fill.amplification(Order::Random), Amplification { written: 3.0, read: 2.0 });
    near(&fill, 0.35, Resource::Device);
}

#[test]
fn overwriting_a_deep_tree_takes_what_its_amplification_says() {
    let deep = Workload { key_bytes: 20, value_bytes: 400, ..workload("overwrite") };
    let ten = Amplification { written: 10.0, read: 0.0 };
    let device = device_limit(&deep, ten, &measured()).expect("constants are there");
    assert!((device.nanos_per_op - 2800.0).abs() < 1.0);
    let campaign = Workload { entries: 20_000_000, fanout: 8.0, ..deep };
    assert_eq!(campaign.amplification(Order::Over).written, 10.0);
}

#[test]
fn cached_lookups_are_three_loads() {
    near(&workload("readrandom"), 0.535, Resource::Memory);
    let mut nominal = measured();
    nominal.0.extend(Values::of_symbols(&[("D", 90.0)]).0);
    let limit = limit(&workload("readrandom"), &nominal).expect("a formula covers it");
    assert_eq!(limit.nanos_per_op, 370.0);
}

#[test]
fn batches_overlap_their_loads() {
    let batch = Workload { batch: 10, ..workload("multireadrandom") };
    near(&batch, 0.118, Resource::Memory);
    let larger = Workload { value_bytes: 400, ..batch.clone() };
    let (micros_larger, _) = micros(&larger);
    assert!((0.118..0.18).contains(&micros_larger), "{micros_larger}");
    assert_eq!(micros(&Workload { batch: 1, ..batch }), micros(&workload("readrandom")));
}

#[test]
fn scans_and_seeks() {
    near(&workload("readseq"), 0.010, Resource::Memory);
    let seek = Workload { seek_nexts: 10, runs: 3, ..workload("seekrandom") };
    near(&seek, 0.9, Resource::Memory);
    assert!(micros(&Workload { seek_nexts: 100, ..seek.clone() }).0 > micros(&seek).0);
}

#[test]
fn cold_lookups_wait_for_the_device_until_all_blocks_were_read() {
    let cold = Workload { is_cold: true, operations: 100_000, ..workload("readrandom") };
    near(&cold, 71.0, Resource::Device);
    let long = Workload { operations: 1_000_000_000, ..cold.clone() };
    near(&long, 0.535, Resource::Memory);
    near(&Workload { threads: 16, ..cold }, 1e6 / 64_000.0, Resource::Device);
}

#[test]
fn synced_writes_take_a_sync() {
    near(&workload("fillsync"), 3500.0, Resource::Sync);
    near(&Workload { is_synced: true, ..workload("fillrandom") }, 3500.0, Resource::Sync);
}

#[test]
fn threads_help_reads_up_to_the_processors() {
    let two = Workload { threads: 2, ..workload("readrandom") };
    near(&two, 0.2675, Resource::Memory);
    assert_eq!(micros(&Workload { threads: 8, ..two.clone() }), micros(&two));
}

#[test]
fn what_fits_the_memtable_never_sees_the_device() {
    let small = Workload { entries: 1000, operations: 1000, ..workload("fillrandom") };
    near(&small, 0.17, Resource::Processor);
}

#[test]
fn what_fits_a_cache_is_looked_up_there() {
    let small = Workload { entries: 2000, ..workload("readrandom") };
    near(&small, 0.112, Resource::Memory);
}

#[test]
fn nothing_is_said_where_a_constant_or_a_formula_is_missing() {
    assert_eq!(limit(&workload("compact"), &measured()), None);
    assert_eq!(limit(&workload("readrandom"), &Values::default()), None);
}

#[test]
fn percent_of_the_limit() {
    let limit = Limit { nanos_per_op: 500.0, by: Resource::Memory };
    assert_eq!(percent_reached(&limit, 1000.0), Some(50.0));
    assert_eq!(percent_reached(&limit, 0.0), None);
}
