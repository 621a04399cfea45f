//! Block-based tables: footer, blocks, index, filters, properties, reader.
