//! Links to cached blocks, tried in every order in which readers that link blocks, readers that follow links
//! and a cache that drops blocks can take turns, up to a number of preemptions: `cargo test -p
//! touchstone-table --test frame_slots_model`. `LOOM_MAX_PREEMPTIONS` asks for more of them.
//!
//! What is tried is the source of the links itself, with loom's primitives in place of its own. All take turns in
//! threads of their own: where the first thread of a model is one of them loom tries a few orders only.

#![allow(clippy::unwrap_used, reason = "a panic fails the test")]

#[allow(dead_code, unused_imports, reason = "tables use all of it")]
#[path = "../../src/frame_slots"]
mod frame_slots {
    pub(crate) mod slots;
}
mod sync_primitives;

/// In place of blocks with entries.
mod data_block {
    use crate::frame_slots::slots::{Residence, Resident, UseMark};
    use cache::LinkedValue;

    #[derive(Default)]
    pub(crate) struct DataBlock {
        use_mark: UseMark,
        residence: Residence<Self>,
    }

    impl Resident for DataBlock {
        fn use_mark(&self) -> &UseMark {
            &self.use_mark
        }

        fn residence(&self) -> &Residence<Self> {
            &self.residence
        }
    }

    impl LinkedValue for DataBlock {
        fn link_count(&self) -> usize {
            self.residence().link_count(self)
        }

        fn take_use(&self) -> bool {
            self.use_mark().take()
        }

        fn left_cache(&self) {
            self.residence().leave_cache();
        }
    }
}

use cache::LinkedValue;
use data_block::DataBlock;
use frame_slots::slots::{FrameSlots as SlotsOf, Resident, SlotRef};
use loom::thread;
use std::sync::{Arc, Weak};

type FrameSlots = SlotsOf<DataBlock>;

/// Slots of the index; blocks are linked at the first.
const COUNT: usize = 2;

fn main() {
    testing::loom_models::check(&[
        ("a block that has left is linked no more", linked_while_it_leaves),
        ("of two blocks of one place neither outlasts the cache", two_blocks_of_a_place),
        ("a reader has a block until it lets go, and its use is seen", used_while_it_leaves),
        ("a block that is approached stays until it is let go", approached_while_it_leaves),
        ("links that are counted are those of the block asked", links_are_counted),
    ]);
}

fn entered() -> Arc<DataBlock> {
    let block = Arc::<DataBlock>::default();
    block.residence().enter_cache();
    block
}

/// Links `block` as a reader does that has found it in the cache.
fn link(slots: &Arc<FrameSlots>, block: &Arc<DataBlock>) -> thread::JoinHandle<()> {
    let (slots, block) = (slots.clone(), block.clone());
    thread::spawn(move || slots.link(0, COUNT, &block))
}

/// What a cache does with a block that it holds, meanwhile.
fn cache<T: 'static>(
    block: &Arc<DataBlock>,
    act: fn(Arc<DataBlock>) -> T,
) -> thread::JoinHandle<T> {
    let block = block.clone();
    thread::spawn(move || act(block))
}

/// Nothing but the cache has kept the block.
fn expect_freed(block: Arc<DataBlock>) {
    let weak: Weak<DataBlock> = Arc::downgrade(&block);
    drop(block);
    assert!(weak.upgrade().is_none(), "a block that left is held by a link");
}

fn linked_while_it_leaves() {
    let slots = Arc::<FrameSlots>::default();
    let block = entered();
    let readers = [link(&slots, &block), link(&slots, &block)];
    cache(&block, |block| block.left_cache()).join().unwrap();
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    assert!(slots.get(0).is_none());
    expect_freed(block);
}

fn two_blocks_of_a_place() {
    let slots = Arc::<FrameSlots>::default();
    let (old, new) = (entered(), entered());
    let readers = [link(&slots, &old), link(&slots, &new)];
    cache(&old, |old| old.left_cache()).join().unwrap();
    readers.into_iter().for_each(|reader| reader.join().unwrap());
    assert!(slots.get(0).is_none_or(|linked| std::ptr::eq(&**linked, &*new)));
    expect_freed(old);
    new.left_cache();
    assert!(slots.get(0).is_none());
    expect_freed(new);
}

/// A block that is linked, and what a reader will have got of it that does `read` meanwhile.
fn read_linked(
    slots: &Arc<FrameSlots>,
    read: fn(&FrameSlots) -> Option<Arc<DataBlock>>,
) -> (Arc<DataBlock>, thread::JoinHandle<Option<Arc<DataBlock>>>) {
    let block = entered();
    slots.link(0, COUNT, &block);
    let slots = slots.clone();
    (block, thread::spawn(move || read(&slots)))
}

fn used_while_it_leaves() {
    let slots = Arc::<FrameSlots>::default();
    let (block, reader) = read_linked(&slots, |slots| slots.get(0).map(SlotRef::into_arc));
    let weak = Arc::downgrade(&block);
    // A cache that asks before it drops a block, which stays if it was used.
    let cache = cache(&block, |block| {
        let was_used = block.take_use();
        if !was_used {
            block.left_cache();
        }
        was_used
    });
    drop(block);
    let was_used = cache.join().unwrap();
    let held = reader.join().unwrap();
    assert!(!was_used || held.is_some(), "used by nobody");
    match held {
        Some(held) => assert!(std::ptr::eq(Arc::as_ptr(&held), weak.as_ptr())),
        None => assert!(weak.upgrade().is_none()),
    }
    assert_eq!(slots.get(0).is_some(), was_used);
}

fn approached_while_it_leaves() {
    let slots = Arc::<FrameSlots>::default();
    let (block, reader) = read_linked(&slots, |slots| {
        let found = slots.approach(0)?;
        found.note_use();
        Some(found.into_arc())
    });
    let weak = Arc::downgrade(&block);
    let cache = cache(&block, |block| block.left_cache());
    drop(block);
    cache.join().unwrap();
    let held = reader.join().unwrap();
    assert!(slots.get(0).is_none());
    // Whoever got it has it still; else nobody has.
    assert_eq!(held.is_some(), weak.upgrade().is_some());
}

fn links_are_counted() {
    let slots = Arc::<FrameSlots>::default();
    let (first, second) = (entered(), entered());
    slots.link(0, COUNT, &first);
    let reader = link(&slots, &second);
    let counts = [&first, &second].map(|block| cache(block, |block| block.link_count()));
    assert!(counts.into_iter().all(|count| count.join().unwrap() <= 1));
    reader.join().unwrap();
    assert_eq!((first.link_count(), second.link_count()), (0, 1));
    // The one that lost its place takes the other's link along, never its memory.
    first.left_cache();
    expect_freed(first);
    second.left_cache();
    expect_freed(second);
}
