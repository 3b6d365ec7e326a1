//! What the page of the overlapping monitor draws: a quarter-hourly job that grew slow.

use watchclock_web::pages::{
    chart::Point,
    curve::{Spot, curve},
    tape::{Bar, Slot},
    views::monitor_page::MetaCurve,
};

pub(crate) const NOW: i64 = 1_764_421_500; // 14:05 in Berlin
pub(crate) const OFFSET: i64 = 3_600;

pub(crate) fn clock(at: i64) -> String {
    let local = (at + OFFSET).rem_euclid(86_400);
    format!("{:02}:{:02}", local / 3_600, local % 3_600 / 60)
}

/// A quarter-hourly job that grew slow: minutes before now at start, and its length.
pub(crate) fn bars() -> Vec<Bar> {
    let runs: [(i64, i64, &str); 22] = [
        (351, 6, "success"),
        (336, 7, "success"),
        (321, 6, "success"),
        (306, 9, "success"),
        (291, 6, "failed"),
        (276, 7, "success"),
        (261, 8, "hung"),
        (231, 10, "success"),
        (216, 12, "success"),
        (201, 13, "success"),
        (186, 14, "success"),
        (171, 19, "success"),
        (156, 21, "success"),
        (141, 22, "success"),
        (126, 11, "success"),
        (111, 12, "success"),
        (96, 38, "success"),
        (81, 20, "success"),
        (66, 14, "success"),
        (50, 12, "skipped"),
        (36, 0, "running"),
        (21, 0, "running"),
    ];
    let bar = |(index, (before, minutes, status)): (usize, (i64, i64, &str))| {
        let start = NOW - before * 60;
        let number = 851 + i64::try_from(index).unwrap_or_default();
        Bar {
            number,
            status: status.to_owned(),
            start,
            end: (status != "running").then_some(start + minutes * 60),
            limit: (status == "running").then_some(NOW + if index == 20 { 540 } else { 1_440 }),
            href: "run.html".to_owned(),
            title: format!("#{number} {status}, {}", clock(start)),
        }
    };
    runs.into_iter().enumerate().map(bar).collect()
}

pub(crate) fn slots(from: i64) -> Vec<Slot> {
    (0..25)
        .map(|index| {
            let at = from + 540 + index * 900;
            let missed = index == 7;
            let state = if missed { "missed" } else { "filled" };
            Slot { at, missed, href: "run.html".to_owned(), title: format!("slot {} {state}", clock(at)) }
        })
        .filter(|slot| slot.at <= NOW)
        .collect()
}

pub(crate) fn points() -> Vec<Point> {
    (0..50)
        .map(|index: i32| {
            let seconds = 360.0 + f64::from(index * 37 % 11) * 22.0 + f64::from((index - 32).max(0)) * 45.0;
            let (status, seconds) = match index {
                20 => ("failed", Some(80.0)),
                31 => ("missed", None),
                45 => ("success", Some(2_280.0)),
                49 => ("running", Some(1_260.0)),
                _ => ("success", Some(seconds)),
            };
            Point {
                number: i64::from(index) + 823,
                status: status.to_owned(),
                seconds,
                href: "run.html".to_owned(),
                title: format!("#{} {status}", index + 823),
            }
        })
        .collect()
}

/// Two reported numbers: one that a rule watches, one that fell silent for a while.
pub(crate) fn curves() -> Vec<MetaCurve> {
    let spots = |value: fn(i32) -> Option<f64>, bound: Option<f64>| -> Vec<Spot> {
        (0..50)
            .map(|index: i32| Spot {
                number: i64::from(index) + 823,
                status: if index == 20 { "failed" } else { "success" }.to_owned(),
                value: value(index),
                bounds: vec![bound],
                broken: bound.is_some() && value(index) == Some(0.0),
                href: "run.html".to_owned(),
                title: format!("#{}", index + 823),
            })
            .collect()
    };
    let rows =
        spots(|at| Some(if at == 33 { 0.0 } else { 1_150.0 + f64::from(at * 37 % 11) * 18.0 }), Some(500.0));
    let bytes = spots(|at| (!(10..14).contains(&at)).then(|| 3.1e6 + f64::from(at) * 2.0e4), None);
    let drawn = |name: &str, last: &str, said: &str, rules: &[&str], spots: &[Spot], usual| MetaCurve {
        name: name.to_owned(),
        last: last.to_owned(),
        said: said.to_owned(),
        rules: crate::texts(rules),
        curve: curve(spots, usual),
    };
    vec![
        drawn(
            "records_processed",
            "1,240",
            "0 to 1,330 in 50 runs; usually 1,150 to 1,310; a rule was true for 1",
            &["records_processed lt 500"],
            &rows,
            Some((1_150.0, 1_310.0)),
        ),
        drawn("bytes", "4.1 M", "3.1 M to 4.1 M in 46 runs, not reported by 4", &[], &bytes, None),
    ]
}
