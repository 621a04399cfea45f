//! `seekrandom`: a new iterator, a seek to a random key, then `--seek_nexts` entries.

use super::{Target, Thread, Workload};
use crate::stats::OperationType;
use base::{Result, Status};
use engines::{Cursor, Engine};
use std::hint::black_box;

/// Bytes of each value that are copied out, so that they are read.
const COPIED_BYTES: usize = 256;

/// What a thread has seen.
#[derive(Default)]
struct Seen {
    seeks: u64,
    found: u64,
    bytes: u64,
}

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    let first = &workload.targets[0];
    let mut options = workload.read_options.clone();
    let snapshot = match workload.flags.bool("explicit_snapshot") {
        true if workload.targets.len() > 1 => {
            return Err(Status::not_supported("--explicit_snapshot with --num_multi_db"));
        }
        true => Some(first.db.snapshot()?),
        false => None,
    };
    first.db.set_snapshot(&mut options, snapshot.as_ref())?;
    let mut bound = Bound::new(workload);
    // With tailing iterators one for each database goes on for ever; it has no bounds.
    let tailing_options = options.clone();
    let is_tailing = workload.flags.bool("use_tailing_iterator");
    let mut tailing = Vec::new();
    for target in workload.targets.iter().filter(|_| is_tailing) {
        tailing.push(target.db.new_iterator(&tailing_options, &target.families[0])?);
    }
    let walk = Walk::new(workload);
    let is_missing_prefix = workload.flags.bool("seek_missing_prefix");
    let (mut key, mut seen) = (Vec::new(), Seen::default());
    let mut limit = workload.limit();
    while !limit.is_done(1) {
        let position = thread.random.next_u64() % workload.chooser.key_count;
        workload.key(position, &mut key);
        if is_missing_prefix && key.len() > 8 {
            key[8] = b'1';
        }
        let index = match workload.targets.len() {
            1 => 0,
            count => thread.random.next_u64() as usize % count,
        };
        let target = &workload.targets[index];
        bound.set(workload, &target.db, &mut options, position, &key)?;
        match tailing.get_mut(index) {
            Some(iterator) => walk.run(workload, target, iterator, &key, &mut seen)?,
            None => {
                let mut iterator = target.db.new_iterator(&options, &target.families[0])?;
                walk.run(workload, target, &mut iterator, &key, &mut seen)?;
            }
        }
        workload.wait_for_reads(seen.seeks, 256);
        thread.stats.finished_operations(1, OperationType::Seek);
    }
    thread.stats.add_bytes(seen.bytes);
    thread.stats.add_lookups(seen.found, seen.seeks);
    thread.stats.add_message(&format!("({} of {} found)\n", seen.found, seen.seeks));
    Ok(())
}

/// What is done with an iterator.
struct Walk {
    /// Entries that are read after a seek.
    nexts: u64,
    /// Entries after those that are deleted.
    deletes: u64,
    is_reverse: bool,
}

impl Walk {
    fn new<E: Engine>(workload: &Workload<'_, E>) -> Self {
        let flags = workload.flags;
        Self {
            nexts: flags.uint("seek_nexts"),
            deletes: flags.uint("seek_nexts_to_delete"),
            is_reverse: flags.bool("reverse_iterator"),
        }
    }

    #[inline]
    fn step<C: Cursor>(&self, iterator: &mut C) {
        match self.is_reverse {
            true => iterator.prev(),
            false => iterator.next(),
        }
    }

    #[inline]
    fn run<E: Engine>(
        &self,
        workload: &Workload<'_, E>,
        target: &Target<E>,
        iterator: &mut E::Cursor<'_>,
        key: &[u8],
        seen: &mut Seen,
    ) -> Result<()> {
        let mut copy = [0; COPIED_BYTES];
        iterator.seek(key);
        seen.seeks += 1;
        seen.found += u64::from(iterator.valid() && iterator.key() == key);
        for _ in 0..self.nexts {
            if !iterator.valid() {
                break;
            }
            let value = iterator.value();
            let length = value.len().min(COPIED_BYTES);
            copy[..length].copy_from_slice(&value[..length]);
            black_box(&copy);
            seen.bytes += (iterator.key().len() + value.len()) as u64;
            self.step(iterator);
        }
        for _ in 0..self.deletes {
            if !iterator.valid() {
                break;
            }
            target.db.delete(&workload.write_options, &target.families[0], iterator.key())?;
            self.step(iterator);
        }
        iterator.status()
    }
}

/// Where iterators end.
struct Bound {
    /// Keys from the seek's on (`--max_scan_distance`); 0 for no bound.
    distance: u64,
    is_reverse: bool,
    /// Bytes of the prefix that they stay in (`--auto_prefix_mode`); 0 for no bound.
    prefix_size: usize,
    key: Vec<u8>,
}

impl Bound {
    fn new<E: Engine>(workload: &Workload<'_, E>) -> Self {
        let flags = workload.flags;
        let is_reverse = flags.bool("reverse_iterator");
        let has_prefix = flags.bool("auto_prefix_mode") && !is_reverse;
        Self {
            distance: flags.uint("max_scan_distance"),
            is_reverse,
            prefix_size: if has_prefix { flags.uint("prefix_size") as usize } else { 0 },
            key: Vec::new(),
        }
    }

    /// Sets the bound of an iterator that will be moved to `target`, the key of `position`.
    fn set<E: Engine>(
        &mut self,
        workload: &Workload<'_, E>,
        db: &E,
        options: &mut E::ReadOptions,
        position: u64,
        target: &[u8],
    ) -> Result<()> {
        if self.distance > 0 && self.is_reverse {
            workload.key(position.saturating_sub(self.distance), &mut self.key);
            return db.set_bounds(options, Some(&self.key), None);
        }
        if self.distance > 0 {
            let end = (position + self.distance).min(workload.chooser.key_count);
            workload.key(end, &mut self.key);
            return db.set_bounds(options, None, Some(&self.key));
        }
        if self.prefix_size > 0 {
            self.key.clear();
            self.key.extend_from_slice(&target[..self.prefix_size.min(target.len())]);
            if let Some(last) = self.key.last_mut() {
                *last = last.wrapping_add(1);
            }
            return db.set_bounds(options, None, Some(&self.key));
        }
        Ok(())
    }
}
