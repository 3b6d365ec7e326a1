//! When a run is expected.
