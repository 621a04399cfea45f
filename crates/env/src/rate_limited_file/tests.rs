use super::*;
use crate::{FileOptions, FileSystem, GenericRateLimiter, MemFileSystem, RateLimiterOptions};

#[test]
fn every_byte_is_asked_for_and_arrives() {
    let fs = MemFileSystem::new();
    fs.create_dir(Path::new("/d")).unwrap();
    let path = Path::new("/d/f");
    let file = fs.new_writable_file(path, &FileOptions::default()).unwrap();
    let options =
        RateLimiterOptions { single_burst_bytes: 1000, ..RateLimiterOptions::new(100 << 20) };
    let limiter = Arc::new(GenericRateLimiter::new(options).unwrap());
    let mut file: Box<dyn WritableFile> =
        Box::new(RateLimitedFile::new(file, limiter.clone(), IoPriority::Low));
    let bytes: Vec<u8> = (0..10_500_u32).map(|byte| byte as u8).collect();
    file.append(&bytes).unwrap();
    file.flush().unwrap();
    assert_eq!(file.size(), 10_500);
    file.close().unwrap();
    assert_eq!(limiter.total_bytes_through(Some(IoPriority::Low)), 10_500);
    assert_eq!(limiter.total_requests(None), 11);
    assert_eq!(crate::file_util::read_file_to_vec(&fs, path, 1 << 20).unwrap(), bytes);
}
