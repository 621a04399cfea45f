use super::*;

#[test]
fn every_row_of_a_struct_is_in_its_section_once() {
    let text = reference();
    let section = |name: &str| {
        let (_, rest) = text.split_once(&format!("\n## {name}\n")).unwrap();
        rest.split("\n## ").next().unwrap().to_owned()
    };
    let infos = [
        (section("DbOptions"), DbOptions::infos().collect::<Vec<_>>()),
        (section("ColumnFamilyOptions"), ColumnFamilyOptions::infos().collect()),
        (section("BlockBasedTableOptions"), BlockBasedTableOptions::infos().collect()),
    ];
    for (section, infos) in infos {
        assert!(infos.len() > 30);
        for info in infos {
            assert_eq!(section.matches(&format!("\n| `{}` |", info.name)).count(), 1);
        }
    }
    let columns = |line: &str| line.matches('|').count() - 1;
    assert!(text.lines().all(|line| !line.starts_with('|') || [8, 4].contains(&columns(line))));
}
