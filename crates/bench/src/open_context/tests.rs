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

#[test]
fn a_secondary_cache_is_made_of_flags_or_of_a_text() {
    let cache = |arguments: &[&str]| {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        block_cache(&Flags::parse(&arguments).expect("flags"))
    };
    let capacity = |arguments: &[&str]| {
        let cache = cache(arguments).unwrap().unwrap();
        cache.secondary_cache().map(SecondaryCache::capacity_bytes)
    };
    let size = "--compressed_secondary_cache_size=1000000";
    assert_eq!(capacity(&[size]), None);
    let (on, zstd) =
        ("--use_compressed_secondary_cache", "--compressed_secondary_cache_compression_type=zstd");
    for kind in ["--cache_type=lru_cache", "--cache_type=hyper_clock_cache"] {
        assert_eq!(capacity(&[kind, on, zstd, size]), Some(1_000_000));
    }
    let uri = "--secondary_cache_uri=compressed_secondary_cache://capacity=2M";
    assert_eq!(capacity(&[uri]), Some(2 << 20));
    for wrong in [
        &[uri, on] as &[_],
        &["--secondary_cache_uri=flash://dev"],
        &[on, &zstd.replace("zstd", "best")],
    ] {
        assert!(cache(wrong).is_err(), "{wrong:?}");
    }
}
