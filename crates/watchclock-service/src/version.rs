//! Versions of what counts none of its own: the time of the last change, which always moves on. Neighbour: `monitor` has counted ones.

use chrono::Duration;
use watchclock_domain::Time;

use crate::{ServiceError, ServiceResult};

/// The version of what was last changed then.
pub(crate) fn of(changed: Time) -> i64 {
    changed.timestamp_micros()
}

/// When a change is said to happen: later than the one before, also when the clock stands still or is set back.
pub(crate) fn changed(before: Time, now: Time) -> Time {
    now.max(before + Duration::microseconds(1))
}

/// Refuses a change of another version than the one at hand; without one, any is meant.
pub(crate) fn check(meant: Option<i64>, now: i64) -> ServiceResult<()> {
    match meant {
        Some(meant) if meant != now => Err(ServiceError::Stale),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_always_makes_another_version() {
        let before: Time = "2027-01-04T03:00:00Z".parse().unwrap();
        for now in [before - Duration::hours(1), before, before + Duration::hours(1)] {
            assert!(of(changed(before, now)) > of(before));
        }
        let version = of(before);
        assert!(check(None, version).is_ok() && check(Some(version), version).is_ok());
        assert!(matches!(check(Some(version - 1), version), Err(ServiceError::Stale)));
    }
}
