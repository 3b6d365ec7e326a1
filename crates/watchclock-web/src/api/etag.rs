//! `ETag` and `If-Match` of monitors: the version of the configuration, so that nobody overwrites what they have not read.

use axum::http::{HeaderMap, StatusCode, header};

use super::refusal::Refusal;

/// The tag of a version.
pub(super) fn of(version: i64) -> String {
    format!("\"{version}\"")
}

/// Whether a change may go on with `version`, and whether it insists on it.
pub(super) fn insisted(headers: &HeaderMap, version: i64) -> Result<Option<i64>, Refusal> {
    let mut given = headers.get_all(header::IF_MATCH).iter().peekable();
    if given.peek().is_none() {
        return Ok(None);
    }
    let tag = of(version);
    let tags = given.filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(','));
    for found in tags.map(str::trim) {
        if found == "*" {
            return Ok(None);
        }
        if found.strip_prefix("W/").unwrap_or(found) == tag {
            return Ok(Some(version));
        }
    }
    let detail = format!("the monitor was changed meanwhile: its ETag is {tag} now; read it again");
    Err(Refusal::new(StatusCode::PRECONDITION_FAILED, detail).with_header(header::ETAG, &tag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_match_the_version_that_was_read() {
        let insisted = |line: &str| {
            let headers = HeaderMap::from_iter([(header::IF_MATCH, line.parse().unwrap())]);
            insisted(&headers, 3).ok()
        };
        assert_eq!(insisted("\"3\""), Some(Some(3)));
        assert_eq!(insisted("\"1\", W/\"3\""), Some(Some(3)));
        assert_eq!(insisted("*"), Some(None));
        assert_eq!(insisted("\"2\""), None);
        assert_eq!(insisted("3"), None);
        assert_eq!(super::insisted(&HeaderMap::new(), 3).unwrap(), None);
    }
}
