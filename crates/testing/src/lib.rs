//! Fixtures and data-driven tests; for dev-dependencies only.
