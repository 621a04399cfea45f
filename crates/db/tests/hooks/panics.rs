//! Whatever a program plugs in may panic: whoever waits hears of it, and nothing acknowledged is lost.

use crate::fixture::{Fixture, content, family, try_compact};
use base::compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Decision, FilterValue,
    TableFileCreationReason,
};
use base::sst_partitioner::{
    PartitionerRequest, SstPartitioner, SstPartitionerContext, SstPartitionerFactory,
};
use base::table_properties_collector::{
    CollectedProperties, TablePropertiesCollector, TablePropertiesCollectorContext,
    TablePropertiesCollectorFactory,
};
use base::{
    FileChecksumGenContext, FileChecksumGenFactory, FileChecksumGenerator, ParsedInternalKey,
    SliceTransform,
};
use db::{FlushOptions, WriteOptions};
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
}

const METHODS: [Method; 12] = [
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

fn moody() -> (Fixture, Moody) {
    let (mut fixture, moody) = (Fixture::new(), Moody::default());
    let options = &mut fixture.family;
    options.compaction_filter_factory = Some(Arc::new(moody.clone()));
    options.sst_partitioner_factory = Some(Arc::new(moody.clone()));
    options.table_properties_collector_factories = vec![Arc::new(moody.clone())];
    options.prefix_extractor = Some(Arc::new(moody.clone()));
    options.table.filter_policy = Some(options::FilterPolicy::Bloom { bits_per_key: 10.0 });
    fixture.context.file_checksum_gen_factory = Some(Arc::new(moody.clone()));
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
        drop(db);
        let db = fixture.open();
        assert_eq!(content(&db), expected, "{method:?} after another open");
        try_compact(&db).unwrap();
        db.put(&WriteOptions::default(), &family(&db), b"z", b"v").unwrap();
        assert!(fixture.context.file_system.file_exists(Path::new("/db/CURRENT")).unwrap());
        assert_eq!(content(&db), format!("{expected} z=v"), "{method:?} after a compaction");
    }
}
