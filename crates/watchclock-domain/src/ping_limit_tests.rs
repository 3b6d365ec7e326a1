//! A limit admits what it says, in every window and whatever the clock does.

use proptest::prelude::*;

use super::*;

fn moment(microseconds: i64) -> Time {
    Time::from_timestamp_micros(1_800_000_000_000_000 + microseconds).expect("a time within range")
}

fn limit(per_minute: u32) -> PingLimit {
    PingLimit::new(per_minute).expect("a limit within range")
}

/// Sends a ping at each of these microseconds; tells which were admitted, and how long the others were told to wait.
fn send(limit: PingLimit, at: impl IntoIterator<Item = i64>) -> Vec<Result<(), u32>> {
    let mut until = None;
    let mut sent = Vec::new();
    for at in at {
        let paced = limit.pace(until, moment(at));
        until = Some(paced.until);
        sent.push(paced.admitted.map_err(|too_soon| too_soon.wait_seconds));
    }
    sent
}

#[test]
fn limits_have_bounds() {
    assert!([0, 6_001, u32::MAX].into_iter().all(|number| PingLimit::new(number).is_none()));
    assert!([1, 6_000].into_iter().all(|number| limit(number).per_minute() == number));
}

#[test]
fn a_burst_is_taken_and_then_one_after_each_part_of_a_minute() {
    const SECOND: i64 = 1_000_000;
    let at = [0, 0, 0, 0, 9 * SECOND, 10 * SECOND, 10 * SECOND, 30 * SECOND, 30 * SECOND, 30 * SECOND];
    let sent = send(limit(3), at.map(|at| at * 2));
    let (taken, wait) = (Ok(()), Err);
    assert_eq!(sent, [taken, taken, taken, wait(20), wait(2), taken, wait(20), taken, taken, wait(20)]);
    assert_eq!(send(limit(1), [0, 1, 59_999_999, 60_000_000]), [taken, wait(60), wait(1), taken]);
}

#[test]
fn as_many_at_once_as_in_a_minute_and_not_one_more() {
    for per_minute in 1..=PingLimit::MOST {
        let limit = limit(per_minute);
        let room = limit.step() * i64::from(per_minute);
        assert!((60_000_000..60_006_000).contains(&room), "{per_minute}");
        let nearly = limit.pace(Some(moment(room - limit.step())), moment(0));
        let full = limit.pace(Some(nearly.until), moment(0));
        assert!(nearly.admitted.is_ok() && full.admitted.is_err(), "{per_minute}");
    }
}

#[test]
fn a_clock_that_is_set_back_shuts_nobody_out_for_longer_than_a_minute() {
    for per_minute in [1, 2, 7, 60, 6_000] {
        let limit = limit(per_minute);
        let hour = 3_600_000_000;
        let full = (0..per_minute).fold(None, |until, _| Some(limit.pace(until, moment(hour)).until));
        let back = limit.pace(full, moment(0));
        assert_eq!(back.admitted, Err(TooSoon { limit, wait_seconds: 60 }));
        let soon = limit.pace(Some(back.until), moment(30_000_000));
        assert_eq!(soon.admitted, Err(TooSoon { limit, wait_seconds: 30 }));
        assert!(limit.pace(Some(soon.until), moment(60_000_000)).admitted.is_ok());
    }
}

#[test]
fn two_clocks_that_differ_a_little_let_nothing_more_pass() {
    // Twice a second each, in turn, the one five seconds ahead of the other.
    let at = (0..2_400).map(|n| n / 2 * 500_000 + n % 2 * 5_000_000);
    let taken = send(limit(30), at).iter().filter(|sent| sent.is_ok()).count();
    assert_eq!(taken, 30 + 300, "as in ten minutes of one clock");
}

fn gaps() -> impl Strategy<Value = Vec<i64>> {
    let gap = prop_oneof![2 => Just(0), 3 => 0..100_000i64, 3 => 0..20_000_000i64, 1 => 0..200_000_000i64];
    proptest::collection::vec(gap, 1..400)
}

proptest! {
    #[test]
    fn no_window_has_more_than_the_limit_allows(
        per_minute in prop_oneof![1..50u32, 1..=PingLimit::MOST],
        gaps in gaps(),
    ) {
        let at: Vec<i64> = gaps.iter().scan(0, |now, gap| { *now += gap; Some(*now) }).collect();
        let sent = send(limit(per_minute), at.clone());
        let taken: Vec<i64> = at.iter().zip(&sent).filter(|(_, sent)| sent.is_ok()).map(|(at, _)| *at).collect();
        for (first, from) in taken.iter().enumerate() {
            for (last, to) in taken.iter().enumerate().skip(first) {
                let count = i64::try_from(last - first + 1).unwrap() - i64::from(per_minute);
                prop_assert!(count * 60_000_000 <= i64::from(per_minute) * (to - from), "{count} more");
            }
        }
        // And so many are taken, however close together.
        prop_assert!(sent.iter().take(usize::try_from(per_minute).unwrap()).all(Result::is_ok));
    }

    #[test]
    fn after_the_wait_that_was_told_a_ping_is_taken(
        per_minute in prop_oneof![1..50u32, 1..=PingLimit::MOST],
        gaps in gaps(),
        set_back in prop_oneof![3 => Just(0), 1 => 0..10_000_000_000i64],
    ) {
        let limit = limit(per_minute);
        let (mut until, mut now) = (None, 0);
        for gap in gaps {
            now += gap;
            let paced = limit.pace(until, moment(now));
            until = Some(paced.until);
            let Err(too_soon) = paced.admitted else { continue };
            prop_assert!((1..=60).contains(&too_soon.wait_seconds));
            let wait = i64::from(too_soon.wait_seconds) * 1_000_000;
            prop_assert!(limit.pace(until, moment(now + wait)).admitted.is_ok());
            let (early, to_spare) = (moment(now + wait - 1_000_001), wait > 1_000_001);
            prop_assert!(!to_spare || limit.pace(until, early).admitted.is_err(), "not told longer than need be");
            now -= set_back;
        }
    }
}
