use super::LoserTree;
use proptest::prelude::*;

/// What the tree makes of runs of numbers, each ascending: which run each next number is from.
fn merged(runs: &[Vec<u64>], rank: impl Fn(u64) -> u64) -> Vec<(u64, usize)> {
    let mut positions = vec![0; runs.len()];
    let head = |positions: &[usize], run: usize| runs[run].get(positions[run]).copied();
    let rank_of = |head: Option<u64>| head.map_or(u64::MAX, &rank);
    // Runs that have ended come last, then the runs' own order decides.
    let order = |positions: &[usize], run: usize| {
        let head = head(positions, run);
        (head.is_none(), head, run)
    };
    let ranks: Vec<u64> = (0..runs.len()).map(|run| rank_of(head(&positions, run))).collect();
    let mut tree = LoserTree::default();
    tree.start(&ranks, |a, b| order(&positions, a) < order(&positions, b));
    let mut numbers = Vec::new();
    while let Some(run) = tree.winner()
        && let Some(number) = head(&positions, run)
    {
        numbers.push((number, run));
        positions[run] += 1;
        let rank = rank_of(head(&positions, run));
        tree.advance(rank, |a, b| order(&positions, a) < order(&positions, b));
    }
    numbers
}

fn sorted(runs: &[Vec<u64>]) -> Vec<(u64, usize)> {
    let all = runs.iter().enumerate();
    let mut numbers: Vec<_> =
        all.flat_map(|(run, numbers)| numbers.iter().map(move |&number| (number, run))).collect();
    numbers.sort_unstable();
    numbers
}

fn runs() -> impl Strategy<Value = Vec<Vec<u64>>> {
    let number = prop_oneof![0..20_u64, Just(u64::MAX), u64::MAX - 3..u64::MAX];
    let run = prop::collection::vec(number, 0..40).prop_map(|mut run| {
        run.sort_unstable();
        run
    });
    prop::collection::vec(run, 0..9)
}

#[test]
fn a_tree_without_sources_has_no_winner() {
    let mut tree = LoserTree::default();
    assert_eq!(tree.winner(), None);
    tree.start(&[], |_, _| true);
    assert_eq!(tree.winner(), None);
}

#[test]
fn one_source_wins_until_it_ends() {
    assert_eq!(merged(&[vec![1, 1, 2]], |number| number), [(1, 0), (1, 0), (2, 0)]);
}

#[test]
fn a_run_that_is_ahead_stays_ahead_until_another_one_is() {
    let runs = [vec![5, 6, 7, 20], vec![8, 30], vec![9]];
    assert_eq!(merged(&runs, |number| number), sorted(&runs));
}

proptest! {
    #[test]
    fn sources_come_in_the_order_of_their_entries(runs in runs()) {
        prop_assert_eq!(merged(&runs, |number| number), sorted(&runs));
    }

    /// Ranks that tell few numbers apart leave the rest to the other order.
    #[test]
    fn ranks_may_be_equal_where_entries_are_not(runs in runs(), shift in 0..64_u32) {
        prop_assert_eq!(merged(&runs, |number| number >> shift), sorted(&runs));
    }
}
