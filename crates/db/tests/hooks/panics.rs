//! Whatever a program plugs in may panic: whoever waits hears of it, and nothing acknowledged is lost.

use crate::fixture::{Fixture, content, family, flush, put, try_compact};
use base::compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Decision, FilterValue,
    TableFileCreationReason,
};
use base::sst_partitioner::{
    PartitionerRequest, SstPartitioner, SstPartitionerContext, SstPartitionerFactory,
};
use base::status::Severity;
use base::table_properties_collector::{
    CollectedProperties, TablePropertiesCollector, TablePropertiesCollectorContext,
    TablePropertiesCollectorFactory,
};
use base::{
    FileChecksumGenContext, FileChecksumGenFactory, FileChecksumGenerator, MergeOperator,
    ParsedInternalKey, PinnableSlice, SliceTransform,
};
use db::{Db, EventListener, FlushJobInfo, FlushOptions, ReadOptions, WriteOptions};
use env::file_system_wrapper::{FileSystemWrapper, WritableFileWrapper};
use env::rate_limiter::{IoOperation, IoPriority, RateLimiter};
use env::{FileOptions, FileSystem, MemFileSystem, WritableFile};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// All hooks in one; which of its methods panics is set from outside.
#[derive(Clone, Debug, Default)]
struct Moody(Arc<AtomicU8>);

/// Methods that may panic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Method {
    Filter = 1,
    CreateFilter,
    ShouldFilter,
    Partition,
    CreatePartitioner,
    Collect,
    FinishCollector,
    CreateCollector,
    Transform,
    UpdateChecksum,
    FinalizeChecksum,
    CreateChecksum,
    RateLimiter,
    AppendToTable,
    AppendToWal,
}

const METHODS: [Method; 15] = [
    Method::Filter,
    Method::CreateFilter,
    Method::ShouldFilter,
    Method::Partition,
    Method::CreatePartitioner,
    Method::Collect,
    Method::FinishCollector,
    Method::CreateCollector,
    Method::Transform,
    Method::UpdateChecksum,
    Method::FinalizeChecksum,
    Method::CreateChecksum,
    Method::RateLimiter,
    Method::AppendToTable,
    Method::AppendToWal,
];

impl Moody {
    fn call(&self, method: Method) {
        assert_ne!(self.0.load(Ordering::SeqCst), method as u8, "no mood for {method:?}");
    }

    fn set(&self, method: Option<Method>) {
        self.0.store(method.map_or(0, |method| method as u8), Ordering::SeqCst);
    }
}

impl CompactionFilter for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn filter(&self, _level: usize, _key: &[u8], _value: FilterValue<'_>) -> Decision {
        self.call(Method::Filter);
        Decision::Keep
    }
}

impl CompactionFilterFactory for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn should_filter_table_file_creation(&self, _reason: TableFileCreationReason) -> bool {
        self.call(Method::ShouldFilter);
        true
    }
    fn create(&self, _context: &CompactionFilterContext) -> Option<Box<dyn CompactionFilter>> {
        self.call(Method::CreateFilter);
        Some(Box::new(self.clone()))
    }
}

impl SstPartitioner for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn should_partition(&mut self, _request: &PartitionerRequest<'_>) -> bool {
        self.call(Method::Partition);
        false
    }
    fn can_do_trivial_move(&mut self, _smallest: &[u8], _largest: &[u8]) -> bool {
        self.call(Method::Partition);
        false
    }
}

impl SstPartitionerFactory for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn create(&self, _context: &SstPartitionerContext<'_>) -> Option<Box<dyn SstPartitioner>> {
        self.call(Method::CreatePartitioner);
        Some(Box::new(self.clone()))
    }
}

impl TablePropertiesCollector for Moody {
    fn add(&mut self, _key: &ParsedInternalKey<'_>, _value: &[u8], _file_size: u64) {
        self.call(Method::Collect);
    }
    fn finish(&mut self) -> CollectedProperties {
        self.call(Method::FinishCollector);
        CollectedProperties::new()
    }
    fn name(&self) -> &str {
        "Moody"
    }
}

impl TablePropertiesCollectorFactory for Moody {
    fn create(
        &self,
        _context: &TablePropertiesCollectorContext,
    ) -> Option<Box<dyn TablePropertiesCollector>> {
        self.call(Method::CreateCollector);
        Some(Box::new(self.clone()))
    }
    fn name(&self) -> &str {
        "Moody"
    }
}

impl SliceTransform for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn transform<'a>(&self, key: &'a [u8]) -> &'a [u8] {
        self.call(Method::Transform);
        &key[..1]
    }
    fn in_domain(&self, key: &[u8]) -> bool {
        !key.is_empty()
    }
}

impl FileChecksumGenerator for Moody {
    fn update(&mut self, _bytes: &[u8]) {
        self.call(Method::UpdateChecksum);
    }
    fn finalize(self: Box<Self>) -> Vec<u8> {
        self.call(Method::FinalizeChecksum);
        vec![1]
    }
    fn name(&self) -> &str {
        "Moody"
    }
}

impl FileChecksumGenFactory for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn create(
        &self,
        _context: &FileChecksumGenContext<'_>,
    ) -> Option<Box<dyn FileChecksumGenerator>> {
        self.call(Method::CreateChecksum);
        Some(Box::new(self.clone()))
    }
}

impl RateLimiter for Moody {
    fn request(&self, _bytes: u64, _priority: IoPriority, _operation: IoOperation) {
        self.call(Method::RateLimiter);
    }
    fn set_bytes_per_second(&self, _bytes_per_second: u64) {}
    fn bytes_per_second(&self) -> u64 {
        1 << 30
    }
    fn set_single_burst_bytes(&self, _bytes: u64) {}
    fn single_burst_bytes(&self) -> u64 {
        1 << 30
    }
    fn total_bytes_through(&self, _priority: Option<IoPriority>) -> u64 {
        0
    }
    fn total_requests(&self, _priority: Option<IoPriority>) -> u64 {
        0
    }
    fn total_pending_requests(&self, _priority: Option<IoPriority>) -> u64 {
        0
    }
    fn is_rate_limited(&self, _operation: IoOperation) -> bool {
        true
    }
}

/// A file system whose files panic when they are appended to.
#[derive(Debug)]
struct MoodyFiles {
    target: MemFileSystem,
    moody: Moody,
}

impl FileSystemWrapper for MoodyFiles {
    fn target(&self) -> &dyn FileSystem {
        &self.target
    }
    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> base::Result<Box<dyn WritableFile>> {
        let file = self.target.new_writable_file(path, options)?;
        let method = match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("sst") => Method::AppendToTable,
            Some("log") => Method::AppendToWal,
            _ => return Ok(file),
        };
        Ok(Box::new(MoodyFile { file, method, moody: self.moody.clone() }))
    }
}

#[derive(Debug)]
struct MoodyFile {
    file: Box<dyn WritableFile>,
    method: Method,
    moody: Moody,
}

impl WritableFileWrapper for MoodyFile {
    fn target(&self) -> &dyn WritableFile {
        &*self.file
    }
    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.file
    }
    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.file
    }
    fn append(&mut self, bytes: &[u8]) -> base::Result<()> {
        self.moody.call(self.method);
        self.file.append(bytes)
    }
}

impl EventListener for Moody {
    fn on_flush_completed(&self, _db: &Db, _info: &FlushJobInfo) {
        panic!("no mood for listening");
    }
}

impl MergeOperator for Moody {
    fn name(&self) -> &str {
        "Moody"
    }
    fn full_merge(
        &self,
        _key: &[u8],
        existing: Option<&[u8]>,
        operands: &[&[u8]],
    ) -> base::Result<Vec<u8>> {
        Ok([existing.unwrap_or_default(), &operands.concat()].concat())
    }
    fn should_merge(&self, _operands: &[PinnableSlice]) -> bool {
        panic!("no mood for more operands");
    }
}

fn moody() -> (Fixture, Moody) {
    let (mut fixture, moody) = (Fixture::new(), Moody::default());
    let options = &mut fixture.family;
    options.compaction_filter_factory = Some(Arc::new(moody.clone()));
    options.sst_partitioner_factory = Some(Arc::new(moody.clone()));
    options.table_properties_collector_factories = vec![Arc::new(moody.clone())];
    options.prefix_extractor = Some(Arc::new(moody.clone()));
    options.table.filter_policy = Some(options::FilterPolicy::Bloom { bits_per_key: 10.0 });
    fixture.context.file_checksum_gen_factory = Some(Arc::new(moody.clone()));
    fixture.context.rate_limiter = Some(Arc::new(moody.clone()));
    fixture.context.file_system =
        Arc::new(MoodyFiles { target: MemFileSystem::new(), moody: moody.clone() });
    (fixture, moody)
}

#[test]
fn a_hook_that_panics_gives_an_error_and_loses_nothing() {
    for method in METHODS {
        let (fixture, moody) = moody();
        let db = fixture.open();
        let flush = || db.flush(&FlushOptions::default(), &[&family(&db)]);
        let put = |key: &str| db.put(&WriteOptions::default(), &family(&db), key.as_bytes(), b"v");
        for key in ["a", "b", "c"] {
            put(key).unwrap();
        }
        flush().unwrap();
        moody.set(Some(method));
        // In a thread of its own, so that the test ends if it hangs.
        let (done, outcome) = std::sync::mpsc::channel();
        let results = std::thread::scope(|scope| {
            scope.spawn(|| {
                done.send([put("aa"), put("bb"), flush(), try_compact(&db)]).unwrap();
            });
            outcome.recv_timeout(std::time::Duration::from_secs(60))
        });
        let results = results.unwrap_or_else(|_| panic!("{method:?} hangs"));
        let acknowledged = results[0].is_ok() && results[1].is_ok();
        let failed = results.into_iter().find_map(Result::err);
        let status = failed.unwrap_or_else(|| panic!("{method:?} was not called"));
        assert!(status.to_string().contains(&format!("no mood for {method:?}")), "{status}");
        moody.set(None);
        let expected = match acknowledged {
            true => "a=v aa=v b=v bb=v c=v",
            false => "a=v b=v c=v",
        };
        assert_eq!(content(&db), expected, "{method:?}");
        // What a write had half done is given up with the database; jobs are done again.
        let in_a_write = method == Method::AppendToWal;
        let severity = if in_a_write { Severity::Fatal } else { Severity::Hard };
        assert_eq!(status.severity(), severity, "{method:?}: {status}");
        if !in_a_write {
            db.resume().unwrap();
            try_compact(&db).unwrap();
            db.put(&WriteOptions::default(), &family(&db), b"a", b"v").unwrap();
            assert_eq!(content(&db), expected, "{method:?} after resuming");
        }
        drop(db);
        let db = fixture.open();
        assert_eq!(content(&db), expected, "{method:?} after another open");
        try_compact(&db).unwrap();
        db.put(&WriteOptions::default(), &family(&db), b"z", b"v").unwrap();
        assert!(fixture.context.file_system.file_exists(Path::new("/db/CURRENT")).unwrap());
        assert_eq!(content(&db), format!("{expected} z=v"), "{method:?} after a compaction");
    }
}

#[test]
fn a_filter_that_all_compactions_share_may_panic() {
    let (mut fixture, moody) = (Fixture::new(), Moody::default());
    fixture.family.compaction_filter = Some(Arc::new(moody.clone()));
    let db = fixture.open();
    for key in ["a", "b"] {
        put(&db, key, "v");
        flush(&db);
    }
    moody.set(Some(Method::Filter));
    let status = try_compact(&db).unwrap_err();
    assert!(status.message().contains("panicked: "), "{status}");
    moody.set(None);
    db.resume().unwrap();
    try_compact(&db).unwrap();
    assert_eq!(content(&db), "a=v b=v");
}

#[test]
fn a_limiter_that_panics_in_a_call_of_the_user_harms_that_call_alone() {
    let (fixture, moody) = moody();
    let db = fixture.open();
    put(&db, "a", "v");
    flush(&db);
    moody.set(Some(Method::RateLimiter));
    let reading =
        ReadOptions::default().fill_cache(false).rate_limiter_priority(Some(IoPriority::User));
    let writing = WriteOptions::default().rate_limiter_priority(Some(IoPriority::User));
    let family = family(&db);
    let read = || drop(db.get(&reading, &family, b"a"));
    let write = || drop(db.put(&writing, &family, b"b", b"v"));
    assert!(catch_unwind(AssertUnwindSafe(read)).is_err());
    assert!(catch_unwind(AssertUnwindSafe(write)).is_err());
    moody.set(None);
    assert_eq!(content(&db), "a=v");
    put(&db, "b", "v");
    flush(&db);
    assert_eq!(content(&db), "a=v b=v");
}

#[test]
fn a_merge_operator_that_panics_in_a_read_harms_that_read_alone() {
    let mut fixture = Fixture::new();
    fixture.family.merge_operator = Some(Arc::new(Moody::default()));
    let db = fixture.open();
    let family = family(&db);
    for operand in [b"1", b"2"] {
        db.merge(&WriteOptions::default(), &family, b"a", operand).unwrap();
    }
    let read = || db.get(&ReadOptions::default(), &family, b"a");
    assert!(catch_unwind(AssertUnwindSafe(read)).is_err(), "should_merge is asked");
    put(&db, "b", "v");
    flush(&db);
    try_compact(&db).unwrap();
    assert_eq!(content(&db), "a=12 b=v");
}

#[test]
fn listeners_that_panic_are_not_heard_and_the_others_are() {
    let mut fixture = Fixture::new();
    fixture.context.listeners = vec![Arc::new(Moody::default())];
    let db = fixture.open();
    put(&db, "a", "v");
    flush(&db);
    put(&db, "b", "v");
    flush(&db);
    assert_eq!(content(&db), "a=v b=v");
    db.close().unwrap();
    let log = env::read_file_to_vec(&*fixture.context.file_system, Path::new("/db/LOG"), 1 << 20);
    let log = String::from_utf8(log.unwrap()).unwrap();
    assert!(log.contains("no mood for listening"), "{log}");
}

#[test]
fn an_open_in_which_a_hook_panics_fails_and_the_next_one_finds_everything() {
    let (mut fixture, moody) = moody();
    let db = fixture.open();
    put(&db, "a", "v");
    drop(db);
    fixture.options.avoid_flush_during_recovery = false;
    for method in [Method::CreateCollector, Method::AppendToTable, Method::Transform] {
        moody.set(Some(method));
        let status = fixture.try_open().unwrap_err();
        assert!(status.message().contains("replaying WALs panicked: "), "{status}");
        moody.set(None);
        assert_eq!(content(&fixture.open()), "a=v");
        put(&fixture.open(), "a", "v");
    }
}
