//! One scheduled job, as configured.
