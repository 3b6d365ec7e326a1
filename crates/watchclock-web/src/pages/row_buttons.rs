//! Buttons of a monitor's form that change its rows and save nothing. Neighbours: `rule_rows` and `extractor_rows` hold the rows.

use super::{fields::Fields, rule_import, rule_rows};

/// The fields as they are after such a button; none when another one was pressed.
pub(super) fn pressed(fields: &Fields) -> Option<Fields> {
    let mut changed = fields.clone();
    if let Some(row) = fields.some("drop") {
        let (list, row) = row.strip_suffix(']')?.split_once('[')?;
        changed.drop_row(list, row.parse().ok()?);
        return Some(changed);
    }
    if let Some(when) = fields.some("add") {
        rule_rows::add(&mut changed, when);
        return Some(changed);
    }
    match fields.get("import") {
        "add" => rule_import::take_over(&mut changed),
        "show" => {}
        _ if fields.is_ticked("more") || fields.is_ticked("more_extractors") => {}
        _ => return None,
    }
    Some(changed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_and_go() {
        let form =
            "rules[0].when=a%20eq%201&rules[1].when=b%20eq%202&rules[1].on=any&import.text=c==3%0Ad==&";
        let after = |button: &str| pressed(&Fields::parse(format!("{form}{button}").as_bytes()));
        let rules = |button: &str| -> Vec<String> {
            let fields = after(button).unwrap();
            fields
                .rows("rules")
                .iter()
                .map(|row| fields.get(&format!("rules[{row}].when")).to_owned())
                .collect()
        };
        assert_eq!(rules("drop=rules[0]"), ["b eq 2"]);
        assert_eq!(after("drop=rules[0]").unwrap().get("rules[0].on"), "any");
        assert_eq!(rules("add=c gt 5"), ["a eq 1", "b eq 2", "c gt 5"]);
        assert_eq!(rules("add=a eq 1"), ["a eq 1", "b eq 2"]);
        assert_eq!(rules("import=add"), ["a eq 1", "b eq 2", "c eq 3"]);
        assert_eq!(after("import=add").unwrap().get("import.text"), "d==", "what is wrong stays");
        assert!(after("more=yes").is_some() && after("check=yes").is_none() && after("").is_none());
    }
}
