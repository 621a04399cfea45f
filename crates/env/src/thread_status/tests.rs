use super::*;

fn own() -> Option<ThreadStatus> {
    let id = thread_id();
    thread_list().into_iter().find(|status| status.thread_id == id)
}

#[test]
fn a_thread_is_known_while_it_does_something() {
    assert_eq!(own(), None);
    let name = ColumnFamilyName::from("c");
    let guard = OperationGuard::begin(OperationType::Flush, Path::new("/db"), Some(&name));
    guard.operation().set_stage(OperationStage::FlushWriteL0);
    guard.operation().set_property(flush_property::JOB_ID, 3);
    guard.operation().increase_property(flush_property::BYTES_WRITTEN, 20);
    guard.operation().increase_property(flush_property::BYTES_WRITTEN, 1);
    let status = own().unwrap();
    assert_eq!(status.thread_type, ThreadType::User);
    assert_eq!((status.db_name.as_path(), &status.cf_name), (Path::new("/db"), &name));
    assert_eq!(status.operation_type.name(), "Flush");
    assert_eq!(status.operation_stage.name(), "FlushJob::WriteLevel0Table");
    assert_eq!(status.properties(), [("JobID", 3), ("BytesMemtables", 0), ("BytesWritten", 21)]);
    guard.operation().while_waiting(|| {
        assert_eq!(own().unwrap().state_type, StateType::MutexWait);
    });
    drop(guard);
    assert_eq!(own(), None);
}

#[test]
fn a_thread_of_a_pool_is_known_until_it_ends() {
    let id = std::thread::spawn(|| {
        register_thread(ThreadType::LowPriority);
        let idle = own().unwrap();
        assert_eq!(idle.operation_type, OperationType::Unknown);
        assert_eq!(idle.db_name, PathBuf::new());
        let outer = OperationGuard::begin(OperationType::Compaction, Path::new("/db"), None);
        let inner = OperationGuard::begin(OperationType::DbOpen, Path::new("/other"), None);
        assert_eq!(own().unwrap().operation_type, OperationType::DbOpen);
        drop(inner);
        assert_eq!(own().unwrap().operation_type, OperationType::Compaction);
        drop(outer);
        assert_eq!(own().unwrap().thread_type, ThreadType::LowPriority);
        thread_id()
    })
    .join()
    .unwrap();
    assert!(!thread_list().iter().any(|status| status.thread_id == id));
}

#[test]
fn levels_and_flags_of_a_compaction_are_told_apart() {
    let guard = OperationGuard::begin(OperationType::Compaction, Path::new("/db"), None);
    guard.operation().set_property(compaction_property::INPUT_OUTPUT_LEVEL, (1 << 32) | 2);
    guard.operation().set_property(compaction_property::PROP_FLAGS, 1 | 4);
    let properties = own().unwrap().properties();
    for expected in [("BaseInputLevel", 1), ("OutputLevel", 2)] {
        assert!(properties.contains(&expected), "{properties:?}");
    }
    for expected in [("IsManual", 1), ("IsDeletion", 0), ("IsTrivialMove", 1)] {
        assert!(properties.contains(&expected), "{properties:?}");
    }
}
