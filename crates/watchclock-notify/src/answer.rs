//! What a receiver said, made fit to keep and to show: one readable line, at most 1,000 characters, without secrets.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::text;

/// Longest answer that is kept, in characters.
pub(crate) const LIMIT: usize = 1_000;

/// Shorter secrets are words that also occur in innocent text; hiding those would garble every answer.
const SHORTEST_SECRET: usize = 4;

/// Hides `secrets` (also where the receiver echoes them in base64) and shortens.
pub(crate) fn tidy(answer: &str, secrets: &[String]) -> String {
    // a receiver's text is capped before it comes here, so hiding may look at all of it
    let mut answer = answer.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= SHORTEST_SECRET) {
        answer = answer.replace(secret.as_str(), "[hidden]");
        answer = answer.replace(&STANDARD.encode(secret), "[hidden]");
    }
    text::one_line(&answer, LIMIT)
}

/// An error and its causes in one line, each said once.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut said = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let words = cause.to_string();
        if !said.contains(&words) {
            said = format!("{said}: {words}");
        }
        next = cause.source();
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hides_secrets_and_their_base64() {
        let secrets = ["hunter2".to_owned(), "x".to_owned(), String::new()];
        let answer = tidy("535 no: hunter2 / aHVudGVyMg== is wrong, xylophone", &secrets);
        assert_eq!(answer, "535 no: [hidden] / [hidden] is wrong, xylophone");
    }

    #[test]
    fn keeps_a_readable_line_of_bounded_length() {
        let answer = tidy(&format!("500 oops\r\n\0{}", "y".repeat(5_000)), &[]);
        assert!(answer.starts_with("500 oops yyy"));
        assert_eq!(answer.chars().count(), LIMIT);
    }
}
