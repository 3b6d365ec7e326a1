//! What goes on a monitor's tape: the runs and slots of a stretch of time. Neighbour: `tape` draws them.

use chrono::Duration;
use watchclock_domain::{
    Time, maintenance,
    run::{Run, RunStatus},
    schedule::Kind,
    span,
};
use watchclock_service::{monitor::MonitorView, run::RunFilter};

use super::{
    errors::PageResult,
    moments::Moments,
    overlap, run_words,
    tape::{Band, Bar, Slot, Tape, Window, tape},
    views::parts::Link,
    words,
};
use crate::state::Web;

/// Stretches that can be chosen: in the address, in hours, in words.
const WINDOWS: [(&str, i64, &str); 4] =
    [("6h", 6, "6 hours"), ("24h", 24, "24 hours"), ("7d", 168, "7 days"), ("30d", 720, "30 days")];
/// Most runs on one tape, the newest.
const MOST_RUNS: i64 = 500;
/// Most slots that are asked of a schedule.
const MOST_SLOTS: usize = 400;

/// Which stretch to show: as asked, else the shortest that holds some runs.
pub(crate) fn choose(asked: &str, view: &MonitorView, now: Time) -> &'static str {
    if let Some((word, ..)) = WINDOWS.iter().find(|(word, ..)| *word == asked) {
        return word;
    }
    let enough = |hours: i64| {
        let from = now - Duration::hours(hours);
        view.recent.iter().filter(|run| run_words::moment(run).0 >= from).count() >= 8
    };
    WINDOWS.iter().find(|(_, hours, _)| enough(*hours)).map_or("7d", |(word, ..)| word)
}

/// The links that choose a stretch.
pub(crate) fn links(chosen: &str, href: impl Fn(&str) -> String) -> Vec<Link> {
    WINDOWS
        .map(|(word, _, text)| Link { href: href(word), text: text.to_owned(), current: word == chosen })
        .into()
}

/// Draws the tape of a stretch, and says in words what is on it.
pub(crate) async fn draw(
    web: &Web,
    base: &str,
    view: &MonitorView,
    chosen: &str,
    moments: &Moments,
) -> PageResult<(Tape, String)> {
    let (_, hours, stretch) = WINDOWS.into_iter().find(|(word, ..)| *word == chosen).unwrap_or(WINDOWS[1]);
    let now = moments.now;
    let from = now - Duration::hours(hours);
    // A little room to the right of now, so that what runs is seen to go on.
    let to = now + Duration::minutes(hours * 60 / 30);
    let runs = runs(web, view, from).await?;
    let offset = i64::from(moments.zone.local(now).offset().local_minus_utc());
    let allowed = usize::try_from(view.monitor.overlap.allowed).unwrap_or(1);
    let window = Window { from: from.timestamp(), to: to.timestamp(), now: now.timestamp(), offset, allowed };
    let bars: Vec<Bar> = runs.iter().filter_map(|run| bar(base, run, moments)).collect();
    let slots = slots(base, view, &runs, from, moments);
    let format = if hours <= 24 { "%H:%M" } else { "%-d %b" };
    let label = |at: i64| {
        let at = Time::from_timestamp(at, 0).unwrap_or_default();
        moments.zone.local(at).format(format).to_string()
    };
    let missed = slots.iter().filter(|slot| slot.missed).count();
    let drawn = tape(window, &bars, &slots, label);
    let bands = quiet(view, window, (from, to), moments);
    let drawn = Tape { maintenance: bands, ..drawn };
    let mut said = format!("{stretch} to {}", moments.clock(now));
    if drawn.bars.is_empty() {
        said.push_str(", no run");
    }
    let counts = [
        (drawn.overlaps.len(), "overlap"),
        (drawn.bars.iter().filter(|bar| bar.status == "hung").count(), "hung run"),
        (missed, "missed slot"),
        (drawn.maintenance.len(), "maintenance window"),
    ];
    for (count, word) in counts {
        if count > 0 {
            said.push_str(", ");
            said.push_str(&words::count(count, word));
        }
    }
    Ok((drawn, format!("{said}.")))
}

/// When maintenance windows were on, or are about to be.
fn quiet(view: &MonitorView, window: Window, (from, to): (Time, Time), moments: &Moments) -> Vec<Band> {
    let spans = view.monitor.maintenance.spans(from, to);
    let band = |(planned, span): (&maintenance::Window, maintenance::Span)| {
        let (start, end) = (moments.short(span.from).text, moments.short(span.to).text);
        let title = format!("maintenance: {}, {start} to {end}", planned.name);
        overlap::stretch(window, span.from.timestamp(), span.to.timestamp(), title)
    };
    spans.into_iter().filter_map(band).collect()
}

/// Runs that touch the stretch: heard of in it or shortly before, and those that still run.
async fn runs(web: &Web, view: &MonitorView, from: Time) -> PageResult<Vec<Run>> {
    let monitor = &view.monitor;
    let longest = view.memory.good_durations.iter().max().copied().unwrap_or(0);
    let before = Duration::milliseconds(longest).max(Duration::hours(1)) * 2;
    let filter = RunFilter {
        monitor: Some(monitor.id),
        from: Some(from - before),
        limit: MOST_RUNS,
        ..RunFilter::default()
    };
    let mut runs = web.watchclock().runs(monitor.project, &filter).await?.items;
    for status in [RunStatus::Running, RunStatus::Hung] {
        for run in web.watchclock().runs_of_monitor(monitor.id, Some(status), None, 20).await? {
            if runs.iter().all(|known| known.id != run.id) {
                runs.push(run);
            }
        }
    }
    Ok(runs)
}

/// A run as a bar; what has neither start nor end has no place but its slot's.
fn bar(base: &str, run: &Run, moments: &Moments) -> Option<Bar> {
    let start = run.started_at.or(run.ended_at)?;
    let end = match run.status {
        RunStatus::Hung => run.hung_at,
        RunStatus::Skipped => Some(start),
        _ => run.ended_at,
    };
    let length = run_words::duration(run, moments);
    let mut title = format!("#{} {}, {}", run.number, run.status.word(), moments.short(start).text);
    if !length.is_empty() {
        title.push_str(", ");
        title.push_str(&length);
    }
    Some(Bar {
        number: run.number,
        status: run.status.word().to_owned(),
        start: start.timestamp(),
        end: end.map(|end| end.timestamp()),
        limit: run.limit_at.filter(|_| run.is_active()).map(|limit| limit.timestamp()),
        href: run_words::href(base, run),
        title,
    })
}

/// Slots that runs fill or missed, and those that the schedule yields since it counts.
fn slots(base: &str, view: &MonitorView, runs: &[Run], from: Time, moments: &Moments) -> Vec<Slot> {
    let mut slots: Vec<(Time, Slot)> = Vec::new();
    for run in runs {
        let Some(at) = run.slot else { continue };
        let missed = run.status == RunStatus::Missed;
        let state = match run.status {
            RunStatus::Missed => "missed".to_owned(),
            RunStatus::Unknown => "not watched".to_owned(),
            _ => format!("filled by #{}", run.number),
        };
        let late = run.started_at.filter(|started| *started - at > Duration::minutes(1));
        let late = late.map(|started| format!(", {} late", span::words(started - at))).unwrap_or_default();
        let title = format!("slot {} {state}{late}", moments.short(at).text);
        slots.push((at, Slot { at: at.timestamp(), missed, href: run_words::href(base, run), title }));
    }
    let schedule = &view.monitor.schedule;
    if matches!(schedule.text().kind, Kind::Cron | Kind::OnCalendar) && !view.monitor.paused {
        let since = from.max(view.memory.anchor);
        for at in schedule.preview(since, MOST_SLOTS).into_iter().take_while(|at| *at <= moments.now) {
            if slots.iter().all(|(known, _)| *known != at) {
                let title = format!("slot {}", moments.short(at).text);
                slots.push((at, Slot { at: at.timestamp(), missed: false, href: String::new(), title }));
            }
        }
    }
    slots.sort_by_key(|(at, slot)| (*at, slot.missed));
    slots.into_iter().map(|(_, slot)| slot).collect()
}
