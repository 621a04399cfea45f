use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn behaves_as_a_vector(
        steps in prop::collection::vec((0usize..300, prop::collection::vec(any::<u8>(), 0..200), 0usize..40), 1..50),
    ) {
        let mut buffer = KeyBuffer::new();
        let mut model: Vec<u8> = Vec::new();
        for (shared, suffix, slack) in steps {
            let shared = shared.min(model.len());
            let mut source = vec![7; 3];
            source.extend_from_slice(&suffix);
            source.resize(source.len() + slack, 9);
            buffer.splice(shared, &source, 3, suffix.len());
            model.truncate(shared);
            model.extend_from_slice(&suffix);
            prop_assert_eq!(buffer.as_slice(), &model[..]);
            prop_assert_eq!(buffer.as_slice().len(), model.len());
        }
    }
}
