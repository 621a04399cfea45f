//! Write-ahead log framing and write batches.
