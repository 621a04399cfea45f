use super::*;

#[test]
fn names_are_in_order_and_unique() {
    assert!(COMMANDS.is_sorted_by(|a, b| a.name < b.name));
}

#[test]
fn a_command_takes_the_common_options_and_its_own() {
    let scan = Command::find("scan").expect("a command");
    assert!(scan.takes("db") && scan.takes("no_value") && !scan.takes("walfile"));
    assert!(scan.needs_database());
    assert!(!Command::find("dump_wal").expect("a command").needs_database());
    assert!(Command::find("Scan").is_none());
}

#[test]
fn adding_a_column_family_takes_the_database_alone() {
    let create = Command::find("create_column_family").expect("a command");
    assert!(create.takes("db") && !create.takes("hex") && !create.takes("column_family"));
}
