use super::*;

/// What a cursor that goes through leaves of these counts asks for: the leaves of which it asks for addresses, and
/// the slots of records by leaf, each with the number of steps the cursor had made.
#[derive(Default)]
struct Walk {
    addresses: Vec<(usize, usize)>,
    records: Vec<(usize, (usize, usize))>,
}

fn walk(direction: Direction, counts: &[usize]) -> Walk {
    let mut walk = Walk::default();
    let mut steps = 0;
    for (leaf, &count) in counts.iter().enumerate() {
        for behind in 0..count {
            let index = direction.slot_of(behind, || count);
            let is_late = behind == 0 && direction.is_late_for_addresses(index, count);
            if is_late || direction.needs_addresses(index, count) {
                walk.addresses.push((steps, leaf + 1));
            }
            match direction.record_ahead(index, count) {
                Ahead::Here(slot) => walk.records.push((steps, (leaf, slot))),
                Ahead::NextLeaf(behind) => {
                    let next = counts.get(leaf + 1).copied().unwrap_or(usize::MAX);
                    walk.records.push((steps, (leaf + 1, direction.slot_of(behind, || next))));
                }
            }
            steps += 1;
        }
    }
    walk
}

#[test]
fn each_record_is_asked_for_as_many_steps_before_in_either_direction() {
    let counts = [20, 64, 9, 30];
    for direction in [Direction::Forward, Direction::Back] {
        let on_the_way = counts.iter().enumerate().flat_map(|(leaf, &count)| {
            (0..count).map(move |behind| (leaf, direction.slot_of(behind, || count)))
        });
        let expected: Vec<_> = on_the_way.skip(DISTANCE).enumerate().collect();
        let asked = walk(direction, &counts).records;
        assert_eq!(asked[..expected.len()], expected, "{direction:?}");
        // Nothing else but what may come in a leaf after these.
        assert!(asked[expected.len()..].iter().all(|(_, (leaf, _))| *leaf == counts.len()));
    }
}

#[test]
fn addresses_are_asked_for_once_and_as_long_before_as_the_leaf_allows() {
    for direction in [Direction::Forward, Direction::Back] {
        let asked = walk(direction, &[20, 64, 9, 16, 30]).addresses;
        // Steps 4, 20 + 48, at the start of the leaf of 9 and that of 16, and 109 + 14.
        assert_eq!(asked, [(4, 1), (68, 2), (84, 3), (93, 4), (123, 5)], "{direction:?}");
    }
}

#[test]
fn a_leaf_that_shrank_has_its_nearest_slot_asked_for() {
    assert_eq!(Direction::Back.slot_of(5, || 3), 0);
    assert_eq!(Direction::Forward.record_ahead(9, 4), Ahead::NextLeaf(7));
}
