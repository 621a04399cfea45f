//! Waits that never yield: parking is what has to be right.

#[derive(Debug, Default)]
pub(crate) struct AdaptiveYield;

impl AdaptiveYield {
    pub(crate) fn yield_until<T>(&self, _outcome: impl Fn() -> Option<T>) -> Option<T> {
        None
    }
}
