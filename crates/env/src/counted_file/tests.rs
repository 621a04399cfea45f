use super::*;
use crate::{FileOptions, FileSystem, MemFileSystem};
use perf_context::{io_stats_context, reset_io_stats_context};
use statistics::StatsLevel;

const PATH: &str = "/000001.sst";

fn count(statistics: &Statistics, kind: HistogramType) -> u64 {
    statistics.histogram_data(kind).count
}

#[test]
fn reads_count_by_level_temperature_and_activity() {
    let fs = MemFileSystem::new();
    let mut file = fs.new_writable_file(Path::new(PATH), &FileOptions::default()).unwrap();
    file.append(b"0123456789").unwrap();
    file.close().unwrap();
    let statistics = Arc::new(Statistics::new());
    let file = fs.new_random_access_file(Path::new(PATH), &FileOptions::default()).unwrap();
    let counting = ReadCounting {
        kind: CountedFileKind::Table,
        level: ReadGroup::LAST_LEVEL,
        temperature: ReadGroup::COLD,
        latency: None,
    };
    let file = CountedRandomAccessFile::wrap(file, Some(&statistics), counting);
    reset_io_stats_context();
    let mut buffer = [0; 4];
    file.read_at(0, &mut buffer).unwrap();
    {
        let _compaction = Activity::Compaction(CompactionCause::Ttl).begin();
        file.read_at(8, &mut buffer).unwrap();
    }
    for (ticker, expected) in [
        (Ticker::LastLevelReadBytes, 6),
        (Ticker::LastLevelReadCount, 2),
        (Ticker::ColdFileReadBytes, 6),
        (Ticker::ColdFileReadCount, 2),
        (Ticker::NonLastLevelReadCount, 0),
        (Ticker::CompactReadBytes, 2),
        (Ticker::CompactReadBytesTtl, 2),
        (Ticker::CompactReadBytesMarked, 0),
    ] {
        assert_eq!(statistics.ticker_count(ticker), expected, "{ticker:?}");
    }
    let in_thread = io_stats_context();
    assert_eq!(in_thread.get(IoMetric::ColdFileBytesRead), 6);
    assert_eq!(in_thread.get(IoMetric::ColdFileReadCount), 2);
    assert_eq!(in_thread.get(IoMetric::UnknownLastLevelReadCount), 0);
    assert_eq!(count(&statistics, HistogramType::SstReadMicros), 2);
    assert_eq!(count(&statistics, HistogramType::FileReadCompactionMicros), 1);
}

#[test]
fn reads_of_users_have_times_of_their_own_at_detailed_levels_only() {
    let fs = MemFileSystem::new();
    fs.new_writable_file(Path::new(PATH), &FileOptions::default()).unwrap().close().unwrap();
    let statistics = Arc::new(Statistics::new());
    let file = fs.new_random_access_file(Path::new(PATH), &FileOptions::default()).unwrap();
    let counting = ReadCounting {
        kind: CountedFileKind::Blob,
        level: ReadGroup::NON_LAST_LEVEL,
        temperature: ReadGroup::UNKNOWN_NON_LAST_LEVEL,
        latency: None,
    };
    let file = CountedRandomAccessFile::wrap(file, Some(&statistics), counting);
    let _get = Activity::Get.begin();
    file.read_at(0, &mut [0; 4]).unwrap();
    statistics.set_stats_level(StatsLevel::All);
    file.read_at(0, &mut [0; 4]).unwrap();
    assert_eq!(count(&statistics, HistogramType::BlobDbBlobFileReadMicros), 2);
    assert_eq!(count(&statistics, HistogramType::FileReadGetMicros), 1);
}

#[test]
fn writes_and_syncs_count_by_file_and_activity() {
    let fs = MemFileSystem::new();
    let statistics = Arc::new(Statistics::new());
    let write = |kind, activity: Activity| {
        let _activity = activity.begin();
        let file = fs.new_writable_file(Path::new(PATH), &FileOptions::default()).unwrap();
        let mut file = CountedWritableFile::wrap(file, Some(&statistics), kind);
        file.append(b"01234").unwrap();
        file.append(b"56789").unwrap();
        file.sync().unwrap();
        file.close().unwrap();
    };
    write(CountedFileKind::Table, Activity::Flush);
    write(CountedFileKind::Table, Activity::Compaction(CompactionCause::Marked));
    write(CountedFileKind::Blob, Activity::Flush);
    for (ticker, expected) in [
        (Ticker::FlushWriteBytes, 20),
        (Ticker::CompactWriteBytes, 10),
        (Ticker::CompactWriteBytesMarked, 10),
        (Ticker::BlobDbBlobFileBytesWritten, 10),
        (Ticker::BlobDbBlobFileSynced, 1),
    ] {
        assert_eq!(statistics.ticker_count(ticker), expected, "{ticker:?}");
    }
    for (kind, expected) in [
        (HistogramType::SstWriteMicros, 4),
        (HistogramType::FileWriteFlushMicros, 4),
        (HistogramType::FileWriteCompactionMicros, 2),
        (HistogramType::BlobDbBlobFileWriteMicros, 2),
        (HistogramType::TableSyncMicros, 1),
        (HistogramType::CompactionOutfileSyncMicros, 1),
        (HistogramType::BlobDbBlobFileSyncMicros, 1),
    ] {
        assert_eq!(count(&statistics, kind), expected, "{kind:?}");
    }
}

#[test]
fn without_statistics_threads_count_for_themselves() {
    let fs = MemFileSystem::new();
    let mut file = fs.new_writable_file(Path::new(PATH), &FileOptions::default()).unwrap();
    file.append(b"0123456789").unwrap();
    file.close().unwrap();
    let file = fs.new_random_access_file(Path::new(PATH), &FileOptions::default()).unwrap();
    let counting = ReadCounting {
        kind: CountedFileKind::Table,
        level: ReadGroup::LAST_LEVEL,
        temperature: ReadGroup::UNKNOWN_LAST_LEVEL,
        latency: None,
    };
    let file = CountedRandomAccessFile::wrap(file, None, counting);
    reset_io_stats_context();
    file.read_at(4, &mut [0; 32]).unwrap();
    let in_thread = io_stats_context();
    assert_eq!(in_thread.get(IoMetric::UnknownLastLevelBytesRead), 6);
    assert_eq!(in_thread.get(IoMetric::UnknownLastLevelReadCount), 1);
    assert_eq!(in_thread.get(IoMetric::UnknownNonLastLevelReadCount), 0);
}
