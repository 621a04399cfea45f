use super::Patch;

#[test]
fn a_patch_changes_its_bytes_however_the_file_is_cut() {
    let patch = Patch { offset: 5, bytes: *b"12345678" };
    for size in 1..20 {
        let mut file = b"....................".to_vec();
        let mut offset = 0;
        for chunk in file.chunks_mut(size) {
            patch.apply(offset, chunk);
            offset += chunk.len() as u64;
        }
        assert_eq!(file, b".....12345678.......", "in chunks of {size}");
    }
}
