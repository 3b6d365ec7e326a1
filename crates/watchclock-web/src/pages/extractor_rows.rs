//! The rows of extractors in a monitor's form: read, written, filled. Neighbour: `extractor_try` tries one.

use watchclock_domain::{problem::Problem, rule::Extractor};

use super::{
    fields::Fields,
    problems::Problems,
    views::{monitor_form::ExtractorFields, parts::Field, rules::ExtractorCheck},
};

/// Blank rows below those that hold something.
const BLANK_ROWS: usize = 1;
/// More of them when asked.
const MORE_ROWS: usize = 3;
/// As many extractors as a monitor takes.
const MOST_ROWS: usize = 20;

/// The extractor of a row, or what is wrong with it; none where the row is empty.
pub(super) fn extractor(fields: &Fields, row: usize) -> Option<Result<Extractor, Vec<Problem>>> {
    let part = |part: &str| format!("extractors[{row}].{part}");
    let (name, pattern) = (fields.get(&part("name")), fields.get(&part("pattern")));
    if name.is_empty() && pattern.is_empty() {
        return None;
    }
    let mut problems: Vec<Problem> =
        Extractor::name_problem(name).map(|problem| problem.in_field(part("name"))).into_iter().collect();
    let earlier = fields.rows("extractors").into_iter().take_while(|earlier| *earlier < row);
    let mut earlier = earlier.map(|row| fields.get(&format!("extractors[{row}].name")));
    if problems.is_empty() && earlier.any(|earlier| earlier == name) {
        problems.push(Problem::new(part("name"), "there is an extractor of this name already"));
    }
    // What is wrong with the name was said; the expression is looked at all the same.
    let named = if problems.is_empty() { name } else { "name" };
    match Extractor::parse(named, pattern) {
        Ok(extractor) if problems.is_empty() => return Some(Ok(extractor)),
        Ok(_) => {}
        Err(problem) => problems.push(problem.in_field(part("pattern"))),
    }
    Some(Err(problems))
}

/// What is written so far in a row, whether or not it has a name yet; none without an expression.
pub(super) fn pattern_alone(fields: &Fields, row: usize) -> Option<Result<Extractor, Problem>> {
    let part = |part: &str| format!("extractors[{row}].{part}");
    let pattern = fields.some(&part("pattern"))?;
    let name = fields.some(&part("name")).unwrap_or("value");
    if let Some(problem) = Extractor::name_problem(name) {
        return Some(Err(problem.in_field(part("name"))));
    }
    Some(Extractor::parse(name, pattern).map_err(|problem| problem.in_field(part("pattern"))))
}

/// Those extractors of a form that can be read.
pub(super) fn readable(fields: &Fields) -> Vec<Extractor> {
    fields.rows("extractors").into_iter().filter_map(|row| extractor(fields, row)?.ok()).collect()
}

/// All of them, as a change has them.
pub(super) fn read(fields: &Fields, problems: &mut Problems) -> Vec<(String, String)> {
    let mut read = Vec::new();
    for row in fields.rows("extractors") {
        match extractor(fields, row) {
            None => {}
            Some(Ok(extractor)) => read.push((extractor.name().to_owned(), extractor.text().to_owned())),
            Some(Err(found)) => problems.extend(found),
        }
    }
    read
}

/// Extractors as a form would send them.
pub(super) fn write(extractors: &[Extractor], put: &mut impl FnMut(&str, String)) {
    for (row, extractor) in extractors.iter().enumerate() {
        put(&format!("extractors[{row}].name"), extractor.name().to_owned());
        put(&format!("extractors[{row}].pattern"), extractor.text().to_owned());
    }
}

/// The rows of a form: what was typed or is stored, then blank ones.
pub(super) fn fill(fields: &Fields, take: &mut impl FnMut(&str) -> Field) -> Vec<ExtractorFields> {
    let part = |row: usize, part: &str| format!("extractors[{row}].{part}");
    let is_used = |row: &usize| ["name", "pattern"].iter().any(|it| fields.some(&part(*row, it)).is_some());
    let used = fields.rows("extractors").into_iter().filter(is_used).max().map_or(0, |row| row + 1);
    let blank = if fields.is_ticked("more_extractors") { BLANK_ROWS + MORE_ROWS } else { BLANK_ROWS };
    let shown = (used + blank).min(MOST_ROWS).max(used);
    (0..shown)
        .map(|row| ExtractorFields {
            index: row,
            name: take(&part(row, "name")),
            pattern: take(&part(row, "pattern")),
            is_used: row < used,
            check: ExtractorCheck::default(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_wrong_with_a_row_is_told_under_its_field() {
        let fields = Fields::parse(
            b"extractors[0].name=rows&extractors[0].pattern=/(\\d%2B)/&extractors[1].name=rows&extractors[1].pattern=/a(/\
              &extractors[2].pattern=b&extractors[3].name=&extractors[3].pattern=",
        );
        let mut problems = Problems::default();
        assert_eq!(read(&fields, &mut problems), [("rows".to_owned(), r"/(\d+)/".to_owned())]);
        for field in
            ["extractors[1].name", "extractors[1].pattern", "extractors[2].name", "extractors[2].pattern"]
        {
            assert!(problems.take(field, "").is_some(), "{field}");
        }
        assert!(problems.is_empty());
        assert_eq!(readable(&fields).len(), 1);
    }
}
