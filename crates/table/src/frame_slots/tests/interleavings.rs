//! Every order in which the steps of linking and leaving can meet, as a model: readers that link two
//! blocks of the same place while one takes the other's place in the cache and is dropped itself.

use std::collections::HashSet;

/// What a thread does without another in between. Numbers are of blocks.
#[derive(Clone, Copy)]
enum Step {
    /// Until the block has been put into the cache, where the thread finds it.
    Find(usize),
    /// `enter_cache`.
    Enter(usize),
    Lock(usize),
    /// The head of `link`: on to `Unlock` if the block is in no cache, else the link is noted.
    NoteLink(usize),
    Store(usize),
    /// The head of `leave_cache`: on to `Unlock` if there is no link.
    TakeLink(usize),
    Clear,
    Unlock(usize),
}

use Step::{Clear, Enter, Find, Lock, NoteLink, Store, TakeLink, Unlock};

const fn link(block: usize) -> [Step; 4] {
    [Lock(block), NoteLink(block), Store(block), Unlock(block)]
}

const fn leave(block: usize) -> [Step; 4] {
    [Lock(block), TakeLink(block), Clear, Unlock(block)]
}

#[derive(Clone, Default, PartialEq, Eq, Hash)]
struct State {
    was_entered: [bool; 2],
    is_in_cache: [bool; 2],
    has_link: [bool; 2],
    is_locked: [bool; 2],
    slot: Option<usize>,
    /// The next step of each thread.
    at: [usize; 4],
}

impl State {
    /// The state after a thread's next step, unless that has to wait.
    fn after(&self, thread: usize, step: Step) -> Option<Self> {
        let mut next = self.clone();
        next.at[thread] += 1;
        match step {
            Find(block) if !self.was_entered[block] => return None,
            Lock(block) if self.is_locked[block] => return None,
            Find(_) => {}
            Enter(block) => {
                next.is_in_cache[block] = true;
                next.was_entered[block] = true;
            }
            Lock(block) => next.is_locked[block] = true,
            NoteLink(block) if self.is_in_cache[block] => next.has_link[block] = true,
            NoteLink(_) => next.at[thread] += 1,
            Store(block) => next.slot = Some(block),
            TakeLink(block) => {
                next.is_in_cache[block] = false;
                if !std::mem::take(&mut next.has_link[block]) {
                    next.at[thread] += 1;
                }
            }
            Clear => next.slot = None,
            Unlock(block) => next.is_locked[block] = false,
        }
        Some(next)
    }

    /// Whether what the slot leads to is in the cache, or about to leave it.
    fn is_sound(&self) -> bool {
        self.slot.is_none_or(|block| {
            self.is_locked[block] || self.is_in_cache[block] && self.has_link[block]
        })
    }
}

/// All states that can be reached.
fn explore(threads: &[Vec<Step>; 4]) -> HashSet<State> {
    let first =
        State { was_entered: [true, false], is_in_cache: [true, false], ..State::default() };
    let mut seen = HashSet::from([first.clone()]);
    let mut open = vec![first];
    while let Some(state) = open.pop() {
        for (thread, steps) in threads.iter().enumerate() {
            let step = steps.get(state.at[thread]);
            if let Some(next) = step.and_then(|&step| state.after(thread, step))
                && seen.insert(next.clone())
            {
                open.push(next);
            }
        }
    }
    seen
}

/// Readers of both blocks, the thread that puts the second in the place of the first, and one that
/// drops the second.
fn threads() -> [Vec<Step>; 4] {
    let find = |block| vec![Find(block)];
    [
        link(0).to_vec(),
        [find(1), link(1).to_vec()].concat(),
        [vec![Enter(1)], leave(0).to_vec(), link(1).to_vec()].concat(),
        [find(1), leave(1).to_vec()].concat(),
    ]
}

#[test]
fn whatever_is_linked_is_in_the_cache_in_every_order() {
    let threads = threads();
    let states = explore(&threads);
    assert!(states.len() > 500, "{}", states.len());
    assert!(states.iter().all(State::is_sound));
    let ends: Vec<_> = states
        .iter()
        .filter(|state| threads.iter().zip(state.at).all(|(steps, at)| at == steps.len()))
        .collect();
    assert!(!ends.is_empty());
    assert!(ends.iter().all(|end| end.slot.is_none()), "both blocks have left");
    // Nobody waits for ever: from every other state there is a step.
    for state in states.iter().filter(|state| !ends.contains(state)) {
        let can_go = |thread: usize| {
            let step = threads[thread].get(state.at[thread]);
            step.is_some_and(|&step| state.after(thread, step).is_some())
        };
        assert!((0..4).any(can_go));
    }
}

/// The model would see it if linking and leaving held no lock.
#[test]
fn without_the_lock_a_block_that_left_may_stay_linked() {
    let unlocked = threads().map(|steps| {
        let is_lock = |step: &Step| matches!(step, Lock(_) | Unlock(_));
        // Steps that are skipped over stay where they are.
        steps.into_iter().map(|step| if is_lock(&step) { Find(0) } else { step }).collect()
    });
    assert!(!explore(&unlocked).iter().all(State::is_sound));
}
