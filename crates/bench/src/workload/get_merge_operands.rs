//! `getmergeoperands`: two ways to look for a number in a long list that was merged of short ones:
//! in the value, and in its operands. `readrandomoperands`: the operands of random keys.

use super::{Thread, Workload, random_lookups};
use base::Result;
use engines::Engine;
use std::time::Instant;

const NUMBER_MAX: u32 = 100_000;
const OPERAND_NUMBERS: u32 = 100;
const WANTED: u32 = 1;
/// So many operands are printed.
const SHOWN: usize = 4;

pub(super) fn run<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    const KEY: &[u8] = b"my_key";
    let target = workload.select_target(&mut thread.random);
    let (db, family) = (&target.db, &target.families[0]);
    for first in (0..NUMBER_MAX - OPERAND_NUMBERS).step_by(OPERAND_NUMBERS as usize) {
        let numbers = first + 1..first + OPERAND_NUMBERS;
        let list = numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(",");
        db.merge(&workload.write_options, family, KEY, list.as_bytes())?;
    }
    println!("--- Get API call --- ");
    let started = Instant::now();
    let value = db.get(&workload.read_options, family, KEY)?;
    let value = value.as_deref().unwrap_or_default();
    println!("Found key? {}", u8::from(has(value)));
    println!("Get: {} seconds", started.elapsed().as_secs_f64());
    println!("Sample data from Get API call: {}", value[..value.len().min(10)].escape_ascii());
    println!("--- GetMergeOperands API --- ");
    let started = Instant::now();
    let operands = db.merge_operands(&workload.read_options, family, KEY)?.unwrap_or_default();
    println!("Found key? {}", u8::from(operands.iter().any(|operand| has(operand))));
    println!("Get Merge operands: {} seconds ", started.elapsed().as_secs_f64());
    print!("Sample data from GetMergeOperands API call: ");
    for (index, operand) in operands.iter().take(SHOWN).enumerate() {
        println!("List: {index} : {}", operand.escape_ascii());
    }
    Ok(())
}

fn has(list: &[u8]) -> bool {
    let text = String::from_utf8_lossy(list);
    let numbers: Vec<u32> = text.split(',').flat_map(str::parse).collect();
    numbers.binary_search(&WANTED).is_ok()
}

pub(super) fn run_random<E: Engine>(workload: &Workload<'_, E>, thread: &mut Thread) -> Result<()> {
    random_lookups::run(workload, thread, |db, family, key| {
        let operands = db.merge_operands(&workload.read_options, family, key)?;
        Ok(operands.map(|operands| operands.iter().map(Vec::len).sum()))
    })
}
