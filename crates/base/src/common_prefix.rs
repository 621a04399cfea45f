//! What keys begin with alike.

/// How many bytes `a` and `b` begin with alike.
#[inline]
pub fn common_prefix_length(a: &[u8], b: &[u8]) -> usize {
    let (a_words, b_words) = (a.as_chunks::<8>().0, b.as_chunks::<8>().0);
    for (index, (&a_word, &b_word)) in a_words.iter().zip(b_words).enumerate() {
        let difference = u64::from_le_bytes(a_word) ^ u64::from_le_bytes(b_word);
        if difference != 0 {
            return 8 * index + (difference.trailing_zeros() / 8) as usize;
        }
    }
    let start = 8 * a_words.len().min(b_words.len());
    start + a[start..].iter().zip(&b[start..]).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests;
