//! Incidents: the list, none at all, an open one with a delivery in trouble, a resolved one.

use watchclock_web::pages::views::{
    incident_page::{Attempt, Delivery, Event, IncidentPage, IncidentRun},
    incidents::{IncidentList, IncidentRow},
    parts::{Choice, Field, Said},
    shell::Section,
};

use crate::{Done, Gallery, monitor::link, run::OUTPUT, shell, when};

pub(crate) fn render(gallery: &Gallery) -> Done {
    gallery.page("incidents", &list(rows()))?;
    gallery.page("incidents-none", &list(Vec::new()))?;
    gallery.page("incident", &open())?;
    let resolved = IncidentPage {
        state: "resolved".to_owned(),
        resolved: Some(when("2026-11-29T13:13:00Z", "29 Nov 14:13:07", "2 min ago")),
        resolved_by: "run #873 was below the rule".to_owned(),
        may_acknowledge: false,
        may_resolve: false,
        snoozes: Vec::new(),
        output_tail: String::new(),
        deliveries: Vec::new(),
        ..open()
    };
    gallery.page("incident-resolved", &resolved)
}

fn list(rows: Vec<IncidentRow>) -> IncidentList {
    IncidentList {
        shell: shell("Incidents", Section::Incidents),
        tabs: vec![link("?open=true", "Open", true), link("/incidents", "All", false)],
        only_open: true,
        rows,
        older: "?before=x".to_owned(),
    }
}

fn rows() -> Vec<IncidentRow> {
    [
        (
            "open",
            "overlap",
            "critical",
            "#872 started while #871 is still active on worker-2",
            "invoice-run",
            "21 min",
            "2 sent",
            false,
        ),
        (
            "open",
            "rule",
            "critical",
            "records_processed is 0",
            "nightly-sync",
            "11 h",
            "1 sent, 1 gave up",
            true,
        ),
        (
            "open",
            "hung",
            "critical",
            "run #212 has passed its limit of 1 h",
            "db-backup-primary",
            "10 h",
            "2 sent",
            false,
        ),
        (
            "acknowledged",
            "slow",
            "warning",
            "Runs take 12 to 38 min; usually 5 to 9 min",
            "invoice-run",
            "2 h",
            "2 sent",
            false,
        ),
        (
            "snoozed",
            "missed",
            "critical",
            "no run started for 2026-11-29 10:00 +01:00",
            "search-reindex",
            "4 h",
            "held back",
            false,
        ),
        (
            "resolved",
            "failed",
            "critical",
            "exit code 127: the command was not found",
            "export-to-warehouse-of-the-northern-region-v2",
            "15 min",
            "4 sent",
            false,
        ),
    ]
    .map(|(state, kind, severity, summary, monitor, lasted, deliveries, undelivered)| IncidentRow {
        href: "incident.html".to_owned(),
        kind: kind.to_owned(),
        severity: severity.to_owned(),
        state: state.to_owned(),
        summary: summary.to_owned(),
        monitor: link("monitor.html", monitor, false),
        opened: when("2026-11-29T12:44:02Z", "29 Nov 13:44", "21 min ago"),
        lasted: format!("{} {lasted}", if state == "resolved" { "lasted" } else { "for" }),
        deliveries: deliveries.to_owned(),
        undelivered,
    })
    .into()
}

fn open() -> IncidentPage {
    let event = |event: &str, time: &str, by: &str, text: &str| Event {
        event: event.to_owned(),
        at: when("2026-11-29T12:04:11Z", time, ""),
        by: by.to_owned(),
        text: said(text),
    };
    let attempt = |time: &str, ok: bool, answer: &str, took: &str| Attempt {
        at: when("2026-11-29T12:04:11Z", time, ""),
        ok,
        answer: answer.to_owned(),
        took: took.to_owned(),
    };
    IncidentPage {
        shell: shell("error_count is 7", Section::Incidents),
        id: "9".to_owned(),
        monitor: link("monitor.html", "invoice-run", false),
        kind: "rule".to_owned(),
        severity: "warning".to_owned(),
        state: "open".to_owned(),
        summary: said("error_count is 7, more than 0.05 * invoices"),
        meaning: "The job said that it went well, but a rule says that the result is wrong. It is resolved by the next good \
                  run for which the rule is not true."
            .to_owned(),
        opened: when("2026-11-29T12:04:11Z", "29 Nov 13:04:11", "1 h ago"),
        resolved: None,
        resolved_by: String::new(),
        lasted: "1 h 1 min".to_owned(),
        zone: "Europe/Berlin".to_owned(),
        facts: vec![
            ("rule".to_owned(), said("error_count gt 0.05 * invoices")),
            ("error_count".to_owned(), said("7")),
            ("invoices".to_owned(), said("41")),
            ("usual error_count".to_owned(), said("0 (median of 14)")),
            ("fine before".to_owned(), said("12 d 3 h, 1,165 runs")),
        ],
        runbook: "https://wiki.example.com/runbooks/invoice-run".to_owned(),
        runbook_is_link: true,
        output_tail: OUTPUT
            .lines()
            .rev()
            .take(4)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect::<Vec<_>>()
            .join("\n"),
        events: vec![
            event("opened", "13:04:11", "", "run #868 broke the rule"),
            event("added", "13:13:07", "", "run #869 broke it again: error_count = 9"),
            event("acknowledged", "13:20:40", "admin@example.com", ""),
            event(
                "commented",
                "13:22:15",
                "admin@example.com",
                "Printer in hall 3 is out of paper.\nSomeone is on the way.",
            ),
            event("escalated", "14:04:11", "", "to deploy-hook, after 1 h"),
        ],
        runs: [(868, "13:04:11", "20 min 09 s"), (869, "13:13:07", "14 min")]
            .map(|(number, time, duration)| IncidentRun {
                number,
                href: "run.html".to_owned(),
                status: "success".to_owned(),
                when: when("2026-11-29T12:04:11Z", time, ""),
                duration: duration.to_owned(),
            })
            .into(),
        more_runs: 0,
        deliveries: vec![
            Delivery {
                channel: link("channels.html", "On-call mail", false),
                kind: "email".to_owned(),
                event: "opened".to_owned(),
                status: "sent".to_owned(),
                next_attempt: String::new(),
                attempts: vec![attempt("13:04:11", true, "250 2.0.0 Ok: queued as 4F1A2B9C", "180 ms")],
            },
            Delivery {
                channel: link("channels.html", "deploy-hook", false),
                kind: "webhook".to_owned(),
                event: "escalated".to_owned(),
                status: "retry".to_owned(),
                next_attempt: "in 40 s".to_owned(),
                attempts: vec![
                    attempt("14:04:11", false, "timed out after 30 s", ""),
                    attempt(
                        "14:04:47",
                        false,
                        "503 Service Unavailable: upstream connect error or disconnect/reset before headers",
                        "210 ms",
                    ),
                ],
            },
            Delivery {
                channel: link("channels.html", "old-pager", false),
                kind: "webhook".to_owned(),
                event: "opened".to_owned(),
                status: "gave_up".to_owned(),
                next_attempt: String::new(),
                attempts: vec![attempt("13:04:11", false, "410 Gone", "95 ms")],
            },
        ],
        comment: Field::default(),
        may_acknowledge: true,
        may_resolve: true,
        snoozed: None,
        snoozes: vec![Choice::of("1h", "1 hour", false), Choice::of("4h", "4 hours", true)],
        may_comment: true,
    }
}

fn said(text: &str) -> Vec<Said> {
    vec![Said::Text(text.to_owned())]
}
