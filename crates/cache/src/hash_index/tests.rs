use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

proptest! {
    /// Few hashes, so that slots collide, wrap around and move.
    #[test]
    fn the_index_behaves_as_a_map(steps in prop::collection::vec((0u32..40, any::<bool>()), 0..200)) {
        let mut index = HashIndex::default();
        let mut model = BTreeMap::new();
        for (entry, insert) in steps {
            let hash = (entry % 7) * 0x1000_0001 + 12;
            if insert && model.insert(entry, hash).is_none() {
                index.insert(hash, entry);
            } else if !insert && model.remove(&entry).is_some() {
                index.remove(hash, entry);
            }
            prop_assert_eq!(index.len(), model.len());
            for entry in 0..40 {
                let hash = (entry % 7) * 0x1000_0001 + 12;
                let expected = model.contains_key(&entry).then_some(entry);
                prop_assert_eq!(index.find(hash, |it| it == entry), expected);
            }
        }
    }
}
