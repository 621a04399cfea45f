use super::*;
use crate::judges::protocol::{
    Answer, Bytes, Content, Contents, FamilyOpening, Move, Operation, Request,
};
use std::fs;

#[test]
fn the_script_fetches_the_judges_of_this_list() {
    let script = fs::read_to_string(root().join("scripts/peers")).unwrap();
    assert!(script.contains(&format!("releases=({})", FETCHED.join(" "))), "{script}");
    assert!(script.contains(&format!("rocksdict={}", ROCKSDICT.0)), "{script}");
}

#[test]
fn requests_are_the_lines_that_the_document_shows() {
    let lines = [
        r#"{"do":"list-families","directory":"/tmp/x"}"#,
        r#"{"do":"close"}"#,
        r#"{"do":"dump"}"#,
        r#"{"do":"get","family":"64","key":"6b"}"#,
        r#"{"do":"write","operations":[{"op":"put","family":"64","key":"","value":"00ff"},{"op":"delete-range","family":"64","begin":"61","end":"62"}],"sync":true,"disable_wal":false}"#,
        r#"{"do":"move","iterator":1,"to":"seek-to-first"}"#,
        r#"{"do":"move","iterator":1,"to":{"seek-for-prev":"61"}}"#,
    ];
    for line in lines {
        let request: Request = serde_json::from_str(line).unwrap();
        assert_eq!(serde_json::to_string(&request).unwrap(), line);
    }
    assert!(serde_json::from_str::<Request>(r#"{"do":"sing"}"#).is_err());
    let answer: Answer = serde_json::from_str(r#"{"unsupported":"rocksdb_flush_cfs"}"#).unwrap();
    assert_eq!(answer, Answer::Unsupported("rocksdb_flush_cfs".to_owned()));
    assert!(matches!(Move::Seek(Bytes::from("a")), Move::Seek(_)));
    let put = Operation::LogData { data: Bytes::default() };
    assert_eq!(serde_json::to_string(&put).unwrap(), r#"{"op":"log-data","data":""}"#);
    assert_eq!(FamilyOpening::new(b"a", "x=1").name, Bytes::from("a"));
}

#[test]
fn contents_differ_by_count_hash_columns_error_and_family() {
    let content = Content { count: 1, sha256: "aa".to_owned(), ..Content::default() };
    let expected = Contents::from([(Bytes::from("default"), content.clone())]);
    compare(&expected, &expected).unwrap();
    let others = [
        Content { count: 2, ..content.clone() },
        Content { sha256: "ab".to_owned(), ..content.clone() },
        Content { error: Some("Corruption: x".to_owned()), ..content.clone() },
    ];
    for other in others {
        let found = Contents::from([(Bytes::from("default"), other)]);
        assert!(compare(&expected, &found).unwrap_err().starts_with("default: "));
    }
    let with_columns =
        |hash: &str| Content { columns_sha256: Some(hash.to_owned()), ..content.clone() };
    assert!(with_columns("1").is_same(&content));
    assert!(!with_columns("1").is_same(&with_columns("2")));
    assert!(compare(&expected, &Contents::new()).unwrap_err().contains("not there"));
    assert!(compare(&Contents::new(), &expected).unwrap_err().contains("not expected"));
}

#[test]
fn a_judge_that_hangs_crashes_or_babbles_is_broken() {
    let session = |script: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let mut session = Session::start("sh", command);
        session.set_patience(std::time::Duration::from_millis(300));
        session
    };
    let broken = |result: Result<u64, Failure>, text: &str| match result {
        Err(Failure::Broken(how)) => assert!(how.contains(text), "{how}"),
        other => panic!("{other:?}"),
    };
    broken(session("sleep 60").latest_sequence(), "no answer after");
    broken(session("read line; echo oops >&2; kill -SEGV $$").latest_sequence(), "oops");
    broken(session("read line; echo hello; sleep 60").latest_sequence(), "hello");
    broken(session("read line; echo '{\"ok\":\"text\"}'; sleep 60").latest_sequence(), "text");
    let answer = session("read line; echo '{\"error\":\"Corruption: x\"}'; sleep 60").snapshot();
    assert_eq!(answer, Err(Failure::Refused("Corruption: x".to_owned())));
    assert_eq!(session("read line; echo '{\"ok\":7}'; sleep 60").latest_sequence(), Ok(7));
}
