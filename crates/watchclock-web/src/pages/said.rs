//! Moments within sentences that the domain wrote down, as a page shows moments. Neighbour: `moments` has the words for one.

use chrono::DateTime;
use watchclock_domain::{Time, incident::Kind};

use super::{
    moments::{Moments, machine},
    views::parts::{Said, When},
};

/// As `Zone::show` writes a moment, with and without seconds, and how long that is.
const FORMS: [(&str, usize); 2] = [("%Y-%m-%d %H:%M %:z", 23), ("%Y-%m-%d %H:%M:%S %:z", 26)];

/// A sentence about an incident in pieces. What a job or a rule may have said stays as it is.
pub(crate) fn pieces(kind: Kind, text: &str, moments: &Moments) -> Vec<Said> {
    if matches!(kind, Kind::Failed | Kind::Rule) {
        vec![Said::Text(text.to_owned())]
    } else {
        split(text, moments)
    }
}

/// The same in one line, for titles and lists, which tell beside it how long ago that was.
pub(crate) fn line(kind: Kind, text: &str, moments: &Moments) -> String {
    let words = pieces(kind, text, moments).into_iter().map(|piece| match piece {
        Said::Text(text) => text,
        Said::At(when) => when.text,
    });
    words.collect()
}

/// A sentence of ours in pieces.
pub(crate) fn split(text: &str, moments: &Moments) -> Vec<Said> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((at, length, time)) = next(rest) {
        if at > 0 {
            found.push(Said::Text(rest[..at].to_owned()));
        }
        found.push(Said::At(When { utc: machine(time), text: moments.slot(time), ago: moments.ago(time) }));
        rest = &rest[at + length..];
    }
    if !rest.is_empty() {
        found.push(Said::Text(rest.to_owned()));
    }
    found
}

/// Where the next moment stands, how long it is there, and which it is.
fn next(text: &str) -> Option<(usize, usize, Time)> {
    let digits = text.char_indices().filter(|(_, letter)| letter.is_ascii_digit()).map(|(at, _)| at);
    let mut found = digits.flat_map(|at| FORMS.iter().map(move |(form, length)| (at, *form, *length)));
    found.find_map(|(at, form, length)| {
        let time = DateTime::parse_from_str(text.get(at..at + length)?, form).ok()?;
        Some((at, length, time.to_utc()))
    })
}

#[cfg(test)]
mod tests {
    use watchclock_domain::schedule::Zone;

    use super::*;

    fn moments() -> Moments {
        Moments::new(Zone::named("Europe/Berlin").unwrap(), "2026-11-30T02:34:00Z".parse().unwrap())
    }

    #[test]
    fn a_moment_in_a_sentence_is_one_of_the_page() {
        let said = split("no run started for 2026-11-30 03:30 +01:00", &moments());
        let [Said::Text(before), Said::At(when)] = &said[..] else { panic!("{said:?}") };
        assert_eq!(before, "no run started for ");
        let seen = (when.text.as_str(), when.ago.as_str(), when.utc.as_str());
        assert_eq!(seen, ("03:30", "4 min ago", "2026-11-30T02:30:00Z"));
    }

    #[test]
    fn every_moment_is_found_wherever_it_stands() {
        let text = "2026-11-28 03:30:07 +01:00 – 2026-11-29 02:30 +00:00, é";
        assert_eq!(line(Kind::Missed, text, &moments()), "28 Nov 03:30 – 29 Nov 03:30, é");
        for plain in
            ["", "é 12", "2026-11-30", "2026-11-30 03:30", "2026-13-30 03:30 +01:00", "every day at 03:30"]
        {
            assert_eq!(line(Kind::Missed, plain, &moments()), plain);
        }
    }

    #[test]
    fn what_a_job_said_stays() {
        let text = "said: copied until 2026-11-30 03:30 +01:00";
        assert_eq!(line(Kind::Failed, text, &moments()), text);
    }
}
