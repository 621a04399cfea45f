use super::{FileObserver, FileOperationInfo, IoErrorInfo, ObservedFileSystem};
use crate::fault_injection_fs::{Effect, Fault, FaultError, OperationKind, Operations, When};
use crate::{FaultInjectionFileSystem, FaultPlan, FileOptions, FileSystem, MemFileSystem};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;

#[derive(Debug, Default)]
struct Kept(Mutex<Vec<String>>);

impl Kept {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl FileObserver for Kept {
    fn on_file_operation(&self, info: &FileOperationInfo<'_>) {
        let FileOperationInfo { operation, path, offset, length, status, .. } = info;
        let end = if status.is_some() { " failed" } else { "" };
        let line = format!("{operation:?} {} {offset}+{length}{end}", path.display());
        self.0.lock().push(line);
    }

    fn on_io_error(&self, info: &IoErrorInfo<'_>) {
        let line = format!("error of {:?} {}", info.operation, info.file_path.display());
        self.0.lock().push(line);
    }
}

fn observed(inner: Arc<dyn FileSystem>) -> (ObservedFileSystem, Arc<Kept>) {
    let kept = Arc::new(Kept::default());
    (ObservedFileSystem::new(inner, kept.clone()), kept)
}

#[test]
fn it_is_a_file_system() {
    let (fs, kept) = observed(Arc::new(MemFileSystem::new()));
    let root = Path::new("/conformance");
    fs.create_dir(root).unwrap();
    crate::conformance::run(&fs, root, &FileOptions::default());
    assert!(!kept.take().is_empty());
}

#[test]
fn operations_are_told_as_they_end() {
    let (fs, kept) = observed(Arc::new(MemFileSystem::new()));
    let (path, options) = (Path::new("/f"), FileOptions::default());
    let mut file = fs.new_writable_file(path, &options).unwrap();
    file.append(b"12345").unwrap();
    file.append(b"6").unwrap();
    file.flush().unwrap();
    file.sync().unwrap();
    file.close().unwrap();
    let mut buffer = [0; 4];
    fs.new_random_access_file(path, &options).unwrap().read_at(4, &mut buffer).unwrap();
    let mut reader = fs.new_sequential_file(path, &options).unwrap();
    reader.skip(1).unwrap();
    reader.read(&mut buffer[..2]).unwrap();
    reader.read(&mut buffer).unwrap();
    fs.truncate(path, 2).unwrap();
    let expected = [
        "Write /f 0+5",
        "Write /f 5+1",
        "Flush /f 0+0",
        "Sync /f 0+0",
        "Close /f 0+0",
        "Read /f 4+2",
        "Read /f 1+2",
        "Read /f 3+3",
        "Truncate /f 2+0",
    ];
    assert_eq!(kept.take(), expected);
}

#[test]
fn failures_are_told_twice() {
    let faulty = FaultInjectionFileSystem::new(Arc::new(MemFileSystem::new()));
    let plan: Arc<FaultPlan> = faulty.plan().clone();
    let (fs, kept) = observed(Arc::new(faulty));
    let (path, options) = (Path::new("/f"), FileOptions::default());
    let mut file = fs.new_writable_file(path, &options).unwrap();
    plan.set_faults(vec![Fault {
        operations: Operations::of(&[OperationKind::Append]),
        when: When::FromNth(0),
        effect: Effect::Error(FaultError::NoSpace),
    }]);
    file.append(b"1").unwrap_err();
    assert_eq!(kept.take(), ["Write /f 0+1 failed", "error of Write /f"]);
    fs.new_sequential_file(Path::new("/missing"), &options).unwrap_err();
    assert_eq!(kept.take(), ["error of Open /missing"]);
}
