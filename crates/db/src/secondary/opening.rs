//! Opening a database as a secondary.

use crate::call_warnings::CallWarnings;
use crate::column_family::{ColumnFamilyData, ColumnFamilyDescriptor};
use crate::db::OpenContext;
use crate::db_impl::DbImpl;
use crate::identity::{new_session_id, read_identity};
use crate::info_log::InfoLog;
use crate::open::found_files::FoundFiles;
use crate::open_files::OpenFiles;
use crate::read::read_view::Visibility;
use crate::recovery::{
    Descriptors, ManifestState, MemTableInserter, RecoveredDb, TransactionWritePolicy,
    expect_open_files, lossy, open_family, recovering_families, version_options, wal_directory,
};
use crate::secondary::Secondary;
use crate::secondary::follow::{Followed, FollowedMemory};
use crate::secondary::followed_family::FollowedFamily;
use crate::switch_memtable::memtable_options;
use crate::warnings;
use arc_swap::ArcSwap;
use base::{Result, Status};
use options::DbOptions;
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use version::{ColumnFamilyState, ManifestActivity, ManifestTail, build_version};

/// What `max_open_files` has to be for tables to stay readable when the primary has deleted them.
const LIMITED_OPEN_FILES: &str = "max_open_files is not -1: the primary may delete tables that are \
    not open here; reading them fails then until the secondary has caught up";

/// What tracked WALs are checked for only an open for writing can know: here the primary may be in
/// the middle of any of them.
const UNVERIFIED_WALS: &str = "track_and_verify_wals_in_manifest and track_and_verify_wals check \
    nothing in a secondary: a WAL that is missing or short may be one that the primary is at";

/// Opens the database in `path`, which another process may be writing.
pub(crate) fn open_as_secondary(
    options: &DbOptions,
    path: &Path,
    secondary_path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
) -> Result<Arc<DbImpl>> {
    check_supported(options, path, secondary_path, context)?;
    // Before anything is written: a path that is wrong leaves nothing behind.
    let tail = ManifestTail::open(&*context.file_system, path)?;
    env::create_dir_all(&*context.file_system, secondary_path)?;
    let info_log = InfoLog::begin(options, secondary_path, context, None);
    let fs = &*context.file_system;
    let directories = BTreeSet::from([path.to_owned(), wal_directory(options, path)]);
    let found = FoundFiles::list(fs, directories).ok();
    info_log.describe(options, path, descriptors, fs, found.as_ref(), &new_session_id());
    info_log.info(format_args!("Opening the db in secondary mode"));
    if options.max_open_files != -1 {
        info_log.warn(format_args!("{LIMITED_OPEN_FILES}"));
    }
    if options.track_and_verify_wals_in_manifest || options.track_and_verify_wals {
        info_log.warn(format_args!("{UNVERIFIED_WALS}"));
    }
    let opened = open_followed(options, path, descriptors, context, tail);
    let (mut db, followed) = match opened {
        Ok(opened) => opened,
        Err(status) => {
            info_log.opened(Err(&status));
            return Err(status);
        }
    };
    let secondary = Secondary {
        min_log_number_to_keep: AtomicU64::new(db.recovered.min_log_number_to_keep),
        followed: Mutex::new(followed),
        info_log,
    };
    let result = secondary.followed.lock().catch_up(&db, &secondary);
    db.warnings.iter().for_each(|warning| secondary.info_log.warn(format_args!("{warning}")));
    secondary.info_log.opened(result.as_ref().copied());
    result?;
    db.recovered.last_sequence = db.visibility.last_sequence();
    db.secondary = Some(secondary);
    Ok(Arc::new(db))
}

/// What the MANIFEST has, with no entry read.
fn open_followed(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
    mut tail: ManifestTail,
) -> Result<(DbImpl, Followed)> {
    let mut activity = ManifestActivity::default();
    tail.read(&mut activity)?;
    let states = family_states(options, &tail, path, descriptors)?;
    let (db, mut followed) = assemble(options, path, descriptors, context, &tail, &states)?;
    (followed.manifest, followed.activity) = (Some(tail), activity);
    Ok((db, followed))
}

fn check_supported(
    options: &DbOptions,
    path: &Path,
    secondary_path: &Path,
    context: &OpenContext,
) -> Result<()> {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    if absolute(path) == absolute(secondary_path) {
        return Err(Status::invalid_argument(format!(
            "secondary_path {} is the directory of the primary: a secondary writes its LOG to one of \
             its own",
            secondary_path.display()
        )));
    }
    if context.transaction_write_policy != TransactionWritePolicy::WriteCommitted {
        return Err(Status::not_supported(format!(
            "following a database of the transaction policy {:?}: a secondary reads what is \
             committed",
            context.transaction_write_policy
        )));
    }
    if options.best_efforts_recovery {
        return Err(Status::not_supported(
            "best_efforts_recovery of a secondary: files that are missing are awaited",
        ));
    }
    Ok(())
}

/// The column families asked for, as the MANIFEST has them.
fn family_states(
    options: &DbOptions,
    tail: &ManifestTail,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
) -> Result<Vec<ColumnFamilyState>> {
    let by_name = Descriptors::new(descriptors);
    let mut states = Vec::new();
    for family in tail.families().values() {
        let Some(descriptor) = by_name.find(&family.name) else { continue };
        let version =
            build_version(family, &version_options(options, descriptor)?).map_err(|status| {
                let (path, name) = (tail.path().display(), family.display_name());
                status.context(format_args!("{path}: column family \"{name}\""))
            })?;
        states.push(ColumnFamilyState {
            id: family.id,
            name: family.name.clone(),
            comparator_name: family.comparator_name.clone(),
            log_number: family.log_number,
            full_history_ts_low: family.full_history_ts_low.clone(),
            persist_user_defined_timestamps: family.persist_user_defined_timestamps,
            version: Arc::new(version),
        });
    }
    for descriptor in descriptors {
        if !states.iter().any(|state| state.name == descriptor.name.as_bytes()) {
            return Err(Status::invalid_argument(format!(
                "column family not found: {} in {}",
                descriptor.name,
                path.display()
            )));
        }
    }
    Ok(states)
}

fn assemble(
    options: &DbOptions,
    path: &Path,
    descriptors: &[ColumnFamilyDescriptor],
    context: &OpenContext,
    tail: &ManifestTail,
    states: &[ColumnFamilyState],
) -> Result<(DbImpl, Followed)> {
    let by_name = Descriptors::new(descriptors);
    let database = tail.database();
    let tracked_wals = BTreeMap::new();
    let manifest = ManifestState {
        path: tail.path(),
        families: states.iter().collect(),
        min_log_number_to_keep: database.min_log_number_to_keep,
        tracked_wals: &tracked_wals,
        wals: &[],
        is_new: false,
    };
    let recovering =
        recovering_families(&manifest, descriptors, |family| memtable_options(&family.options))?;
    let policy = context.transaction_write_policy;
    let inserter = MemTableInserter::new(recovering, options.allow_2pc, policy);
    let (mut families, mut followed) = (Vec::<Arc<ColumnFamilyData>>::new(), BTreeMap::new());
    let open_files = OpenFiles::new(options);
    for state in states {
        let descriptor = by_name.get(&state.name)?;
        let data =
            Arc::new(open_family(options, path, descriptor, context, state, None, &open_files)?);
        let family = FollowedFamily::new(data.clone(), version_options(options, descriptor)?);
        followed.insert(state.id, family);
        families.push(data);
    }
    expect_open_files(context, families.iter().map(|family| &**family));
    let is_opened = |id: &u32| followed.contains_key(id);
    let not_opened = tail.families().values().filter(|family| !is_opened(&family.id));
    let identity = read_identity(&*context.file_system, path)?;
    let recovered = RecoveredDb {
        manifest_path: tail.path().to_owned(),
        db_id: database.db_id.clone().or(identity.clone()),
        min_log_number_to_keep: database.min_log_number_to_keep,
        families_not_opened: not_opened.map(|family| lossy(&family.name)).collect(),
        ..RecoveredDb::default()
    };
    let followed = Followed {
        manifest: None,
        db_id: recovered.db_id.clone(),
        identity,
        activity: ManifestActivity::default(),
        memory: FollowedMemory::new(inserter, followed),
        wals: BTreeMap::new(),
        catch_ups: 0,
    };
    let db = DbImpl {
        path: path.to_owned(),
        current_options: ArcSwap::from_pointee(options.clone()),
        prefix_seek_opt_in_only: options.prefix_seek_opt_in_only,
        context: context.clone(),
        families: ArcSwap::from_pointee(families),
        visibility: Arc::new(Visibility::new(0, Arc::default())),
        recovered,
        warnings: warnings::warnings(options, descriptors),
        call_warnings: CallWarnings::default(),
        this: Weak::new(),
        writing: None,
        secondary: None,
    };
    Ok((db, followed))
}
