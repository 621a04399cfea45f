use super::*;
use crate::MemFileSystem;
use crate::conformance;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts bytes, and passes everything on.
#[derive(Debug, Default)]
struct Counting {
    target: MemFileSystem,
    read: Arc<AtomicU64>,
    appended: Arc<AtomicU64>,
}

impl FileSystemWrapper for Counting {
    fn target(&self) -> &dyn FileSystem {
        &self.target
    }

    fn new_sequential_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn SequentialFile>> {
        let target = self.target.new_sequential_file(path, options)?;
        Ok(Box::new(CountingSequential { target, read: self.read.clone() }))
    }

    fn new_random_access_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Arc<dyn RandomAccessFile>> {
        let target = self.target.new_random_access_file(path, options)?;
        Ok(Arc::new(CountingReads { target, read: self.read.clone() }))
    }

    fn new_writable_file(
        &self,
        path: &Path,
        options: &FileOptions,
    ) -> Result<Box<dyn WritableFile>> {
        let target = self.target.new_writable_file(path, options)?;
        Ok(Box::new(CountingWrites { target, appended: self.appended.clone() }))
    }
}

#[derive(Debug)]
struct CountingSequential {
    target: Box<dyn SequentialFile>,
    read: Arc<AtomicU64>,
}

impl SequentialFileWrapper for CountingSequential {
    fn target(&self) -> &dyn SequentialFile {
        &*self.target
    }

    fn target_mut(&mut self) -> &mut dyn SequentialFile {
        &mut *self.target
    }

    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let count = self.target.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[derive(Debug)]
struct CountingReads {
    target: Arc<dyn RandomAccessFile>,
    read: Arc<AtomicU64>,
}

impl RandomAccessFileWrapper for CountingReads {
    fn target(&self) -> &dyn RandomAccessFile {
        &*self.target
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize> {
        let count = self.target.read_at(offset, buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

#[derive(Debug)]
struct CountingWrites {
    target: Box<dyn WritableFile>,
    appended: Arc<AtomicU64>,
}

impl WritableFileWrapper for CountingWrites {
    fn target(&self) -> &dyn WritableFile {
        &*self.target
    }

    fn target_mut(&mut self) -> &mut dyn WritableFile {
        &mut *self.target
    }

    fn into_target(self: Box<Self>) -> Box<dyn WritableFile> {
        self.target
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.appended.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        self.target.append(bytes)
    }
}

#[test]
fn everything_else_is_passed_on() {
    let counting = Counting::default();
    conformance::run(&counting, Path::new("/"), &FileOptions::DEFAULT);
    assert!(counting.read.load(Ordering::Relaxed) > 0);
    assert!(counting.appended.load(Ordering::Relaxed) > 0);
}

#[test]
fn what_differs_is_done() {
    let counting = Counting::default();
    let fs: &dyn FileSystem = &counting;
    let path = Path::new("/file");
    let mut file = fs.new_writable_file(path, &FileOptions::DEFAULT).unwrap();
    file.append(b"four").unwrap();
    assert_eq!((file.size(), file.path()), (4, path));
    file.close().unwrap();
    let mut buffer = [0; 8];
    let file = fs.new_random_access_file(path, &FileOptions::DEFAULT).unwrap();
    assert_eq!((file.read_at(1, &mut buffer).unwrap(), file.size().unwrap()), (3, 4));
    let mut file = fs.new_sequential_file(path, &FileOptions::DEFAULT).unwrap();
    assert_eq!(file.read(&mut buffer).unwrap(), 4);
    assert_eq!(counting.appended.load(Ordering::Relaxed), 4);
    assert_eq!(counting.read.load(Ordering::Relaxed), 7);
}
