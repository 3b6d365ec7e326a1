//! The query of a ping; what its names mean is told in [`super::params`].

use url::form_urlencoded;

use super::{
    address::Action,
    clean,
    notes::Notes,
    params::{Heard, Params},
};

/// Longest schedule that is passed on, in characters; several lines of OnCalendar fit.
const MAX_SCHEDULE_CHARS: usize = 1_000;
/// Longest time zone, grace and name, in characters.
const MAX_WORD_CHARS: usize = 200;

/// `?create=1`: make the monitor if it is missing. The texts are as the job wrote them, not yet understood.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CreateRequest {
    pub schedule: Option<String>,
    pub tz: Option<String>,
    pub grace: Option<String>,
    pub name: Option<String>,
}

/// A query, read.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) params: Params,
    pub(super) create: Option<CreateRequest>,
    /// From `?create=1/start`: what a client meant that pasted the signal behind the whole address.
    pub(super) action: Option<Action>,
}

impl Query {
    pub(super) fn parse(query: &str, notes: &mut Notes) -> Self {
        let mut read = Self::default();
        let mut create = false;
        let mut wanted = CreateRequest::default();
        let mut unknown: Vec<String> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "create" => {
                    let (flag, suffix) = value.split_once('/').unwrap_or((&value, ""));
                    create = matches!(flag, "1" | "true");
                    read.action = Action::of_suffix(suffix.trim_end_matches('/')).or(read.action);
                }
                "schedule" => wanted.schedule = Some(clean::text(&value, MAX_SCHEDULE_CHARS).0),
                "tz" => wanted.tz = Some(clean::short(&value, MAX_WORD_CHARS)),
                "grace" => wanted.grace = Some(clean::short(&value, MAX_WORD_CHARS)),
                "name" => wanted.name = Some(clean::short(&value, MAX_WORD_CHARS)),
                name => {
                    if read.params.hear(name, &value, notes) == Heard::Unknown && unknown.len() < 5 {
                        unknown.push(format!("`{}`", clean::short(name, 40)));
                    }
                }
            }
        }
        if !unknown.is_empty() {
            let names = unknown.join(", ");
            notes.add(format!(
                "no parameter of a ping: {names} (metadata in a query is written meta.KEY=VALUE)"
            ));
        }
        read.create = create.then_some(wanted);
        read
    }
}

#[cfg(test)]
mod tests {
    use watchclock_domain::ping::Signal;

    use super::*;

    fn parsed(query: &str) -> (Query, Vec<String>) {
        let mut notes = Notes::default();
        let query = Query::parse(query, &mut notes);
        (query, notes.into_sentences())
    }

    #[test]
    fn creates_only_when_asked() {
        for (query, creates) in
            [("create=1", true), ("create=true", true), ("create=0", false), ("create", false), ("", false)]
        {
            assert_eq!(parsed(query).0.create.is_some(), creates, "{query}");
        }
        assert_eq!(parsed("schedule=x").0.create, None);
    }

    #[test]
    fn what_to_create() {
        let (query, notes) =
            parsed("create=1&schedule=0+3+*+*+*&tz=Europe%2FBerlin&grace=5m&name=Nightly%20backup");
        let wanted = query.create.unwrap();
        assert_eq!(wanted.schedule.unwrap(), "0 3 * * *");
        assert_eq!(wanted.tz.unwrap(), "Europe/Berlin");
        assert_eq!(wanted.grace.unwrap(), "5m");
        assert_eq!(wanted.name.unwrap(), "Nightly backup");
        assert!(notes.is_empty());
    }

    #[test]
    fn a_signal_pasted_behind_the_query() {
        for (query, action) in [
            ("create=1/start", Some(Action::Named(Signal::Start))),
            ("rid=a&create=1/fail", Some(Action::Named(Signal::Fail))),
            ("create=1/7/", Some(Action::Named(Signal::Exit(7)))),
            ("create=1/", None),
            ("create=1/stop", None),
            ("create=1", None),
        ] {
            let (query, _) = parsed(query);
            assert_eq!(query.action, action);
            assert!(query.create.is_some());
        }
    }

    #[test]
    fn unknown_names_are_told_without_their_values() {
        let (_, notes) = parsed("rid=a&records_processed=0&token=secret");
        assert_eq!(notes.len(), 1);
        assert!(notes[0].contains("`records_processed`, `token`") && !notes[0].contains("secret"));
    }

    #[test]
    fn odd_queries() {
        for query in ["&&&", "=", "=x", "rid", "%", "%zz=%", "a=%00", "?rid=a", "rid=%ff%fe"] {
            parsed(query);
        }
        assert_eq!(parsed("rid=a%2Fb").0.params.run_id.get().unwrap().shown, "a/b");
    }
}
