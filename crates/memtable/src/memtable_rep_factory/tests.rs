use super::*;

fn described(name: &str, properties: &[(&str, &str)]) -> Option<String> {
    let factory = builtin(name, properties)?;
    Some(format!("{}{:?}", factory.name(), factory.properties()))
}

#[test]
fn factories_go_by_their_names_and_what_stands_beside() {
    let found = |name, properties: &[_]| described(name, properties).unwrap();
    for name in ["SkipListFactory", "skip_list", "skip_list:0"] {
        assert_eq!(found(name, &[]), "SkipListFactory[]");
    }
    assert_eq!(
        found("skip_list", &[("lookahead", "0")]),
        "SkipListFactory[(\"lookahead\", \"0\")]"
    );
    assert_eq!(found("vector", &[]), "VectorRepFactory[]");
    assert_eq!(found("vector:12", &[]), "VectorRepFactory[(\"count\", \"12\")]");
    assert_eq!(
        found("VectorRepFactory", &[("count", "7")]),
        "VectorRepFactory[(\"count\", \"7\")]"
    );
}

#[test]
fn what_is_not_understood_is_not_there() {
    for name in ["prefix_hash", "", "vector:many", "skip_list:4"] {
        assert_eq!(described(name, &[]), None, "{name}");
    }
    assert_eq!(described("skip_list", &[("lookahead", "4")]), None);
    assert_eq!(described("vector", &[("size", "4")]), None);
}
