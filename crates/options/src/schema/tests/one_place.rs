//! Adding an option is adding a row: all that can be done with options can be done with one of a
//! struct that has nothing but rows.

use crate::config::ConfigOptions;
use crate::difference::{OptionChange, changes};
use crate::docs;
use crate::options_struct::Configurable;
use crate::release::Release;
use crate::schema::{OptionStruct, no_short_form};
use crate::value::OptionValue;

options! {
    /// Options of a fruit.
    pub struct FruitOptions, short form no_short_form;
    rows {
        /// Seeds in it.
        seed_count as "Seed_count": u32 = 5, [at_most(9)] mutable honoured 9.1;
        /// What it is next to.
        neighbour: NeighbourOptions = NeighbourOptions::default(), fixed honoured 4.0;
    }
}

options! {
    /// Options of what is next to it.
    pub struct NeighbourOptions, short form no_short_form;
    rows {
        /// How far away, in meters.
        distance: f64 = 1.0, [real_at_least(0.0).corrected()] mutable accepted 4.0;
    }
}

impl Configurable for FruitOptions {}

/// Pairs of strings in a form that can be compared.
fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn a_row_is_all_there_is_to_an_option() {
    // Defaults and setters.
    let built =
        FruitOptions::default().seed_count(7).neighbour(NeighbourOptions::default().distance(2.5));

    // Parsed, nested, and told where it is not honoured.
    let mut parsed = FruitOptions::default();
    let text = "Seed_count=7;neighbour={distance=2.5}";
    let said = parsed.apply_text(text, &ConfigOptions::default()).unwrap();
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].to_string(), "neighbour.distance=2.5: accepted, not honoured yet");
    assert_eq!(parsed.list_unhonoured(), owned(&[("neighbour.distance", "2.500000")]));
    assert!(parsed.apply_one("Seed_count", "many", &ConfigOptions::default()).is_err());

    // Printed, as each release knows it, and got by name.
    let of_9_1 = parsed.print_written(Release::new(9, 1, 0));
    assert_eq!(of_9_1, [("Seed_count", "7".into()), ("neighbour", "{distance=2.500000;}".into())]);
    assert_eq!(parsed.print_written(Release::new(9, 0, 0)), of_9_1[1..]);
    assert_eq!(parsed.print(Release::NEWEST_KNOWN), built.print(Release::NEWEST_KNOWN));
    assert_eq!(parsed.print_named("neighbour.distance").as_deref(), Some("2.500000"));

    // Compared.
    assert_eq!(changes(&built, &parsed), []);
    let change = OptionChange { option: "Seed_count", old: "7".to_owned(), new: "5".to_owned() };
    assert_eq!(changes(&parsed, &FruitOptions { seed_count: 5, ..parsed.clone() }), [change]);

    // Checked.
    assert_eq!(parsed.row_faults(), []);
    let mut odd = built.seed_count(10).neighbour(NeighbourOptions::default().distance(-1.0));
    let faults: Vec<String> = odd.row_faults().iter().map(ToString::to_string).collect();
    assert_eq!(faults[0], "Seed_count=10 is outside its range: set it to at most 9");
    assert_eq!(odd.row_faults()[1].option, "neighbour.distance");
    odd.correct_rows();
    assert_eq!((odd.seed_count, odd.neighbour.distance), (10, 0.0));

    // Documented.
    let mut documentation = String::new();
    docs::section::<FruitOptions>(&mut documentation, "Fruit.");
    let row = "| `Seed_count` | u32 | `5` | yes | yes | at most 9 | 9.1 | Seeds in it. |\n";
    assert!(documentation.contains(row), "{documentation}");

    // And what is known of it without a value.
    let info = &FruitOptions::row("Seed_count").unwrap().info;
    assert!(info.mutable && info.honoured && info.written);
}
