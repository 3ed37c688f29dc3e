//! How names of sources and tools become identifiers (SPEC 2.0).
