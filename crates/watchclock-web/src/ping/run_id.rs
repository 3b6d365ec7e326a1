//! The run's id as a job writes it, made comparable; how runs are paired by it is the domain's concern.

use uuid::Uuid;
use watchclock_domain::ping::RunId;

use super::clean;

/// Longest run id that stands for itself, in characters; also how much of any is shown.
const MAX_CHARS: usize = 100;

/// Reads a run id. Nothing is refused: what does not fit the alphabet is hashed. Blank is no id.
pub(super) fn parse(raw: &str) -> Option<RunId> {
    let raw = raw.trim();
    if raw.is_empty() {
        return None;
    }
    if let Ok(uuid) = Uuid::try_parse(raw) {
        return Some(RunId { key: uuid.simple().to_string(), shown: raw.to_owned() });
    }
    if raw.len() <= MAX_CHARS && raw.bytes().all(is_plain) {
        return Some(RunId { key: raw.to_owned(), shown: raw.to_owned() });
    }
    Some(RunId { key: clean::hashed(raw.as_bytes()), shown: clean::short(raw, MAX_CHARS) })
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_uuid_are_one_id() {
        let spellings = [
            "0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d",
            "0198F3A0-7C1E-7D2B-9C55-0D6F5A1B2C3D",
            "0198f3a07c1e7d2b9c550d6f5a1b2c3d",
            "{0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d}",
            " 0198f3a0-7c1e-7d2b-9c55-0d6f5a1b2c3d\n",
        ];
        for spelling in spellings {
            let id = parse(spelling).unwrap();
            assert_eq!(id.key, "0198f3a07c1e7d2b9c550d6f5a1b2c3d");
            assert_eq!(id.shown, spelling.trim());
        }
    }

    #[test]
    fn plain_ids_stand_for_themselves() {
        for id in ["1", "web-1:4711", "2026-10-05T03:00:00.5_x", &"a".repeat(100), "A", "a"] {
            assert_eq!(parse(id), Some(RunId { key: id.to_owned(), shown: id.to_owned() }));
        }
    }

    #[test]
    fn anything_else_is_hashed() {
        let mut keys = std::collections::BTreeSet::new();
        for id in ["a b", "a/b", "ä", "🦀", "a\0b", "a\nb", &"a".repeat(101), &"a".repeat(102), "../../etc"]
        {
            let parsed = parse(id).unwrap();
            assert_eq!((parsed.key.len(), &parsed.key[..7]), (39, "sha256:"), "{id}");
            assert!(parsed.shown.chars().count() <= 100 && !parsed.shown.contains(['\0', '\n']));
            assert!(keys.insert(parsed.key), "{id}");
        }
    }

    #[test]
    fn blank_is_none() {
        assert_eq!(parse(""), None);
        assert_eq!(parse(" \t\n"), None);
    }
}
