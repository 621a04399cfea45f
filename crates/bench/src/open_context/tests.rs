use super::*;

fn options(arguments: &[&str]) -> Result<Option<CacheOptions>> {
    let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    cache_options(&Flags::parse(&arguments).expect("flags"))
}

#[test]
fn cache_types_are_rocksdbs() {
    let name = |kind: &str| {
        let options = options(&[kind, "--cache_size=9000000"])?.unwrap();
        Ok::<_, Status>(options.make_shared_cache()?.name())
    };
    for (kind, expected) in [
        ("--cache_type=lru_cache", "LRUCache"),
        ("--cache_type=hyper_clock_cache", "AutoHyperClockCache"),
        ("--cache_type=auto_hyper_clock_cache", "AutoHyperClockCache"),
        ("--cache_type=fixed_hyper_clock_cache", "FixedHyperClockCache"),
    ] {
        assert_eq!(name(kind).unwrap(), expected);
    }
    for (kind, part) in [("clock_cache", "given it up"), ("arc_cache", "expected lru_cache")] {
        let error = name(&format!("--cache_type={kind}")).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
    let fixed = ["--cache_type=fixed_hyper_clock_cache", "--block_size=8192"];
    let Some(CacheOptions::HyperClock(clock)) = options(&fixed).unwrap() else { panic!() };
    assert_eq!((clock.estimated_entry_charge, clock.capacity), (8192, 32 << 20));
    assert_eq!(options(&["--cache_size=0"]).unwrap(), None);
}
