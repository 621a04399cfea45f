//! Why this engine never adds to a metric.

pub(crate) const NO_ASYNC_READS: &str = "reads wait for the file system";
pub(crate) const NO_ENCRYPTION: &str = "there is no encrypted file system";
pub(crate) const NO_MULTISCAN: &str = "there is no scan of several ranges at once";
pub(crate) const NO_STANDALONE_ENTRIES: &str = "every entry of a cache is in its table";
pub(crate) const NO_SUCH_CALL: &str = "the file system has no such call";
pub(crate) const NO_TRANSACTIONS: &str = "there are no transactions yet";
