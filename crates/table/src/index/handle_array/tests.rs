use super::*;

fn array(handles: &[(u64, u64)]) -> HandleArray {
    let mut array = HandleArray::new();
    handles.iter().for_each(|&(offset, size)| array.push(BlockHandle { offset, size }));
    array.shrink_to_fit();
    array
}

fn pairs(array: &HandleArray) -> Vec<(u64, u64)> {
    (0..array.len())
        .map(|index| array.at(index))
        .map(|handle| (handle.offset, handle.size))
        .collect()
}

#[test]
fn the_largest_that_fit_are_packed() {
    let handles = [(0, 0), (4096, 77), ((1 << 40) - 1, (1 << 24) - 1)];
    let array = array(&handles);
    assert!(matches!(array, HandleArray::Packed(_)));
    assert_eq!(pairs(&array), handles);
    assert_eq!(array.memory_usage_bytes(), 24);
}

#[test]
fn one_that_does_not_fit_makes_all_whole() {
    for large in [(1 << 40, 1), (1, 1 << 24), (u64::MAX, u64::MAX)] {
        let handles = [(5, 6), large, (7, 8)];
        let array = array(&handles);
        assert!(matches!(array, HandleArray::Whole(_)));
        assert_eq!(pairs(&array), handles);
        assert_eq!(array.memory_usage_bytes(), 48);
    }
}
