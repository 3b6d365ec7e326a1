//! Reported values as people read them, their digits in groups of three. Neighbour: [`super::Value`] shows them as they were sent.

use super::Value;

/// Names of what jobs say in words; digits in it are no number to read.
const TEXTS: [&str; 4] = ["message", "host", "env", "output"];

impl Value {
    /// For people: `1,204` where a program reads `1204`.
    pub fn words(&self) -> String {
        match self {
            Self::Number(number) => grouped(&number.to_string()),
            Self::Text(text) => text.clone(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

/// What was reported or read under a name, for people, where only its text is at hand.
pub fn reported(name: &str, text: &str) -> String {
    if TEXTS.contains(&name) { text.to_owned() } else { grouped(text) }
}

/// `1204567.5` as `1,204,567.5`. What is no plain number stays, and so does one that begins with 0: it names something.
///
/// This is how all numbers in sentences, tables and mails are written. What programs read, what people write (rules,
/// forms) and the line of what a job sent stay as they are.
pub fn grouped(number: &str) -> String {
    let (sign, rest) = number.strip_prefix('-').map_or(("", number), |rest| ("-", rest));
    let (whole, fraction) = rest.split_once('.').map_or((rest, None), |(whole, rest)| (whole, Some(rest)));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_plain = is_digits(whole) && fraction.is_none_or(is_digits);
    if !is_plain || whole.len() < 4 || whole.starts_with('0') {
        return number.to_owned();
    }
    let mut grouped = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped.push_str(&rest[whole.len()..]);
    grouped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_numbers_have_groups() {
        for (number, words) in [
            ("0", "0"),
            ("999", "999"),
            ("1204", "1,204"),
            ("-12044", "-12,044"),
            ("1204567.25", "1,204,567.25"),
            ("1000000", "1,000,000"),
        ] {
            assert_eq!(grouped(number), words);
        }
    }

    #[test]
    fn what_is_no_plain_number_stays() {
        for text in [
            "",
            "-",
            "1204 rows",
            "1e400",
            "0049301234",
            "10.0.0.17",
            "1.2.3",
            "1204.",
            "2026-11-30",
            "1,204",
        ] {
            assert_eq!(grouped(text), text);
        }
    }

    #[test]
    fn texts_stay_as_jobs_sent_them() {
        assert_eq!(Value::Text("1204".to_owned()).words(), "1204");
        assert_eq!(Value::of_word("1204").words(), "1,204");
        assert_eq!(reported("rows", "1204"), "1,204");
        assert_eq!(reported("message", "20261130"), "20261130");
    }
}
