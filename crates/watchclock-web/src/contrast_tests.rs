//! Every colour that text has is read on every paper that it may stand on, by day and by night (WCAG AA, 4.5 to 1).

use std::collections::BTreeMap;

/// The colours of the style sheet: by day and by night.
fn colours() -> BTreeMap<String, [String; 2]> {
    let css = include_str!("../../../static/app.css");
    let mut found = BTreeMap::new();
    for part in css.split("--").skip(1) {
        let Some((name, rest)) = part.split_once(": ") else { continue };
        let value = rest.split(';').next().unwrap_or_default();
        let both = match value.strip_prefix("light-dark(").and_then(|value| value.strip_suffix(')')) {
            Some(both) => both.split_once(", ").map(|(day, night)| [day.to_owned(), night.to_owned()]),
            None if value.starts_with('#') => Some([value.to_owned(), value.to_owned()]),
            None => None,
        };
        if let Some(both) = both {
            found.entry(name.to_owned()).or_insert(both);
        }
    }
    found
}

/// Relative luminance of `#rrggbb` or `#rgb`.
fn luminance(colour: &str) -> f64 {
    let digits = colour.trim_start_matches('#');
    let long: String = if digits.len() == 3 {
        digits.chars().flat_map(|digit| [digit, digit]).collect()
    } else {
        digits.to_owned()
    };
    let part = |at: usize| {
        let part = f64::from(u8::from_str_radix(&long[at..at + 2], 16).unwrap()) / 255.0;
        if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

#[test]
fn every_text_is_read_on_every_paper() {
    let colours = colours();
    let texts = ["ink", "soft", "link", "ok", "bad", "late", "hung", "idle", "run"];
    let papers = ["paper", "sheet", "sunk", "bad-sheet", "late-sheet", "ok-sheet", "tape"];
    let pairs = texts.iter().flat_map(|text| papers.map(|paper| (*text, paper)));
    let others = [("on-main", "main"), ("bar-ink", "bar"), ("bar-soft", "bar"), ("tape-ink", "tape")];
    for (text, paper) in pairs.chain(others) {
        for time in [0, 1] {
            let ratio = contrast(&colours[text][time], &colours[paper][time]);
            assert!(ratio >= 4.5, "{text} on {paper} ({time}): {ratio:.2}");
        }
    }
    // What only bounds a field needs less.
    for time in [0, 1] {
        assert!(contrast(&colours["edge"][time], &colours["sheet"][time]) >= 3.0);
    }
}
