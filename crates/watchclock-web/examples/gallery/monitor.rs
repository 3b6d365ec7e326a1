//! Pages of monitors: one that overlaps and fails, a nightly one, a new one; and the question before deleting.

use watchclock_web::pages::{
    chart::{Bounds, chart},
    snippets::snippets,
    tape::{Bar, Slot, Window, tape},
    views::{
        monitor_page::{
            ExtractorRow, MonitorDelete, MonitorPage, OpenIncident, RefusedPings, RuleRow, RunRow,
        },
        parts::{Fact, Link},
        rules::Suggestion,
        run_page::RunMark,
        shell::Section,
    },
};

use crate::{
    Done, Gallery,
    drawings::{NOW, OFFSET, bars, clock, curves, points, slots},
    shell, texts, when,
};

const URL: &str = "https://watch.example.com/ping/0193f0c2-7a54-7bb1-9d7e-51f0a1c2d3e4";

pub(crate) fn render(gallery: &Gallery) -> Done {
    gallery.page("monitor", &busy())?;
    gallery.page("monitor-paused", &paused())?;
    gallery.page("monitor-new", &new())?;
    let delete = MonitorDelete {
        shell: shell("Delete invoice-run", Section::Monitors),
        id: "42".to_owned(),
        name: "invoice-run".to_owned(),
        loses: texts(&[
            "872 runs and their output",
            "2 open incidents, which are resolved",
            "1 alert that waits to be delivered",
        ]),
    };
    gallery.page("monitor-delete", &delete)
}

pub(crate) fn link(href: &str, text: &str, current: bool) -> Link {
    Link { href: href.to_owned(), text: text.to_owned(), current }
}

fn busy() -> MonitorPage {
    let from = NOW - 6 * 3_600;
    let window = Window { from, to: NOW + 1_500, now: NOW, offset: OFFSET, allowed: 1 };
    MonitorPage {
        shell: shell("invoice-run", Section::Monitors),
        id: "42".to_owned(),
        name: "invoice-run".to_owned(),
        slug: "invoice-run".to_owned(),
        health: "failing".to_owned(),
        awaited: String::new(),
        description: "Turns closed orders into invoices and hands them to the printer.\nSafe to run again at any time.".to_owned(),
        runbook: "https://wiki.example.com/runbooks/invoice-run".to_owned(),
        runbook_is_link: true,
        tags: texts(&["billing", "worker-2"]),
        schedule: "every 15 minutes".to_owned(),
        expression: "*/15 * * * *".to_owned(),
        zone: "Europe/Berlin".to_owned(),
        next_slot: Some(when("2026-11-29T13:15:00Z", "14:15", "in 10 min")),
        last_success: Some(when("2026-11-29T12:13:00Z", "13:13:07", "52 min ago")),
        running: 2,
        paused: false,
        settings: vec![
            Fact::of("Grace", "2 min"),
            Fact::of("Must finish within", "45 min"),
            Fact::of("Overlap", "alert when more than 1 is active"),
        ],
        hints: texts(&["Ends without a run id had to be paired by assumption 3 times today. With run ids the pairing is certain: see How to ping, bash."]),
        refused: Some(RefusedPings {
            words: "37 pings were turned away".to_owned(),
            last: when("2026-11-29T13:02:00Z", "14:02:11", "3 min ago"),
            why: "the limit is 20 a minute".to_owned(),
        }),
        incidents: vec![
            OpenIncident {
                id: "9".to_owned(), href: "incident.html".to_owned(), kind: "overlap".to_owned(), severity: "critical".to_owned(),
                summary: "#872 started while #871 is still active on worker-2".to_owned(),
                meaning: "A run started while as many were active as may be (1 run). It is resolved when no more than that \
                          are active."
                    .to_owned(),
                since: when("2026-11-29T12:44:00Z", "13:44:02", "21 min ago"), acknowledged: String::new(), snoozed: String::new(),
            },
            OpenIncident {
                id: "8".to_owned(), href: "incident.html".to_owned(), kind: "slow".to_owned(), severity: "warning".to_owned(),
                summary: "Runs take 12 to 38 min; usually 5 to 9 min".to_owned(),
                meaning: "A run took much longer than usual. It is resolved by the next good run of a usual length."
                    .to_owned(),
                since: when("2026-11-29T10:44:00Z", "11:44:02", "2 h ago"), acknowledged: "acknowledged by admin@example.com".to_owned(), snoozed: String::new(),
            },
        ],
        tape: tape(window, &bars(), &slots(from), clock),
        windows: ["6 hours", "24 hours", "7 days", "30 days"].map(|text| link("?window=24h", text, text == "6 hours")).into(),
        tape_words: "6 hours to 14:05, 6 overlaps, 1 missed slot.".to_owned(),
        chart: chart(&points(), Bounds { usual: Some((310.0, 560.0)), limit: Some(2_700.0) }),
        chart_words: "Last 50 runs. The band is what is usual (5 to 9 min, median of 30 good runs); the dashed line is the limit of 45 min.".to_owned(),
        curves: curves(),
        more_curves: 2,
        filters: ["all", "failed", "hung", "missed", "overlapped"].map(|text| link("?status=failed", text, text == "all")).into(),
        runs: run_rows(),
        older: "?before=851".to_owned(),
        newest: String::new(),
        here: "monitor.html".to_owned(),
        extractors: vec![
            ExtractorRow { name: "invoices".to_owned(), pattern: r"/(\d+) invoices written/".to_owned(), value: "41".to_owned(), run: Some(link("run.html", "#869", false)), ago: "52 min ago".to_owned(), nothing: String::new() },
            ExtractorRow { name: "pages".to_owned(), pattern: r"/printed ([\d,]+) pages/".to_owned(), nothing: "It found nothing in the last 50 runs.".to_owned(), ..ExtractorRow::default() },
        ],
        rules: vec![
            RuleRow { name: "nothing invoiced".to_owned(), when: "invoices eq 0 and orders gt 0".to_owned(), severity: "critical".to_owned(), details: "for 2 runs".to_owned(), verdict: "false".to_owned(), why: "invoices = 41, orders = 41".to_owned() },
            RuleRow { name: String::new(), when: "error_count gt 0.05 * invoices".to_owned(), severity: "warning".to_owned(), details: "also when failed".to_owned(), verdict: "true".to_owned(), why: "error_count = 7, invoices = 41".to_owned() },
            RuleRow { name: String::new(), when: "rows_written lt 0.5 * median(rows_written, 14)".to_owned(), severity: "warning".to_owned(), details: String::new(), verdict: "unknown".to_owned(), why: "rows_written is known of 4 of the 7 runs that are needed".to_owned() },
        ],
        suggestions: vec![Suggestion { when: "orders missing".to_owned(), why: "orders was reported by all of the last 214 good runs".to_owned() }],
        channels: vec![link("/channels/1/edit", "On-call mail", false), link("/channels/2/edit", "deploy-hook", false)],
        ping_url: URL.to_owned(),
        snippets: snippets(URL),
        notes: Vec::new(),
        is_new: false,
        may_change: true,
    }
}

/// Number, status, flags, time, duration, meta, overlaps.
type Sample =
    (i64, &'static str, &'static [&'static str], &'static str, &'static str, &'static str, &'static [i64]);

fn run_rows() -> Vec<RunRow> {
    let rows: [Sample; 9] = [
        (872, "running", &["overlapped"], "13:44:02", "for 21 min", "", &[871]),
        (871, "running", &["overlapped", "too_slow"], "13:29:01", "for 36 min", "", &[872]),
        (870, "skipped", &[], "13:15:00", "", "", &[]),
        (
            869,
            "success",
            &["pairing_assumed"],
            "12:59:01",
            "14 min",
            "invoices=41 orders=41 error_count=0",
            &[],
        ),
        (
            868,
            "success",
            &["overlapped", "rule_broken", "pairing_assumed"],
            "12:44:02",
            "20 min",
            "invoices=41 orders=41 error_count=7 printer=\"hall 3\"",
            &[867],
        ),
        (
            867,
            "success",
            &["overlapped", "too_slow"],
            "12:29:01",
            "38 min",
            "invoices=39 orders=39 error_count=0",
            &[868, 866],
        ),
        (855, "failed", &[], "09:14:01", "6 min", "exit_code=2", &[]),
        (854, "missed", &[], "10:00", "", "", &[]),
        (853, "hung", &["hung_until"], "08:44:01", "1 h 2 min", "", &[]),
    ];
    rows.map(|(number, status, flags, time, duration, meta, overlaps)| RunRow {
        number,
        href: "run.html".to_owned(),
        status: status.to_owned(),
        marks: flags.iter().map(|flag| RunMark::of(flag)).collect(),
        when: Some(when("2026-11-29T12:44:02Z", time, "")),
        when_is: if status == "missed" { "slot".to_owned() } else { String::new() },
        duration: duration.to_owned(),
        meta: meta.to_owned(),
        overlaps: overlaps.iter().map(|other| link("run.html", &format!("#{other}"), false)).collect(),
        more_overlaps: 0,
    })
    .into()
}

/// A nightly job over a month, seen from far away, and paused.
fn paused() -> MonitorPage {
    let window = Window { from: NOW - 30 * 86_400, to: NOW, now: NOW, offset: OFFSET, allowed: 1 };
    let bars: Vec<Bar> = (0..30)
        .filter(|day| *day != 11)
        .map(|day| {
            let start = NOW - (30 - day) * 86_400 - 39_900;
            let status = if day == 4 {
                "failed"
            } else if day == 22 {
                "unknown"
            } else {
                "success"
            };
            Bar {
                number: day,
                status: status.to_owned(),
                start,
                end: Some(start + 2_700),
                href: "run.html".to_owned(),
                ..Bar::default()
            }
        })
        .collect();
    let slots: Vec<Slot> = (0..30)
        .map(|day| Slot { at: NOW - (30 - day) * 86_400 - 39_900, missed: day == 11, ..Slot::default() })
        .collect();
    MonitorPage {
        shell: shell("nightly-sync", Section::Monitors),
        name: "nightly-sync".to_owned(),
        health: "paused".to_owned(),
        paused: true,
        running: 0,
        incidents: Vec::new(),
        hints: texts(&["Runs arrive 2 h after each slot: is the time zone right?"]),
        refused: None,
        tape: tape(window, &bars, &slots, |at| format!("{}.", (at - NOW + 30 * 86_400) / 86_400 + 1)),
        windows: ["24 hours", "7 days", "30 days"]
            .map(|text| link("?window=30d", text, text == "30 days"))
            .into(),
        tape_words: "30 days to 29 Nov, no overlaps, 1 missed slot.".to_owned(),
        runs: Vec::new(),
        extractors: Vec::new(),
        rules: Vec::new(),
        suggestions: Vec::new(),
        channels: Vec::new(),
        ..busy()
    }
}

fn new() -> MonitorPage {
    MonitorPage {
        health: "waiting".to_owned(),
        running: 0,
        last_success: None,
        incidents: Vec::new(),
        hints: Vec::new(),
        extractors: Vec::new(),
        refused: None,
        rules: Vec::new(),
        suggestions: Vec::new(),
        is_new: true,
        ..busy()
    }
}
