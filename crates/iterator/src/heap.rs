//! A binary heap whose order is given from outside, since the order of keys is known at run time
//! only. `before(a, b)` says that `a` belongs nearer to the top; the top is element 0.

/// Makes a heap of elements in any order.
pub(crate) fn heapify<T>(heap: &mut [T], before: impl Fn(&T, &T) -> bool) {
    for at in (0..heap.len() / 2).rev() {
        sift_down(heap, at, &before);
    }
}

/// Restores the heap after the element at `at` may have moved away from the top.
#[inline]
pub(crate) fn sift_down<T>(heap: &mut [T], mut at: usize, before: impl Fn(&T, &T) -> bool) {
    loop {
        let mut child = 2 * at + 1;
        if child >= heap.len() {
            return;
        }
        if child + 1 < heap.len() && before(&heap[child + 1], &heap[child]) {
            child += 1;
        }
        if !before(&heap[child], &heap[at]) {
            return;
        }
        heap.swap(at, child);
        at = child;
    }
}

/// Adds an element.
pub(crate) fn push<T>(heap: &mut Vec<T>, element: T, before: impl Fn(&T, &T) -> bool) {
    heap.push(element);
    let mut at = heap.len() - 1;
    while at > 0 {
        let parent = (at - 1) / 2;
        if !before(&heap[at], &heap[parent]) {
            return;
        }
        heap.swap(at, parent);
        at = parent;
    }
}

/// Takes the top.
#[inline]
pub(crate) fn pop<T>(heap: &mut Vec<T>, before: impl Fn(&T, &T) -> bool) -> Option<T> {
    if heap.is_empty() {
        return None;
    }
    let top = heap.swap_remove(0);
    sift_down(heap, 0, before);
    Some(top)
}
