//! Every option once: OPTIONS files and option strings.
