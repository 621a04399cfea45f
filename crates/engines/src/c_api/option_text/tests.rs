use super::*;

/// Whether a release takes a string that knows options, and fields of structs, with these beginnings.
fn knows(text: &str, known: &[&str]) -> bool {
    let begins = |text: &str| known.iter().any(|known| text.starts_with(known));
    split_pairs(text).expect("an option string").into_iter().all(|(name, value)| {
        let is_struct = value.starts_with('{');
        let fields = split_pairs(strip_braces(value)).ok().filter(|_| is_struct);
        let knows_fields = fields.is_some_and(|fields| {
            fields.iter().all(|(field, value)| begins(&format!("{name}={{{field}={value};}}")))
        });
        begins(&format!("{name}={value};")) && !is_struct || knows_fields
    })
}

fn taken(wanted: &str, defaults: &str, known: &[&str]) -> Result<String> {
    accepted(wanted, defaults, "z={c=1;};", &|text| knows(text, known))
}

#[test]
fn what_is_not_known_is_left_out_at_its_default_alone() {
    assert_eq!(taken("a=1;b=2;", "a=0;b=2;", &["a="]).unwrap(), "a=1;");
    let error = taken("a=1;b=3;", "a=0;b=2;", &["a="]).unwrap_err().to_string();
    assert!(error.contains("b=3"), "{error}");
}

#[test]
fn what_is_not_known_is_left_out_where_it_is_off() {
    assert_eq!(taken("a=1;b=false;", "a=0;b=true;", &["a="]).unwrap(), "a=1;");
    assert!(taken("a=1;b=true;", "a=0;b=false;", &["a="]).is_err());
    let wanted = "s={a=1;b=false;};";
    assert_eq!(taken(wanted, "s={a=0;b=true;};", &["s={a=1;}"]).unwrap(), "s={a=1;};");
}

#[test]
fn structs_are_taken_apart_where_they_must_be() {
    let known = ["t={"];
    assert_eq!(taken("t={a=1;b=2;};", "t={a=0;b=2;};", &known).unwrap(), "t={a=1;b=2;};");
    assert_eq!(taken("s={a=1;b=2;};", "s={a=0;b=2;};", &["s={a=1;}"]).unwrap(), "s={a=1;};");
    let error = taken("s={a=1;b=3;};", "s={a=0;b=2;};", &["s={a=1;}"]).unwrap_err().to_string();
    assert!(error.contains("s.b=3"), "{error}");
}

#[test]
fn options_of_tables_go_by_the_older_name_and_one_by_one() {
    let known = ["block_based_table_factory={x=", "block_based_table_factory={z="];
    let table = "table_factory={id=BlockBasedTable;x=1;y=2;};";
    assert_eq!(taken(table, table, &known).unwrap(), "block_based_table_factory={x=1;z={c=1;};};");
}

#[test]
fn a_release_is_asked_for_many_options_at_once() {
    let names: Vec<_> = (0..128).map(|number| format!("o{number}_")).collect();
    let wanted: String = names.iter().map(|name| format!("{name}=1;")).collect();
    let known: Vec<_> = names.iter().map(String::as_str).filter(|name| *name != "o99_").collect();
    let asked = std::cell::Cell::new(0);
    let accepts = |text: &str| {
        asked.set(asked.get() + 1);
        knows(text, &known)
    };
    let text = accepted(&wanted, &wanted, "", &accepts).unwrap();
    assert_eq!(text, wanted.replace("o99_=1;", ""));
    // Twice for each halving.
    assert_eq!(asked.get(), 1 + 2 * 7);
}

#[test]
fn what_is_not_known_is_left_out_where_older_releases_did_it_always() {
    let table = |value: &str| format!("table_factory={{x=1;index_shortening={value};}};");
    let known = ["block_based_table_factory={x=", "block_based_table_factory={z="];
    let of = |value: &str| taken(&table(value), &table("kShortenSeparators"), &known);
    let always = of("kShortenSeparatorsAndSuccessor").unwrap();
    assert_eq!(always, "block_based_table_factory={x=1;z={c=1;};};");
    let error = of("kNoShortening").unwrap_err().to_string();
    assert!(error.contains("index_shortening=kNoShortening"), "{error}");
}
