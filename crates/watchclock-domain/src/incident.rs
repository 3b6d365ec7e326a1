//! Something is wrong with a monitor.
