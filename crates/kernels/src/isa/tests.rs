use super::*;

#[test]
fn none_is_better_than_the_limit() {
    assert_eq!(Isa::best_up_to(Isa::Scalar), Isa::Scalar);
    let best = Isa::best_up_to(Isa::Avx512);
    assert!(best.is_available());
    for limit in Isa::ALL {
        let expected = if limit.is_available() { limit } else { best.min(limit) };
        assert_eq!(Isa::best_up_to(limit), expected);
    }
}

#[test]
fn the_environment_names_the_limit() {
    let limit = std::env::var(VARIABLE).ok();
    let limit = Isa::ALL.into_iter().find(|isa| Some(isa.name()) == limit.as_deref());
    assert_eq!(Isa::best(), Isa::best_up_to(limit.unwrap_or(Isa::Avx512)));
}

#[test]
fn what_the_build_may_use_is_there() {
    if cfg!(all(target_feature = "avx2", target_feature = "avx512bw", target_feature = "avx512vl"))
    {
        assert!(Isa::Avx512.is_available());
    }
    if cfg!(target_feature = "avx2") {
        assert!(Isa::Avx2.is_available());
    }
    assert!(Isa::Scalar.is_available());
}
