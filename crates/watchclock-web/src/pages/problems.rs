//! What the service found wrong, put beside the fields of a form.

use watchclock_domain::problem::Problem as Found;
use watchclock_service::ServiceError;

use super::{
    errors::{PageError, PageResult},
    views::parts::{Field, Problem},
};

/// Problems by field; those that a form has taken are gone from it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Problems(Vec<Found>);

impl Problems {
    /// What an error says of the fields; any other error is one of the page.
    pub(crate) fn of(error: ServiceError) -> PageResult<Self> {
        match error {
            ServiceError::Invalid(problems) => Ok(Self(problems)),
            other => Err(PageError::from(other)),
        }
    }

    pub(crate) fn one(field: &str, message: &str) -> Self {
        Self(vec![Found::new(field, message)])
    }

    /// Somebody else changed what the form was made of, so that nothing was saved.
    pub(crate) fn stale(what: &str) -> Self {
        Self(vec![stale(what)])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn push(&mut self, problem: Found) {
        self.0.push(problem);
    }

    pub(crate) fn extend(&mut self, problems: impl IntoIterator<Item = Found>) {
        self.0.extend(problems);
    }

    /// Adds problems of fields that have none yet.
    pub(crate) fn extend_new(&mut self, problems: impl IntoIterator<Item = Found>) {
        let known: Vec<String> = self.0.iter().map(|problem| base(&problem.field).to_owned()).collect();
        let is_new = |problem: &Found| known.iter().all(|field| field != base(&problem.field));
        self.0.extend(problems.into_iter().filter(is_new));
    }

    /// How many fields are wrong.
    pub(crate) fn fields(&self) -> usize {
        let mut fields: Vec<&str> = self.0.iter().map(|problem| base(&problem.field)).collect();
        fields.sort_unstable();
        fields.dedup();
        fields.len()
    }

    /// A field with what was typed and what is wrong with it.
    pub(crate) fn field(&mut self, name: &str, value: &str) -> Field {
        Field { value: value.to_owned(), problem: self.take(name, value) }
    }

    /// What is wrong with a field; a place in it is shown in the text, or in that line of it which the problem names.
    pub(crate) fn take(&mut self, name: &str, value: &str) -> Option<Problem> {
        let (mine, others) =
            std::mem::take(&mut self.0).into_iter().partition(|problem: &Found| base(&problem.field) == name);
        self.0 = others;
        let lines: Vec<&str> = value.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let tells_line = mine.len() > 1;
        let shown = |problem: &Found| {
            let line = index(&problem.field);
            let text = match line {
                Some(line) => lines.get(line).copied().unwrap_or_default(),
                None => value.trim(),
            };
            let mut shown = Problem::of(&problem.with_caret(text));
            if let Some(line) = line.filter(|_| tells_line) {
                shown.message = format!("line {}: {}", line + 1, shown.message);
            }
            shown
        };
        let mut mine = mine.iter().map(shown);
        let mut first = mine.next()?;
        for more in mine {
            first.message = format!("{}; {}", first.message, more.message);
            if !first.caret.is_empty() && !more.caret.is_empty() {
                first.caret.push('\n');
            }
            first.caret.push_str(&more.caret);
        }
        Some(first)
    }

    /// The first problem with anything whose name begins so: `headers.X-Team`.
    pub(crate) fn take_below(&mut self, prefix: &str) -> Option<Problem> {
        let at = self.0.iter().position(|problem| problem.field.starts_with(prefix))?;
        let problem = self.0.remove(at);
        Some(Problem::of(&format!("{}: {}", &problem.field[prefix.len()..], problem.message)))
    }

    /// What no field has taken.
    pub(crate) fn rest(self) -> Vec<Problem> {
        self.0.iter().map(|problem| Problem::of(&problem.to_string())).collect()
    }
}

/// What a form says whose version is not the stored one any more.
pub(crate) fn stale(what: &str) -> Found {
    Found::new("", format!("somebody changed this {what} meanwhile; saving again puts yours in its place"))
}

/// The field without the place in its list: `schedule.cron[1]` is `schedule.cron`, `rules[1].when` stays.
fn base(field: &str) -> &str {
    if field.ends_with(']') { field.rsplit_once('[').map_or(field, |(base, _)| base) } else { field }
}

fn index(field: &str) -> Option<usize> {
    field.strip_suffix(']')?.rsplit_once('[')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_stand_beside_their_fields() {
        let mut problems = Problems(vec![
            Found::at(2, 2, "hour is 0 to 23").in_field("schedule.cron[1]"),
            Found::new("rules[0].when", "is empty"),
            Found::new("elsewhere", "is odd"),
        ]);
        assert_eq!(problems.fields(), 3);
        let cron = problems.field("schedule.cron", "0 3 * * *\r\n\r\n0 25 * * *").problem.unwrap();
        assert_eq!((cron.message.as_str(), cron.caret.as_str()), ("hour is 0 to 23", "0 25 * * *\n  ^^"));
        assert!(problems.field("rules[0].when", "").problem.is_some());
        let wrong =
            |line: usize| Found::at(0, 2, "minute is 0 to 59").in_field(format!("schedule.cron[{line}]"));
        let both = Problems(vec![wrong(0), wrong(1)])
            .field("schedule.cron", "61 3 * * *\n62 4 * * *")
            .problem
            .unwrap();
        assert_eq!(both.message, "line 1: minute is 0 to 59; line 2: minute is 0 to 59");
        assert_eq!(both.caret, "61 3 * * *\n^^\n62 4 * * *\n^^");
        assert_eq!(problems.rest()[0].message, "elsewhere: is odd");
    }
}
