//! A reader of a skip list and the one who writes, tried in every order in which they can take turns, up to a number
//! of preemptions, and with every value that the orderings of loads and stores allow: `cargo test -p
//! touchstone-memtable --test skip_list_model`. `LOOM_MAX_PREEMPTIONS` asks for more of them.
//!
//! What is tried is the source of the pointers by which nodes are linked, with loom's primitives in place of their
//! own, over a small list that is linked and searched by the steps of the real one. (Miri and `touchstone-stress
//! torn-reads` try that one.) Models fail where a link releases nothing, where following it acquires nothing, and
//! where a node is linked before its own links are prepared.

mod list;
#[path = "../../src/published_ptr.rs"]
mod published_ptr;
mod sync_primitives;

use list::List;
use loom::sync::Arc;
use loom::thread;

fn main() {
    testing::loom_models::check(&[
        ("who looks finds what was there, and what is new whole or not at all", found_meanwhile),
        ("who goes on sees all that was there, in order", scanned_meanwhile),
        ("who has seen the last one that was put has seen all before it", scanned_while_many_come),
        ("a level that is new shortens the way, and hides nothing", found_while_it_grows),
    ]);
}

/// What `read` has of a list of `keys` while `write` changes it.
fn meanwhile<T: 'static>(keys: &[u32], write: fn(&List), read: fn(&List) -> T) -> (T, Arc<List>) {
    let list = Arc::new(List::new(keys));
    let (others, own) = (list.clone(), list.clone());
    let reader = thread::spawn(move || read(&others));
    let writer = thread::spawn(move || write(&own));
    let (Ok(result), Ok(())) = (reader.join(), writer.join()) else {
        panic!("a thread has failed")
    };
    (result, list)
}

fn found_meanwhile() {
    let read = |list: &List| (list.find(15), list.find(30));
    let ((new, old), list) = meanwhile(&[10, 30], |list| list.insert(20, 2), read);
    assert!([Some(20), Some(30)].contains(&new), "{new:?}");
    assert_eq!(old, Some(30));
    assert_eq!((list.find(15), list.find(25)), (Some(20), Some(30)));
}

fn scanned_meanwhile() {
    let (seen, list) = meanwhile(&[10, 30], |list| list.insert(20, 2), List::scan);
    assert!([vec![10, 30], vec![10, 20, 30]].contains(&seen), "{seen:?}");
    assert_eq!(list.scan(), [10, 20, 30]);
}

fn scanned_while_many_come() {
    let write = |list: &List| {
        list.insert(10, 1);
        list.insert(20, 2);
    };
    let (seen, _) = meanwhile(&[30], write, List::scan);
    assert!([vec![30], vec![10, 30], vec![10, 20, 30]].contains(&seen), "{seen:?}");
}

fn found_while_it_grows() {
    let write = |list: &List| {
        list.insert(10, 2);
        list.insert(20, 1);
    };
    let (found, list) = meanwhile(&[], write, |list| list.find(5));
    assert!([None, Some(10)].contains(&found), "{found:?}");
    assert_eq!((list.find(5), list.find(15)), (Some(10), Some(20)));
}
