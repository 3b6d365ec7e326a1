//! The address of a ping: which monitor, and what its path says; the query and the body speak in [`super::params`].

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use uuid::Uuid;
use watchclock_domain::ping::Signal;

/// Longest ping key or slug that is looked up, in bytes; none that was ever given out is longer.
const MAX_NAME_BYTES: usize = 400;

/// What stands after `/ping/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    pub target: Target,
    pub action: Action,
}

/// Which monitor is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    Uuid(Uuid),
    /// Both as written, percent-decoded, not empty and without control characters.
    Slug {
        ping_key: String,
        slug: String,
    },
}

/// What the path says about the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The bare address or `/end`: success, unless the ping itself says otherwise (`status=`, `exit=`).
    End,
    /// The path names the signal, and nothing overrides it.
    Named(Signal),
}

/// Why a path is no address of a ping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadAddress {
    /// A monitor may be meant, but not so: 400 `invalid url format`.
    InvalidFormat,
    /// No such shape: 404 `not found`.
    NotFound,
}

impl Address {
    /// Reads the path after `/ping/`, still percent-encoded. Empty segments (doubled and trailing slashes) do not count.
    pub fn parse(path: &str) -> Result<Self, BadAddress> {
        let mut segments = path.split('/').filter(|segment| !segment.is_empty());
        let mut next = || segments.next().map(decoded).transpose();
        let first = next()?.ok_or(BadAddress::NotFound)?;
        let target = match Uuid::try_parse(&first) {
            // Braces and `urn:uuid:` parse too, but are no way to write an address.
            Ok(uuid) if matches!(first.len(), 32 | 36) => Target::Uuid(uuid),
            _ => {
                let slug = next()?.ok_or(BadAddress::NotFound)?;
                Target::Slug { ping_key: named(first)?, slug: named(slug)? }
            }
        };
        let suffix = next()?;
        if next()?.is_some() {
            return Err(BadAddress::NotFound);
        }
        let action = suffix
            .map_or(Ok(Action::End), |suffix| Action::of_suffix(&suffix).ok_or(BadAddress::InvalidFormat))?;
        Ok(Self { target, action })
    }
}

impl Action {
    /// Reads the last segment of an address: `start`, `end`, `7` …
    pub(super) fn of_suffix(suffix: &str) -> Option<Self> {
        Some(match suffix {
            "end" => Self::End,
            "success" => Self::Named(Signal::Success),
            "start" => Self::Named(Signal::Start),
            "fail" => Self::Named(Signal::Fail),
            "log" => Self::Named(Signal::Log),
            code if code.bytes().all(|b| b.is_ascii_digit()) => Self::Named(Signal::Exit(code.parse().ok()?)),
            _ => return None,
        })
    }
}

/// A segment without its percent signs; what is not UTF-8 names nothing.
fn decoded(segment: &str) -> Result<Cow<'_, str>, BadAddress> {
    percent_decode_str(segment).decode_utf8().map_err(|_| BadAddress::NotFound)
}

/// A ping key or slug that may be looked up.
fn named(name: Cow<'_, str>) -> Result<String, BadAddress> {
    let fits = name.len() <= MAX_NAME_BYTES && !name.chars().any(char::is_control);
    fits.then(|| name.into_owned()).ok_or(BadAddress::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DASHED: &str = "0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d";

    fn by_uuid(path: &str) -> Option<Action> {
        match Address::parse(path) {
            Ok(Address { target: Target::Uuid(uuid), action }) if uuid.to_string() == DASHED => Some(action),
            _ => None,
        }
    }

    fn by_slug(path: &str) -> Option<(String, String, Action)> {
        match Address::parse(path) {
            Ok(Address { target: Target::Slug { ping_key, slug }, action }) => Some((ping_key, slug, action)),
            _ => None,
        }
    }

    #[test]
    fn uuids_in_any_spelling() {
        for path in [
            DASHED,
            "0198F3A0-7C1E-7D2B-9C55-0D6F5A1B2C3D",
            "0198f3a07c1e7d2b9c550d6f5a1b2c3d",
            "0198F3A07C1E7D2B9C550d6f5a1b2c3d",
            "0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d/",
            "/0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d//",
            "0198f3a0%2D7c1e-7d2b-9c55-0d6f5a1b2c3d",
        ] {
            assert_eq!(by_uuid(path), Some(Action::End), "{path}");
        }
    }

    #[test]
    fn every_signal_in_both_forms() {
        for (suffix, action) in [
            ("", Action::End),
            ("/", Action::End),
            ("/end", Action::End),
            ("/success", Action::Named(Signal::Success)),
            ("/start", Action::Named(Signal::Start)),
            ("/start/", Action::Named(Signal::Start)),
            ("//start", Action::Named(Signal::Start)),
            ("/fail", Action::Named(Signal::Fail)),
            ("/log", Action::Named(Signal::Log)),
            ("/0", Action::Named(Signal::Exit(0))),
            ("/007", Action::Named(Signal::Exit(7))),
            ("/255", Action::Named(Signal::Exit(255))),
        ] {
            assert_eq!(by_uuid(&format!("{DASHED}{suffix}")), Some(action), "{suffix}");
            let expected = Some(("Key_1".to_owned(), "nightly".to_owned(), action));
            assert_eq!(by_slug(&format!("Key_1/nightly{suffix}")), expected, "{suffix}");
        }
    }

    #[test]
    fn words_may_be_slugs() {
        for slug in ["start", "new", "api", "7", "Foo", "-foo", "foo--bar", "x", "."] {
            assert_eq!(by_slug(&format!("key/{slug}")).unwrap().1, slug);
        }
        assert_eq!(by_slug("key/caf%C3%A9/start").unwrap().1, "café");
        assert_eq!(by_slug("key/a%2Fb").unwrap().1, "a/b");
        assert_eq!(by_slug("key/%2e%2e").unwrap().1, "..");
        assert_eq!(by_slug("key/a%zz").unwrap().1, "a%zz");
    }

    #[test]
    fn what_is_no_address() {
        let long = format!("key/{}", "x".repeat(500));
        for (path, error) in [
            ("", BadAddress::NotFound),
            ("/", BadAddress::NotFound),
            ("nightly", BadAddress::NotFound),
            ("{0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d}", BadAddress::NotFound),
            ("key/a%00b", BadAddress::NotFound),
            ("key/a%0Ab", BadAddress::NotFound),
            ("key/%ff", BadAddress::NotFound),
            ("key/nightly/start/now", BadAddress::NotFound),
            (long.as_str(), BadAddress::NotFound),
            ("key/nightly/256", BadAddress::InvalidFormat),
            ("key/nightly/99999999999999999999", BadAddress::InvalidFormat),
            ("key/nightly/-1", BadAddress::InvalidFormat),
            ("key/nightly/+1", BadAddress::InvalidFormat),
            ("key/nightly/stop", BadAddress::InvalidFormat),
            ("key/nightly/START", BadAddress::InvalidFormat),
            ("0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d/256", BadAddress::InvalidFormat),
            ("0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d/1.5", BadAddress::InvalidFormat),
        ] {
            assert_eq!(Address::parse(path), Err(error), "{path}");
        }
    }
}
