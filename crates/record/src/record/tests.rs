use super::*;
use crate::{FamilyShape, LevelShape};

#[test]
fn a_record_is_one_line_and_comes_back() {
    let level = LevelShape { level: 6, files: 12, bytes: 91_000_000 };
    let family = FamilyShape { levels: vec![level], ..FamilyShape::default() };
    let record = Record {
        schema: SCHEMA,
        benchmark: "readrandom".to_owned(),
        message: Some("(7 of 10 found)\nsecond line".to_owned()),
        seconds: Some(1.25),
        shape: Shapes { before: Some([("default".to_owned(), family)].into()), after: None },
        ..Record::default()
    };
    let line = record.to_line().unwrap();
    assert_eq!(line.matches('\n').count(), 1);
    assert_eq!(Record::from_line(&line).unwrap(), record);
}

#[test]
fn unknown_names_are_read_over_and_missing_ones_are_errors() {
    let line = Record::default().to_line().unwrap();
    let longer = line.replacen('{', r#"{"of_a_later_release":1,"#, 1);
    assert_eq!(Record::from_line(&longer).unwrap(), Record::default());
    let shorter = line.replacen(r#""schema":0,"#, "", 1);
    assert!(Record::from_line(&shorter).unwrap_err().to_string().contains("schema"));
}
