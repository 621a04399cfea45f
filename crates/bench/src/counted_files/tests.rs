use super::*;
use env::MemFileSystem;

#[test]
fn operations_are_counted_once_and_bytes_as_they_are() {
    let counters = Arc::<FileCounters>::default();
    let target = Arc::new(MemFileSystem::new());
    let files = CountedFiles { target, counters: Arc::clone(&counters) };
    let path = Path::new("/a");
    let options = FileOptions::default();
    FileSystem::create_dir_if_missing(&files, Path::new("/")).unwrap();
    let mut file = FileSystem::new_writable_file(&files, path, &options).unwrap();
    file.append(b"hello").unwrap();
    file.append(b"you").unwrap();
    file.flush().unwrap();
    file.sync().unwrap();
    file.fsync().unwrap();
    file.close().unwrap();
    let reader = FileSystem::new_random_access_file(&files, path, &options).unwrap();
    assert_eq!(reader.read_at(2, &mut [0; 100]).unwrap(), 6);
    let mut reader = FileSystem::new_sequential_file(&files, path, &options).unwrap();
    assert_eq!(reader.read(&mut [0; 4]).unwrap(), 4);
    FileSystem::new_directory(&files, Path::new("/")).unwrap().fsync().unwrap();
    FileSystem::rename_file(&files, path, Path::new("/b")).unwrap();
    FileSystem::delete_file(&files, Path::new("/b")).unwrap();
    assert!(FileSystem::delete_file(&files, Path::new("/b")).is_err());
    let expected = "\
Num files opened: 3
Num files deleted: 1
Num files renamed: 1
Num Flush(): 1
Num Sync(): 1
Num Fsync(): 1
Num Dir Fsync(): 1
Num Close(): 1
Num Dir Open(): 1
Num Dir Close(): 1
Num Read(): 2
Num Append(): 2
Num bytes read: 10
Num bytes written: 8
";
    assert_eq!(counters.take_text(), expected);
    assert!(counters.take_text().lines().all(|line| line.ends_with(": 0")));
}
