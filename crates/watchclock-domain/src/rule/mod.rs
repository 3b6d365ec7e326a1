//! Rules over the result of a run.
