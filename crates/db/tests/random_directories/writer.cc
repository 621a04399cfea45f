// Writes a directory by random operations and, beside it, what RocksDB reads from it.
//
//   writer SEED DIRECTORY        makes DIRECTORY and DIRECTORY.trace
//
//   S family sequence            a snapshot; then its content by a scan, and lookups in it:
//   P key value                  a pair, ascending
//   G key value                  a lookup; value is - where there is none
//
// Byte strings are hexadecimal, _ if empty. The process ends without closing the database, so that
// part of the data is in WALs only and what the snapshots see stays.
#include <rocksdb/convenience.h>
#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/merge_operator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice_transform.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace rocksdb;
using Table = BlockBasedTableOptions;

static std::mt19937 rng;
static int Below(int n) { return static_cast<int>(rng() % n); }
static bool OneIn(int n) { return Below(n) == 0; }

static void Check(const Status& status, const char* what) {
  if (status.ok()) return;
  fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
  exit(1);
}

static std::string Hex(const Slice& bytes) {
  return bytes.empty() ? "_" : bytes.ToString(true);
}

// Few enough that every key is written many times.
static std::string RandomKey() {
  static const char alphabet[] = {'a', 'b', 'c', '\0', '\xff'};
  const int length = 1 + Below(4);
  std::string key;
  for (int i = 0; i < length; i++) key += alphabet[Below(i == 0 ? 3 : 5)];
  return key;
}

static std::string RandomValue() {
  return std::string(OneIn(3) ? Below(60) : Below(8), static_cast<char>('A' + Below(26)));
}

// An ordered pair; often the shortest of ranges.
static std::pair<std::string, std::string> RandomRange() {
  std::string from = RandomKey(), to = OneIn(2) ? RandomKey() : from + static_cast<char>(Below(256));
  if (to < from) std::swap(from, to);
  return {from, to};
}

static Table RandomTableOptions(bool all_have_prefixes) {
  Table table;
  table.block_size = 50 + Below(300);
  table.format_version = 2 + Below(4);
  table.block_restart_interval = 1 + Below(5);
  table.index_block_restart_interval = 1 + Below(3);
  if (!OneIn(3)) {
    table.filter_policy.reset(OneIn(2) ? NewBloomFilterPolicy(10) : NewRibbonFilterPolicy(10));
    table.whole_key_filtering = OneIn(2);
  }
  if (OneIn(3)) table.data_block_index_type = Table::kDataBlockBinaryAndHash;
  switch (Below(4)) {
    case 0:
      table.index_type = Table::kTwoLevelIndexSearch;
      table.metadata_block_size = 40 + Below(100);
      table.partition_filters = table.filter_policy && !OneIn(3);
      break;
    case 1:
      table.index_type = Table::kBinarySearchWithFirstKey;
      break;
    case 2:
      if (all_have_prefixes) table.index_type = Table::kHashSearch;
      break;
  }
  return table;
}

static Options RandomOptions() {
  Options options;
  options.create_if_missing = true;
  options.write_buffer_size = 64 << 10;
  options.target_file_size_base = 600 + Below(4000);
  options.max_bytes_for_level_base = 3000 + Below(20000);
  options.max_compaction_bytes = 4000 + Below(20000);
  options.num_levels = 2 + Below(5);
  options.level0_file_num_compaction_trigger = 2 + Below(4);
  options.level_compaction_dynamic_level_bytes = OneIn(2);
  options.compression = OneIn(2) ? kNoCompression : kLZ4Compression;
  options.max_sequential_skip_in_iterations = OneIn(3) ? 1 + Below(3) : 8;
  if (OneIn(4)) options.compaction_style = kCompactionStyleUniversal;
  switch (Below(4)) {
    case 0:
      options.prefix_extractor.reset(NewFixedPrefixTransform(1));
      break;
    case 1:
      options.prefix_extractor.reset(NewFixedPrefixTransform(2));
      break;
    case 2:
      options.prefix_extractor.reset(NewCappedPrefixTransform(2));
      break;
  }
  // A hash index asks for the prefix of keys that have none, too, and stops at an assertion.
  const bool all_have_prefixes =
      options.prefix_extractor && options.prefix_extractor->InDomain("a");
  options.table_factory.reset(NewBlockBasedTableFactory(RandomTableOptions(all_have_prefixes)));
  if (OneIn(3)) {
    options.enable_blob_files = true;
    options.min_blob_size = 6;
    options.blob_file_size = 2000;
    options.enable_blob_garbage_collection = OneIn(2);
    options.blob_garbage_collection_age_cutoff = 0.8;
  }
  Check(MergeOperator::CreateFromString(ConfigOptions(), "stringappend", &options.merge_operator),
        "merge operator");
  return options;
}

struct Family {
  ColumnFamilyHandle* handle;
  std::set<std::string> keys;              // ever written one by one
  std::set<std::string> written_once;      // may be deleted by a single deletion
};

struct Writer {
  Options options;
  std::string directory;
  DB* db = nullptr;
  Family families[2];
  std::vector<const Snapshot*> snapshots;
  bool has_ranges = !OneIn(4);
  int ingested = 0;

  void Open() {
    Check(DB::Open(options, directory, &db), "open");
    families[0].handle = db->DefaultColumnFamily();
    Check(db->CreateColumnFamily(options, "two", &families[1].handle), "family");
  }

  std::string NewKey(Family& family) { return *family.keys.insert(RandomKey()).first; }

  void SingleDelete(Family& family) {
    std::set<std::string>& once = family.written_once;
    const std::string key = std::string("b") + static_cast<char>(Below(6)) + "S" +
                            std::to_string(Below(40));
    if (once.erase(key) > 0) {
      Check(db->SingleDelete(WriteOptions(), family.handle, key), "single delete");
    } else {
      once.insert(key);
      family.keys.insert(key);
      Check(db->Put(WriteOptions(), family.handle, key, RandomValue()), "put");
    }
  }

  void Ingest(Family& family) {
    const std::string path = directory + "-" + std::to_string(ingested++) + ".sst";
    SstFileWriter file(EnvOptions(), options, family.handle);
    Check(file.Open(path), "open table");
    std::set<std::string> keys;
    for (int i = 1 + Below(20); i > 0; i--) keys.insert(NewKey(family));
    for (const std::string& key : keys) {
      const int what = Below(5);
      Check(what == 0   ? file.Delete(key)
            : what == 1 ? file.Merge(key, RandomValue())
                        : file.Put(key, RandomValue()),
            "add to table");
    }
    const auto range = RandomRange();
    if (has_ranges && OneIn(2) && range.first < range.second) {
      Check(file.DeleteRange(range.first, range.second), "add range to table");
    }
    Check(file.Finish(), "finish table");
    IngestExternalFileOptions how;
    how.move_files = true;
    how.write_global_seqno = OneIn(2);
    // May be refused while a compaction runs, which is as good.
    db->IngestExternalFile(family.handle, {path}, how).PermitUncheckedError();
    remove(path.c_str());
  }

  void Compact(Family& family) {
    CompactRangeOptions how;
    how.bottommost_level_compaction = OneIn(2) ? BottommostLevelCompaction::kForce
                                               : BottommostLevelCompaction::kIfHaveCompactionFilter;
    how.change_level = OneIn(4);
    if (how.change_level) how.target_level = 1 + Below(options.num_levels - 1);
    const auto range = RandomRange();
    const Slice from = range.first, to = range.second;
    db->CompactRange(how, family.handle, OneIn(3) ? nullptr : &from, OneIn(3) ? nullptr : &to)
        .PermitUncheckedError();
  }

  void Step() {
    Family& family = families[OneIn(4)];
    const WriteOptions write;
    const int what = Below(300);
    if (what < 135) {
      Check(db->Put(write, family.handle, NewKey(family), RandomValue()), "put");
    } else if (what < 180) {
      Check(db->Delete(write, family.handle, NewKey(family)), "delete");
    } else if (what < 234) {
      Check(db->Merge(write, family.handle, NewKey(family), RandomValue()), "merge");
    } else if (what < 258) {
      const auto range = RandomRange();
      if (has_ranges && range.first < range.second) {
        Check(db->DeleteRange(write, family.handle, range.first, range.second), "delete range");
      }
    } else if (what < 274) {
      SingleDelete(family);
    } else if (what < 282) {
      if (snapshots.size() < 12) snapshots.push_back(db->GetSnapshot());
    } else if (what < 286) {
      Ingest(family);
    } else if (what < 288) {
      Compact(family);
    } else if (what < 296) {
      Check(db->Flush(FlushOptions(), family.handle), "flush");
    }
  }

  void Trace(FILE* out, int family_index, const Snapshot* snapshot) {
    Family& family = families[family_index];
    ReadOptions read;
    read.snapshot = snapshot;
    read.total_order_seek = true;
    fprintf(out, "S %d %lu\n", family_index, snapshot->GetSequenceNumber());
    Iterator* it = db->NewIterator(read, family.handle);
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      fprintf(out, "P %s %s\n", Hex(it->key()).c_str(), Hex(it->value()).c_str());
    }
    Check(it->status(), "scan");
    delete it;
    for (const std::string& key : family.keys) {
      std::string value;
      const Status status = db->Get(read, family.handle, key, &value);
      if (!status.IsNotFound()) Check(status, "get");
      fprintf(out, "G %s %s\n", Hex(key).c_str(), status.ok() ? Hex(value).c_str() : "-");
    }
  }
};

int main(int, char** arguments) {
  rng.seed(static_cast<unsigned>(atoi(arguments[1])));
  Writer writer;
  writer.options = RandomOptions();
  writer.directory = arguments[2];
  writer.Open();
  for (int i = 300 + Below(2500); i > 0; i--) writer.Step();
  Check(writer.db->PauseBackgroundWork(), "pause");
  writer.snapshots.push_back(writer.db->GetSnapshot());
  FILE* out = fopen((writer.directory + ".trace").c_str(), "w");
  for (int family = 0; family < 2; family++) {
    for (const Snapshot* snapshot : writer.snapshots) writer.Trace(out, family, snapshot);
  }
  fclose(out);
  _exit(0);
}
