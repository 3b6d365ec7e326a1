//! Small parts that many pages share: moments, fields, problems, choices; neighbour: [`super::shell`] is around them.

/// A moment, ready to print.
#[derive(Debug, Clone, Default)]
pub struct When {
    /// RFC 3339 in UTC, for `<time datetime>`; the script shows it in the reader's zone when pointed at.
    pub utc: String,
    /// In the monitor's zone, as short as is clear: `03:00:12`, `28 Nov 03:00`.
    pub text: String,
    /// `4 min ago`, `in 3 h`; may stay empty.
    pub ago: String,
}

/// A piece of a sentence.
#[derive(Debug, Clone)]
pub enum Said {
    Text(String),
    At(When),
}

/// What is wrong with what was typed.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// One sentence.
    pub message: String,
    /// The typed text and a caret line below it, for a fixed-width font; empty where no place is known.
    pub caret: String,
}

impl Problem {
    /// From a message that may be followed by lines that show the place (as the domain's `Problem::with_caret` writes it).
    pub fn of(text: &str) -> Self {
        let (message, caret) = text.split_once('\n').unwrap_or((text, ""));
        let caret: Vec<&str> = caret.lines().map(|line| line.strip_prefix("  | ").unwrap_or(line)).collect();
        Self { message: message.to_owned(), caret: caret.join("\n") }
    }
}

/// One input: what it holds, as typed, and what is wrong with it.
#[derive(Debug, Clone, Default)]
pub struct Field {
    pub value: String,
    pub problem: Option<Problem>,
}

impl Field {
    pub fn of(value: impl Into<String>) -> Self {
        Self { value: value.into(), problem: None }
    }

    /// The same value with a problem beside it.
    #[must_use]
    pub fn wrong(mut self, problem: &str) -> Self {
        self.problem = Some(Problem::of(problem));
        self
    }
}

/// One option of a select, radio or checkbox group.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// What is sent.
    pub value: String,
    /// What is read.
    pub label: String,
    pub chosen: bool,
}

impl Choice {
    pub fn of(value: &str, label: &str, chosen: bool) -> Self {
        Self { value: value.to_owned(), label: label.to_owned(), chosen }
    }
}

/// A link with its words. `href` includes the base path.
#[derive(Debug, Clone, Default)]
pub struct Link {
    pub href: String,
    pub text: String,
    /// The one that is shown now.
    pub current: bool,
}

/// One key and value of a table of facts.
#[derive(Debug, Clone, Default)]
pub struct Fact {
    pub name: String,
    pub value: String,
}

impl Fact {
    pub fn of(name: &str, value: &str) -> Self {
        Self { name: name.to_owned(), value: value.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_splits_into_sentence_and_place() {
        let problem = Problem::of("unknown operator\n  | duration gtt 10m\n  |          ^^^");
        assert_eq!(problem.message, "unknown operator");
        assert_eq!(problem.caret, "duration gtt 10m\n         ^^^");
        assert_eq!(Problem::of("is required").caret, "");
    }
}
