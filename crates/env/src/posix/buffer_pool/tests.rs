use super::*;

#[test]
fn buffers_come_back_empty_and_large_enough() {
    for size in [SIZE_MIN, SIZE_MIN + 1, SIZE_MAX, SIZE_MAX + 1] {
        let mut buffer = take(size);
        assert!(buffer.is_empty() && buffer.capacity() >= size, "{size}");
        buffer.resize(size, 1);
        give_back(buffer);
        let again = take(size);
        assert!(again.is_empty() && again.capacity() >= size, "{size}");
    }
}

#[test]
fn few_are_kept_and_none_that_are_small_or_very_large() {
    give_back(Vec::with_capacity(SIZE_MIN - 1));
    give_back(Vec::with_capacity(2 * SIZE_MAX));
    (0..3 * COUNT_MAX).for_each(|_| give_back(Vec::with_capacity(SIZE_MIN)));
    let buffers = BUFFERS.lock();
    assert!(buffers.len() <= COUNT_MAX);
    assert!(buffers.iter().all(|buffer| (SIZE_MIN..=SIZE_MAX).contains(&buffer.capacity())));
}

#[test]
fn aligned_buffers_come_back_with_the_size_that_is_asked_for() {
    for size in [1, SIZE_MIN, SIZE_MIN + 1, SIZE_MAX] {
        let mut buffer = take_aligned(size);
        assert_eq!(buffer.capacity(), align_up(size), "{size}");
        buffer.bytes_mut().fill(1);
        give_back_aligned(buffer);
    }
    assert_eq!(take_aligned(SIZE_MIN).capacity(), SIZE_MIN);
    give_back_aligned(AlignedBuffer::default());
    (0..3 * COUNT_MAX).for_each(|_| give_back_aligned(AlignedBuffer::new(SIZE_MIN)));
    let buffers = ALIGNED_BUFFERS.lock();
    assert!(buffers.len() <= COUNT_MAX);
    assert!(buffers.iter().all(|buffer| (SIZE_MIN..=SIZE_MAX).contains(&buffer.capacity())));
}

#[test]
fn bytes_are_those_that_buffers_have_room_for() {
    assert_eq!(bytes_of(&[Vec::with_capacity(SIZE_MIN), Vec::new()]), SIZE_MIN);
    assert_eq!(bytes_of_aligned(&[AlignedBuffer::new(1), AlignedBuffer::new(5000)]), 3 * 4096);
    assert!(kept_buffer_bytes() <= 2 * COUNT_MAX * SIZE_MAX);
}
