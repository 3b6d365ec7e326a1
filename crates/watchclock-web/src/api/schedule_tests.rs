//! What of the zone a changed schedule keeps, and where a shorthand's problems are.

use serde_json::json;

use super::*;

fn read_over(json: &Json, before: Option<&ScheduleText>) -> Result<ScheduleText, Problems> {
    let mut problems = Problems::new();
    let mut fields = Fields::of(json!({ "schedule": json }), "", &["schedule"], &mut problems).unwrap();
    let read = read(&mut fields, "schedule", before);
    read.map(|schedule| schedule.text().clone()).ok_or(problems)
}

#[test]
fn a_change_keeps_the_zone_unless_it_names_one() {
    let before = ScheduleText::cron("0 3 * * *", "Europe/Berlin");
    let zone = |json: Json| read_over(&json, Some(&before)).unwrap().tz;
    assert_eq!(zone(json!("0 4 * * *")), "Europe/Berlin");
    assert_eq!(zone(json!({"cron": "0 4 * * *"})), "Europe/Berlin");
    assert_eq!(zone(json!("CRON_TZ=Asia/Tokyo 0 4 * * *")), "Asia/Tokyo");
    assert_eq!(zone(json!({"cron": "0 4 * * *", "tz": "UTC"})), "UTC");
    assert_eq!(read_over(&json!("0 4 * * *"), None).unwrap().tz, "UTC");
}

#[test]
fn problems_have_a_place() {
    let problems = read_over(&json!("0 25 * * *"), None).unwrap_err();
    assert_eq!((problems[0].field.as_str(), problems[0].at), ("schedule", Some(2)));
    let problems = read_over(&json!({"cron": ["0 3 * * *", "0 25 * * *"], "tz": "Mars"}), None).unwrap_err();
    let fields: Vec<&str> = problems.iter().map(|problem| problem.field.as_str()).collect();
    assert_eq!(fields, ["schedule.tz", "schedule.cron[1]"]);
}
