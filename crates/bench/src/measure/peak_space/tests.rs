use super::*;

#[test]
fn what_was_there_meanwhile_counts() {
    let directory = tempfile::tempdir().unwrap();
    let within = directory.path().join("0");
    fs::create_dir(&within).unwrap();
    fs::write(within.join("kept"), [1; 100_000]).unwrap();
    let watched = vec![directory.path().to_owned(), directory.path().join("is not there")];
    let before = taken(&watched);
    assert!((100_000..200_000).contains(&before), "{before}");

    let space = PeakSpace::watch(watched.clone());
    let passing = within.join("passing");
    fs::write(&passing, [2; 1_000_000]).unwrap();
    fs::File::open(&passing).unwrap().sync_all().unwrap();
    std::thread::sleep(INTERVAL * 10);
    fs::remove_file(&passing).unwrap();
    let most = space.finish();
    assert!((1_100_000..1_300_000).contains(&most), "{most}");
    assert_eq!(PeakSpace::watch(watched).finish(), before);
}
