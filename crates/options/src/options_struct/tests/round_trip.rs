//! Any values, printed and read back.

use super::*;
use crate::enums::*;
use crate::option_string::escape;
use proptest::prelude::*;

/// Texts of an option whose value is an object.
fn objects(info: &OptionInfo) -> BoxedStrategy<String> {
    match &*info.type_name() {
        "comparator" => "leveldb\\.BytewiseComparator(\\.u64ts)?|mine".boxed(),
        "merge operator" => {
            r"nullptr|put|mine|\{id=StringAppendOperator;delimiter=[,|\\\\]\\:;\}".boxed()
        }
        "prefix extractor" => "nullptr|fixed:[1-9]|rocksdb\\.CappedPrefix\\.[1-9]|mine".boxed(),
        "object" => r"nullptr|Thing|\{id=Thing;a=b;c=\{id=Other;d=\\:;\};\}".boxed(),
        "compaction filter" => "nullptr|RemoveEmptyValueCompactionFilter|mine".boxed(),
        "compaction filter factory" => r"nullptr|mine|\{id=mine;ttl=1;\}".boxed(),
        "partitioner factory" => {
            r"nullptr|mine|\{id=SstPartitionerFixedPrefixFactory;length=[1-9];\}".boxed()
        }
        "list of table properties collectors" => {
            r"|\{mine\}|\{mine:CompactOnDeletionCollector\}|\{\{id=CompactOnDeletionCollector;window_size=9;\}\}"
                .boxed()
        }
        "memtable factory" => r"SkipListFactory|mine|\{id=VectorRepFactory;count=[1-9];\}".boxed(),
        "flush block policy factory" => {
            r"FlushBlockEveryKeyPolicyFactory|mine|\{id=mine;a=1;\}".boxed()
        }
        "list of objects" => r"|\{One\}|\{One:Two\}|\{\{id=One;a=1;\}:Two\}".boxed(),
        other => panic!("no values for the type {other} of {}", info.name),
    }
}

/// Texts that are values of a row's type.
fn values(info: &OptionInfo) -> BoxedStrategy<String> {
    fn words<T: Copy + std::fmt::Debug + 'static>(
        all: &'static [T],
        name: fn(T) -> &'static str,
    ) -> BoxedStrategy<String> {
        proptest::sample::select(all).prop_map(move |value| name(value).to_owned()).boxed()
    }
    let number = || any::<u16>().prop_map(|number| number.to_string());
    let ratio = || any::<i16>().prop_map(|number| format!("{:.6}", f64::from(number) / 64.0));
    match info.type_name().as_str() {
        "bool" => any::<bool>().prop_map(|value| value.to_string()).boxed(),
        "i32" => any::<i32>().prop_map(|value| value.to_string()).boxed(),
        "i64" => any::<i64>().prop_map(|value| value.to_string()).boxed(),
        "u8" => any::<u8>().prop_map(|value| value.to_string()).boxed(),
        "u32" => any::<u32>().prop_map(|value| value.to_string()).boxed(),
        "u64" => any::<u64>().prop_map(|value| value.to_string()).boxed(),
        "f64" => ratio().boxed(),
        // No blanks at the ends: the format has no way to keep them.
        "string" => "|[a-z;:=#\\\\\"]([ -z\r\n;|~é]{0,9}[a-z;:=#\\\\\"])?"
            .prop_map(|text| escape(&text).into_owned())
            .boxed(),
        "list of i32" => {
            proptest::collection::vec(number(), 0..5).prop_map(|numbers| numbers.join(":")).boxed()
        }
        "list of CompressionType" => "|kZSTD|kZSTD:kNoCompression:kCustomCompression8F".boxed(),
        "list of FileTemperatureAge" => (number(), number())
            .prop_map(|(a, b)| {
                format!("{{{{temperature=kHot;age={a};}}:{{temperature=kIce;age={b}}}}}")
            })
            .boxed(),
        "TableFactory" => "BlockBasedTable|PlainTable|CuckooTable|Mine".boxed(),
        "FilterPolicy" => "nullptr|bloomfilter:[1-9]0:false|ribbonfilter:[1-9]\\.5:[0-6]".boxed(),
        "CompressionOptions" => (any::<i32>(), any::<bool>())
            .prop_map(|(level, enabled)| format!("{{level={level};enabled={enabled};}}"))
            .boxed(),
        "CompactionOptionsUniversal" => {
            number().prop_map(|number| format!("{{size_ratio={number};}}")).boxed()
        }
        "CompactionOptionsFifo" => {
            number().prop_map(|number| format!("{{age_for_warm={number};}}")).boxed()
        }
        "CacheUsageOptions" => "\\{file_metadata=kEnabled;\\}".boxed(),
        "MetadataCacheOptions" => "\\{partition_pinning=kAll;\\}".boxed(),
        "InfoLogLevel" => words(InfoLogLevel::ALL, InfoLogLevel::name),
        "WalRecoveryMode" => words(WalRecoveryMode::ALL, WalRecoveryMode::name),
        "Temperature" => words(Temperature::ALL, Temperature::name),
        "CacheTier" => words(CacheTier::ALL, CacheTier::name),
        "CompactionStyle" => words(CompactionStyle::ALL, CompactionStyle::name),
        "CompactionPri" => words(CompactionPri::ALL, CompactionPri::name),
        "PrepopulateBlobCache" => words(PrepopulateBlobCache::ALL, PrepopulateBlobCache::name),
        "PrepopulateBlockCache" => words(PrepopulateBlockCache::ALL, PrepopulateBlockCache::name),
        "IndexType" => words(IndexType::ALL, IndexType::name),
        "BlockSearchType" => words(BlockSearchType::ALL, BlockSearchType::name),
        "DataBlockIndexType" => words(DataBlockIndexType::ALL, DataBlockIndexType::name),
        "IndexShorteningMode" => words(IndexShorteningMode::ALL, IndexShorteningMode::name),
        "ChecksumType" => words(ChecksumType::ALL, ChecksumType::name),
        "CompressionType" => "kNoCompression|kZSTD|kCustomCompression9[0-9A-F]".boxed(),
        _ => objects(info),
    }
}

/// Names and values of some of a struct's options. An empty value is not printed, so none is.
fn some<S: OptionStruct>() -> impl Strategy<Value = Vec<(&'static str, String)>> {
    let infos: Vec<OptionInfo> =
        S::rows().iter().map(|row| row.info).filter(|info| info.written).collect();
    let one = proptest::sample::select(infos)
        .prop_flat_map(|info| values(&info).prop_map(move |value| (info.name, value)))
        .prop_filter("an empty value", |(_, value)| !value.is_empty());
    proptest::collection::vec(one, 1..12)
}

fn applied<S: Configurable>(pairs: &[(&'static str, String)]) -> S {
    let mut options = S::default();
    for (name, value) in pairs {
        let result = options.apply_one(name, value, &ConfigOptions::default());
        result.unwrap_or_else(|status| panic!("{name}={value}: {status}"));
    }
    options
}

proptest! {
    #[test]
    fn strings_print_as_they_were_read(
        db in some::<DbOptions>(),
        cf in some::<ColumnFamilyOptions>(),
        table in some::<BlockBasedTableOptions>(),
    ) {
        let text = applied::<DbOptions>(&db).to_option_string();
        prop_assert_eq!(DbOptions::from_string(&text).unwrap().to_option_string(), text);
        let mut options = applied::<ColumnFamilyOptions>(&cf);
        options.table = applied(&table);
        let text = options.to_option_string();
        prop_assert_eq!(ColumnFamilyOptions::from_string(&text).unwrap().to_option_string(), text);
    }

    #[test]
    fn files_print_as_they_were_read(
        db in some::<DbOptions>(),
        cf in some::<ColumnFamilyOptions>(),
        name in "[a-z#:\"\\[\\]\\\\]{1,6}",
    ) {
        let options = applied::<ColumnFamilyOptions>(&cf);
        let mut file = OptionsFile { db: applied(&db), ..OptionsFile::default() };
        for name in ["default", &name] {
            file.column_families.push(crate::ColumnFamilySection {
                name: name.into(),
                options: options.clone(),
            });
        }
        let text = file.to_content(Release::NEWEST_KNOWN);
        let again =
            OptionsFile::parse(Path::new("O"), &text, &ConfigOptions::default()).unwrap();
        prop_assert_eq!(again.to_content(Release::NEWEST_KNOWN), text);
        prop_assert_eq!(&again.column_families[1].name, &name);
        prop_assert_eq!(again.db.to_option_string(), file.db.to_option_string());
    }

    #[test]
    fn no_text_panics(text in "[a-c={};:\\\\ 0-9M.\n\\[\\]\"#]{0,60}", name in "[a-z_.]{0,30}") {
        let config = ConfigOptions::default();
        let lenient = ConfigOptions { ignore_unknown_options: true, ..config.clone() };
        for config in [&config, &lenient] {
            let mut options = ColumnFamilyOptions::default();
            let _ = options.apply_string(&text, config);
            let _ = options.apply(&name, &text, config);
            for info in ColumnFamilyOptions::infos() {
                let _ = options.apply(info.name, &text, config);
            }
            let content = format!("[DBOptions]\n{text}\n[CFOptions \"default\"]\n{text}");
            let _ = OptionsFile::parse(Path::new("O"), content.as_bytes(), config);
        }
    }
}
