//! Index and filter blocks, held by the table or by the block cache.

use crate::format::BlockHandle;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// A block that is loaded when it is first needed.
#[derive(Debug)]
pub(super) struct MetaBlock<T> {
    pub(super) handle: BlockHandle,
    /// Where the table holds it itself; none where the block cache does.
    resident: Option<OnceLock<Arc<T>>>,
}

impl<T> MetaBlock<T> {
    pub(super) fn new(handle: BlockHandle, is_resident: bool) -> Self {
        Self { handle, resident: is_resident.then(OnceLock::new) }
    }

    /// The block, if the table holds it already.
    pub(super) fn resident(&self) -> Option<&Arc<T>> {
        self.resident.as_ref()?.get()
    }

    /// The block, by `load` unless the table holds it.
    #[inline]
    pub(super) fn get<E>(
        &self,
        load: impl FnOnce(BlockHandle, bool) -> Result<Arc<T>, E>,
    ) -> Result<MetaRef<'_, T>, E> {
        let Some(slot) = &self.resident else {
            return load(self.handle, true).map(MetaRef::Held);
        };
        match slot.get() {
            Some(block) => Ok(MetaRef::Borrowed(block)),
            None => {
                let block = load(self.handle, false)?;
                Ok(MetaRef::Borrowed(slot.get_or_init(|| block)))
            }
        }
    }
}

/// A block of a table, borrowed from it or held.
#[derive(Debug)]
pub(super) enum MetaRef<'t, T> {
    Borrowed(&'t Arc<T>),
    Held(Arc<T>),
}

impl<T> MetaRef<'_, T> {
    pub(super) fn to_arc(&self) -> Arc<T> {
        match self {
            Self::Borrowed(block) => Arc::clone(block),
            Self::Held(block) => Arc::clone(block),
        }
    }
}

impl<T> Deref for MetaRef<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        match self {
            Self::Borrowed(block) => block,
            Self::Held(block) => block,
        }
    }
}
