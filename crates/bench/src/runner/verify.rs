//! `verify`: the database has what that at `--truth_db` has, and nothing else.

use crate::flags::Flags;
use crate::target;
use crate::workload::Target;
use base::{Result, Status};
use db::ReadOptions;
use engines::{Cursor, Engine, Provider};
use std::path::Path;

pub(super) fn run<P: Provider>(
    flags: &Flags,
    provider: &P,
    targets: &[Target<P::Engine>],
) -> Result<()> {
    let [target] = targets else {
        return Err(Status::not_supported("verify with --num_multi_db"));
    };
    let path = flags.text("truth_db");
    let truth = target::open_for_reading(flags, Path::new(path), provider)?;
    let options = ReadOptions { total_order_seek: true, ..ReadOptions::default() };
    let compared = compare(&truth, target, &options);
    let Target { db, families } = truth;
    drop(families);
    compared.and_then(|()| db.close())
}

/// As `db_bench` goes about it: lookups first, then both in their order.
fn compare<E: Engine>(truth: &Target<E>, target: &Target<E>, options: &ReadOptions) -> Result<()> {
    let (db, family) = (&target.db, &target.families[0]);
    let own_options = db.read_options(options)?;
    let truth_options = truth.db.read_options(options)?;
    let mut expected = truth.db.new_iterator(&truth_options, &truth.families[0])?;
    eprintln!("Verifying db >= truth_db with ::Get...");
    expected.seek_to_first();
    while expected.valid() {
        let value = db.get(&own_options, family, expected.key())?;
        if value.as_deref() != Some(expected.value()) {
            let what = if value.is_some() { "another value" } else { "no value" };
            return Err(differs(expected.key(), what));
        }
        expected.next();
    }
    expected.status()?;
    eprintln!("Verifying db == truth_db...");
    let mut found = db.new_iterator(&own_options, family)?;
    expected.seek_to_first();
    found.seek_to_first();
    while found.valid() {
        if !expected.valid() || expected.key() != found.key() {
            return Err(differs(found.key(), "a value where the truth has none"));
        }
        if expected.value() != found.value() {
            return Err(differs(found.key(), "another value in its order"));
        }
        expected.next();
        found.next();
    }
    expected.status()?;
    found.status()?;
    if expected.valid() {
        return Err(differs(expected.key(), "no value in its order"));
    }
    eprintln!("...Verified");
    Ok(())
}

fn differs(key: &[u8], what: &str) -> Status {
    Status::corruption(format!("verify: key 0x{} has {what}", base::dbformat::hex(key)))
}
