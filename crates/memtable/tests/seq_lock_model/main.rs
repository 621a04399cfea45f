//! A reader of a B+tree and the one who writes, tried in every order in which they can take turns, up to a
//! number of preemptions, and with every value that the orderings of loads and stores allow: `cargo test -p
//! touchstone-memtable --test seq_lock_model`. `LOOM_MAX_PREEMPTIONS` asks for more of them.
//!
//! What is tried is the source of the lock and of pointers to records and leaves itself, with loom's primitives in
//! place of their own, over a small tree that is changed and read by the steps of the real one. (Miri and
//! `touchstone-stress torn-reads` try that one.) Models fail where either fence is left out, where the last store of
//! the count releases nothing, where taking it acquires nothing, where it is not looked at again, and where loading
//! a pointer acquires nothing. (That publishing one releases matters to skip lists: here a fence of the lock, or the
//! count of a leaf, releases what it leads to as well.) Who reads and who writes are threads of their
//! own: were the first thread of a model one of them, few orders would be tried, or a single one.

#[allow(dead_code, reason = "skip lists prepare links")]
#[path = "../../src/published_ptr.rs"]
mod published_ptr;
#[path = "../../src/b_plus_tree/seq_lock.rs"]
mod seq_lock;
mod sync_primitives;
mod tree;

use loom::sync::Arc;
use loom::thread;
use tree::Tree;

fn main() {
    testing::loom_models::check(&[
        ("who looks finds what was there, behind what is put in front", found_while_others_move),
        ("who goes on sees all, with or without what is put between", scanned_while_others_move),
        ("what is put behind the last one is there whole or not at all", scanned_while_it_grows),
        ("who looks finds what was there, in whichever leaf", found_while_a_leaf_is_split),
        ("who goes on sees all, of the leaf before or of both", scanned_while_a_leaf_is_split),
        ("who looks into a leaf finds what was there, or nothing", looked_into_while_it_is_split),
        ("who looks behind the last one finds none before it", looked_behind_while_it_grows),
    ]);
}

/// What `read` has of a tree of `keys` while `write` changes it.
fn meanwhile<T: 'static>(keys: &[u32], write: fn(&Tree), read: fn(&Tree) -> T) -> (T, Arc<Tree>) {
    let tree = Arc::new(Tree::new(keys));
    let (others, own) = (tree.clone(), tree.clone());
    let reader = thread::spawn(move || read(&others));
    let writer = thread::spawn(move || write(&own));
    let (Ok(result), Ok(())) = (reader.join(), writer.join()) else {
        panic!("a thread has failed")
    };
    (result, tree)
}

fn found_while_others_move() {
    let ((new, old), tree) =
        meanwhile(&[10, 30], |tree| tree.insert(20), |tree| (tree.find(15), tree.find(30)));
    assert!([Some(20), Some(30)].contains(&new), "{new:?}");
    assert_eq!(old, Some(30));
    assert_eq!(tree.find(15), Some(20));
}

fn scanned_while_others_move() {
    let (seen, tree) = meanwhile(&[10, 30], |tree| tree.insert(20), Tree::scan);
    let expected = [None, Some(vec![10, 30]), Some(vec![10, 20, 30])];
    assert!(expected.contains(&seen), "{seen:?}");
    assert_eq!(tree.scan(), Some(vec![10, 20, 30]));
}

fn scanned_while_it_grows() {
    let (seen, tree) = meanwhile(&[10, 30], |tree| tree.insert(40), Tree::scan);
    let expected = [Some(vec![10, 30]), Some(vec![10, 30, 40])];
    assert!(expected.contains(&seen), "nothing moves: {seen:?}");
    assert_eq!(tree.scan(), Some(vec![10, 30, 40]));
}

fn found_while_a_leaf_is_split() {
    let ((new, old), tree) =
        meanwhile(&[10, 30, 40], |tree| tree.split(20), |tree| (tree.find(15), tree.find(40)));
    assert!([Some(20), Some(30)].contains(&new), "{new:?}");
    assert_eq!(old, Some(40));
    assert_eq!((tree.find(15), tree.find(35)), (Some(20), Some(40)));
}

fn scanned_while_a_leaf_is_split() {
    let (seen, tree) = meanwhile(&[10, 30, 40], |tree| tree.split(20), Tree::scan);
    let expected = [None, Some(vec![10, 30, 40]), Some(vec![10, 20, 30, 40])];
    assert!(expected.contains(&seen), "{seen:?}");
    assert_eq!(tree.scan(), Some(vec![10, 20, 30, 40]));
}

fn looked_into_while_it_is_split() {
    let ((new, old), tree) = meanwhile(
        &[10, 30, 40],
        |tree| tree.split(20),
        |tree| (tree.find_here(15), tree.find_here(35)),
    );
    assert!([None, Some(Some(20)), Some(Some(30))].contains(&new), "{new:?}");
    assert!([None, Some(Some(40))].contains(&old), "{old:?}");
    assert_eq!((tree.find_here(15), tree.find_here(35)), (Some(Some(20)), None));
}

fn looked_behind_while_it_grows() {
    let grow = |tree: &Tree| {
        tree.split(40);
        tree.insert(60);
    };
    let (found, tree) = meanwhile(&[10, 20, 30], grow, |tree| tree.find_here(50));
    assert!([None, Some(None)].contains(&found), "{found:?}");
    assert_eq!((tree.find_here(50), tree.find(50)), (None, Some(60)));
}
