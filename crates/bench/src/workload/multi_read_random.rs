//! `multireadrandom`: `--batch_size` random keys at a time.

use super::{Thread, Workload};
use crate::stats::OperationType;
use base::Result;
use engines::{Engine, MultiGetApi};

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let batch_size = workload.flags.uint("batch_size").max(1);
    let stride = workload.flags.uint("multiread_stride");
    let (mut read, mut found, mut bytes) = (0u64, 0u64, 0u64);
    let mut keys = vec![Vec::new(); batch_size as usize];
    let api = match workload.flags.bool("multiread_batched") {
        true => MultiGetApi::Array,
        false => MultiGetApi::Vector,
    };
    let mut room = E::MultiGetRoom::default();
    let mut limit = workload.limit();
    while !limit.is_done(batch_size) {
        let target = workload.select_target(&mut thread.random);
        if stride > 0 {
            let first = workload.chooser.choose_stride(&mut thread.random, batch_size, stride);
            for (index, key) in (0..).zip(&mut keys) {
                workload.key(first + index * stride, key);
            }
        } else {
            for key in &mut keys {
                workload.key(workload.chooser.choose(&mut thread.random), key);
            }
        }
        let family = &target.families[0];
        read += batch_size;
        let count = |index: usize, value: Option<&[u8]>| {
            if let Some(value) = value {
                found += 1;
                bytes += (keys[index].len() + value.len()) as u64;
            }
        };
        target.db.multi_get(&workload.read_options, family, &keys, api, &mut room, count)?;
        thread.stats.finished_operations(batch_size, OperationType::Read);
    }
    thread.stats.add_bytes(bytes);
    thread.stats.add_lookups(found, read);
    thread.stats.add_message(&format!("({found} of {read} found)"));
    Ok(())
}
