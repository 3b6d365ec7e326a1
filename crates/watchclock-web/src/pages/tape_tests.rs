//! What the tape promises: lanes, overlaps, open ends, nothing outside the paper.

use super::*;

const WINDOW: Window = Window { from: 0, to: 1_000, now: 900, offset: 0, allowed: 1 };

fn bar(number: i64, start: i64, end: impl Into<Option<i64>>) -> Bar {
    Bar { number, start, end: end.into(), status: "success".to_owned(), ..Bar::default() }
}

fn draw(bars: &[Bar]) -> Tape {
    tape(WINDOW, bars, &[], |at| at.to_string())
}

#[test]
fn back_to_back_runs_share_a_lane() {
    let tape = draw(&[bar(1, 0, 100), bar(2, 100, 200)]);
    assert_eq!(tape.lanes, 1);
    assert!(tape.overlaps.is_empty());
}

#[test]
fn overlapping_runs_lie_in_lanes_of_their_own_and_the_overlap_is_marked() {
    let tape = draw(&[bar(2, 100, 300), bar(1, 0, 200), bar(3, 250, 400)]);
    assert_eq!(tape.lanes, 2);
    assert!(tape.bars[0].y < tape.bars[1].y);
    assert!((tape.bars[2].y - tape.bars[0].y).abs() < 0.01, "the third takes the lane that the first left");
    let titles: Vec<&str> = tape.overlaps.iter().map(|band| band.title.as_str()).collect();
    assert_eq!(titles, ["#1 and #2 overlap for 1 min 40 s", "#2 and #3 overlap for 50 s"]);
    assert!((tape.overlaps[0].x - 10.0).abs() < 0.01 && (tape.overlaps[0].width - 10.0).abs() < 0.01);
}

#[test]
fn allowed_concurrency_is_no_overlap() {
    let window = Window { allowed: 2, ..WINDOW };
    let bars = [bar(1, 0, 200), bar(2, 100, 300), bar(3, 150, 160)];
    let tape = tape(window, &bars, &[], |at| at.to_string());
    assert_eq!(tape.lanes, 3);
    assert_eq!(tape.overlaps.len(), 1);
    assert_eq!(tape.overlaps[0].title, "#1, #2 and #3 overlap for 10 s");
}

#[test]
fn a_running_one_reaches_to_now_and_shows_its_limit() {
    let tape = draw(&[Bar { limit: Some(950), ..bar(1, 400, None) }]);
    let placed = &tape.bars[0];
    assert!(placed.open && (placed.x + placed.width - 90.0).abs() < 0.01);
    assert!((placed.tail.unwrap().width - 5.0).abs() < 0.01);
}

#[test]
fn nothing_leaves_the_paper() {
    let tape = draw(&[bar(1, -500, 20), bar(2, 998, 5_000), bar(3, -50, -10), bar(4, 1_200, 1_300)]);
    assert_eq!(tape.bars.len(), 2, "what lies outside the window is not drawn");
    assert!(tape.bars[0].cut);
    for placed in &tape.bars {
        assert!(placed.x >= 0.0 && placed.x + placed.width <= 100.01, "{placed:?}");
    }
}

#[test]
fn very_many_at_once_share_the_last_lane() {
    let bars: Vec<Bar> = (0..50).map(|number| bar(number, number, 500)).collect();
    let tape = draw(&bars);
    assert_eq!(tape.lanes, MAX_LANES);
    assert!(tape.overlaps[0].title.starts_with("#0, #1, #2, #3 and more overlap"));
}

#[test]
fn crowded_slots_show_only_what_was_missed() {
    let slots: Vec<Slot> = (0..500).map(|at| Slot { at, missed: at == 7, ..Slot::default() }).collect();
    assert_eq!(tape(WINDOW, &[], &slots, |at| at.to_string()).slots.len(), 1);
    assert_eq!(tape(WINDOW, &[], &slots[..20], |at| at.to_string()).slots.len(), 20);
}

#[test]
fn marks_fall_on_whole_hours_of_the_zone() {
    let day = Window { from: 1_000, to: 87_400, now: 87_400, offset: 5 * 3_600 + 1_800, allowed: 1 };
    let tape = tape(day, &[], &[], |at| ((at + day.offset) % 3_600).to_string());
    assert!((6..=13).contains(&tape.ticks.len()));
    assert!(tape.ticks.iter().all(|tick| tick.label == "0"));
}

#[test]
fn an_empty_or_backward_window_is_harmless() {
    let window = Window { from: 10, to: 10, now: 10, offset: 0, allowed: 1 };
    assert!(tape(window, &[bar(1, 5, 6)], &[], |at| at.to_string()).bars.is_empty());
}
