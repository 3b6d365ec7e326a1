//! How often somebody may try to sign in: a count in memory per address and e-mail, and a wider one per address.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::Duration;
use watchclock_domain::Time;

/// Tries are counted over so long.
const WINDOW: Duration = Duration::minutes(5);
/// Tries for one e-mail from one address.
const EACH: usize = 10;
/// Tries for any e-mail from one address: many people may sit behind one.
const ALL: usize = 60;
/// Addresses that are remembered; past it those whose window is over are dropped, then all.
const MOST: usize = 20_000;

/// Tries to sign in, of one server.
#[derive(Debug, Default)]
pub(crate) struct Attempts(Mutex<HashMap<(String, String), Count>>);

#[derive(Debug, Clone, Copy)]
struct Count {
    since: Time,
    tries: usize,
}

impl Attempts {
    /// Counts a try; when it is one too many, how many seconds to wait.
    pub(crate) fn count(&self, addr: &str, email: &str, now: Time) -> Result<(), i64> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MOST {
            counts.retain(|_, count| now - count.since < WINDOW);
            if counts.len() >= MOST {
                counts.clear();
            }
        }
        for (key, most) in [(key(addr, email), EACH), (key(addr, ""), ALL)] {
            // Without an e-mail, as with a link, only the wider count goes on.
            if key.1.is_empty() && most == EACH {
                continue;
            }
            let count = counts.entry(key).or_insert(Count { since: now, tries: 0 });
            if now - count.since >= WINDOW {
                *count = Count { since: now, tries: 0 };
            }
            count.tries += 1;
            if count.tries > most {
                return Err((count.since + WINDOW - now).num_seconds().max(1));
            }
        }
        Ok(())
    }

    /// Takes back the tries of somebody who got in.
    pub(crate) fn succeeded(&self, addr: &str, email: &str) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts.remove(&key(addr, email));
        if let Some(all) = counts.get_mut(&key(addr, "")) {
            all.tries = all.tries.saturating_sub(1);
        }
    }
}

fn key(addr: &str, email: &str) -> (String, String) {
    (addr.to_owned(), email.trim().to_lowercase().chars().take(254).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_eleventh_try_waits_for_the_window_to_end() {
        let (attempts, now) = (Attempts::default(), Time::default());
        for _ in 0..EACH {
            assert_eq!(attempts.count("192.0.2.1", "a@example.com", now), Ok(()));
        }
        assert_eq!(attempts.count("192.0.2.1", "A@example.com ", now + Duration::seconds(60)), Err(240));
        assert_eq!(attempts.count("192.0.2.2", "a@example.com", now), Ok(()));
        assert_eq!(attempts.count("192.0.2.1", "a@example.com", now + WINDOW), Ok(()));
    }

    #[test]
    fn those_who_get_in_may_do_so_often() {
        let (attempts, now) = (Attempts::default(), Time::default());
        for _ in 0..200 {
            assert_eq!(attempts.count("192.0.2.1", "a@example.com", now), Ok(()));
            attempts.succeeded("192.0.2.1", "a@example.com");
        }
    }

    #[test]
    fn links_count_towards_the_wider_limit_only() {
        let (attempts, now) = (Attempts::default(), Time::default());
        assert!((0..ALL).all(|_| attempts.count("192.0.2.1", "", now).is_ok()));
        assert!(attempts.count("192.0.2.1", "", now).is_err());
    }

    #[test]
    fn one_address_cannot_try_every_email() {
        let (attempts, now) = (Attempts::default(), Time::default());
        let refused =
            (0..100).filter(|n| attempts.count("192.0.2.1", &format!("{n}@example.com"), now).is_err());
        assert_eq!(refused.count(), 100 - ALL);
    }
}
