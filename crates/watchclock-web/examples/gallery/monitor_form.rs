//! The form of a monitor: a new one, one with problems in it, and the two fragments alone.

use watchclock_web::pages::views::{
    monitor_form::{
        DaysOffFields, ExtractorFields, MonitorForm, RuleFields, ScheduleCheck, ScheduleFields, SlotPreview,
        Threshold,
    },
    parts::{Choice, Field, Problem, When},
    rules::{
        ExtractorCheck, ImportCheck, KnownName, OutputSample, Reading, RuleCheck, Suggestion, Suggestions,
        TriedRun,
    },
    shell::Section,
};

use crate::{Done, Gallery, shell, texts};

pub(crate) fn render(gallery: &Gallery) -> Done {
    gallery.page("monitor-form-new", &blank())?;
    gallery.page("monitor-form-wrong", &wrong())?;
    gallery.page(
        "monitor-form",
        &MonitorForm { rules: vec![rule(0, "records_processed eq 0"), rule(1, ""), rule(2, "")], ..edited() },
    )?;
    gallery.page("fragment-schedule", &understood())?;
    gallery.page("fragment-extractor", &read())?;
    gallery.page("fragment-rule", &fired())
}

fn blank() -> MonitorForm {
    MonitorForm {
        shell: shell("New monitor", Section::Monitors),
        id: String::new(),
        version: String::new(),
        stored_name: String::new(),
        problems: Vec::new(),
        wrong: 0,
        name: Field::default(),
        slug: Field::default(),
        schedule: ScheduleFields { kind: kinds("cron"), ..ScheduleFields::default() },
        schedule_check: ScheduleCheck::default(),
        names: names(),
        days_off: DaysOffFields {
            takes_project: true,
            of_project: "Public holidays".to_owned(),
            others: vec![Choice::of("1", "Month ends", false)],
            problem: None,
        },
        zones: texts(&[
            "Africa/Abidjan",
            "America/Sao_Paulo",
            "Asia/Kolkata",
            "Europe/Berlin",
            "Europe/Lisbon",
            "UTC",
        ]),
        grace: Field::of("5m"),
        max_duration: Field::default(),
        learned_limit: "Empty: learned from the first good runs, 24 hours until then.".to_owned(),
        min_duration: Field::default(),
        early_tolerance: Field::default(),
        overlap_policy: policies("alert"),
        overlap_allowed: Field::of("2"),
        extractors: vec![ExtractorFields::default()],
        sample: None,
        rules: vec![rule(0, ""), rule(1, "")],
        suggestions: Suggestions::default(),
        import_text: Field::default(),
        import_from: vec![Choice::of("", "Whichever fits", true), Choice::of("cronitor", "Cronitor", false)],
        import: ImportCheck::default(),
        all_channels: true,
        channels: vec![
            Choice::of("1", "On-call mail (admin@example.com)", false),
            Choice::of("2", "deploy-hook (hooks.example.com)", true),
        ],
        tags: Field::default(),
        description: Field::default(),
        runbook: Field::default(),
        thresholds: ["failed", "missed", "fast", "slow", "rule", "recover"]
            .map(|name| Threshold {
                name: name.to_owned(),
                label: if name == "recover" {
                    "good runs to resolve".to_owned()
                } else {
                    format!("{name} runs")
                },
                field: Field::of("1"),
            })
            .into(),
        alert_after: Field::of("0s"),
        alert_unscheduled: false,
        manual_resume: false,
        post_only: false,
        ping_limit: Field::default(),
        more_open: false,
    }
}

fn edited() -> MonitorForm {
    MonitorForm {
        shell: shell("Edit nightly-sync", Section::Monitors),
        id: "7".to_owned(),
        stored_name: "nightly-sync".to_owned(),
        name: Field::of("nightly-sync"),
        slug: Field::of("nightly-sync"),
        schedule: ScheduleFields {
            kind: kinds("cron"),
            cron: Field::of("30 2 * * 1-5\n0 12 * * sat"),
            tz: Field::of("Europe/Berlin"),
            ..ScheduleFields::default()
        },
        schedule_check: understood(),
        learned_limit: "Empty: 42 min now, six times the longest of 30 good runs.".to_owned(),
        all_channels: false,
        tags: Field::of("database, nightly"),
        runbook: Field::of("https://wiki.example.com/runbooks/nightly-sync"),
        more_open: true,
        extractors: vec![extractor(), ExtractorFields { index: 1, ..ExtractorFields::default() }],
        sample: Some(OutputSample {
            number: 412,
            lines: "connecting to db1\nProcessed 1204 records\ndone in 12 s".to_owned(),
            is_cut: true,
        }),
        suggestions: Suggestions {
            items: vec![Suggestion {
                when: "rows lt 0.5 * median(rows, 14)".to_owned(),
                why: "rows has never been less than half of the usual in 42 good runs".to_owned(),
            }],
            action: "#".to_owned(),
        },
        ..blank()
    }
}

fn wrong() -> MonitorForm {
    let mut broken = rule(0, "duration gtt 10m and output contains \"a rather long text\"");
    broken.when = broken.when.wrong(
        "unknown operator `gtt`; did you mean `gt`?\n  | duration gtt 10m and output contains \"a rather long text\"\n  |          ^^^",
    );
    MonitorForm {
        wrong: 4,
        name: Field::of("").wrong("a monitor needs a name"),
        schedule: ScheduleFields {
            kind: kinds("cron"),
            cron: Field::of("0 25 * * *").wrong("hour is 0 to 23, not 25\n  | 0 25 * * *\n  |   ^^"),
            tz: Field::of("Europe/Berln").wrong("no such time zone; did you mean Europe/Berlin?"),
            ..ScheduleFields::default()
        },
        schedule_check: ScheduleCheck {
            problem: Some(Problem::of("hour is 0 to 23, not 25\n  | 0 25 * * *\n  |   ^^")),
            ..ScheduleCheck::default()
        },
        rules: vec![broken, rule(1, ""), rule(2, "")],
        ..edited()
    }
}

fn kinds(chosen: &str) -> Vec<Choice> {
    [("cron", "Cron"), ("every", "Interval"), ("oncalendar", "OnCalendar"), ("none", "None")]
        .map(|(value, label)| Choice::of(value, label, value == chosen))
        .into()
}

fn policies(chosen: &str) -> Vec<Choice> {
    [
        ("alert", "Record it and tell me"),
        ("allow", "It is fine, up to"),
        ("refuse", "Refuse it: the start is answered 409, the job should not run"),
    ]
    .map(|(value, label)| Choice::of(value, label, value == chosen))
    .into()
}

fn rule(index: usize, when: &str) -> RuleFields {
    RuleFields {
        index,
        id: String::new(),
        name: Field::default(),
        when: Field::of(when),
        severity: vec![Choice::of("warning", "warning", false), Choice::of("critical", "critical", true)],
        runs: Field::of("1"),
        on: vec![
            Choice::of("success", "success", true),
            Choice::of("fail", "fail", false),
            Choice::of("any", "any end", false),
        ],
        if_missing: vec![Choice::of("alert", "alert", true), Choice::of("ignore", "ignore", false)],
        is_used: !when.is_empty(),
        check: if when.starts_with("records") { fired() } else { RuleCheck::default() },
    }
}

fn extractor() -> ExtractorFields {
    ExtractorFields {
        index: 0,
        name: Field::of("records_processed"),
        pattern: Field::of(r"/Processed (\d+) records/"),
        is_used: true,
        check: read(),
    }
}

fn read() -> ExtractorCheck {
    ExtractorCheck {
        words: "Finds a value in 29 of the last 30 runs; the latest is 1,204, in #412.".to_owned(),
        readings: (0..30i64)
            .map(|back| Reading {
                number: 412 - back,
                href: "run.html".to_owned(),
                when: When { text: "28 Nov 03:00".to_owned(), ..Default::default() },
                value: if back == 3 { String::new() } else { "1,204".to_owned() },
                before: "Processed ".to_owned(),
                read: "1204".to_owned(),
                after: " records".to_owned(),
                instead: "last line: connection refused".to_owned(),
            })
            .collect(),
        ..ExtractorCheck::default()
    }
}

fn fired() -> RuleCheck {
    RuleCheck {
        words: "Would have fired for 2 of the last 100 runs: 2 incidents; unknown for 3.".to_owned(),
        values: texts(&["records_processed = 1,204 in #412"]),
        examples: texts(&[
            "#412, 28 Nov 03:00: records_processed = 0",
            "#377, 24 Oct 03:00: records_processed = 0",
        ]),
        tried: (0..100i64)
            .map(|back| TriedRun {
                number: 413 - back,
                href: "run.html".to_owned(),
                when: When { text: "28 Nov 03:00".to_owned(), ..Default::default() },
                mark: if back == 1 || back == 36 { "true" } else { "false" }.to_owned(),
                words: if back == 1 || back == 36 { "fires" } else { "quiet" }.to_owned(),
                why: format!("records_processed = {}", if back == 1 || back == 36 { "0" } else { "1,204" }),
            })
            .collect(),
        ..RuleCheck::default()
    }
}

fn names() -> Vec<KnownName> {
    let name = |text: &str, last: &str, about: &str| KnownName {
        key: text.to_owned(),
        text: text.to_owned(),
        last: last.to_owned(),
        about: about.to_owned(),
    };
    vec![
        name("records_processed", "1,204 in #412", "in 48 of the last 50 runs"),
        name("meta.\"rows-written\"", "98 in #412", "in 50 of the last 50 runs"),
        name("duration", "", "from start to end"),
    ]
}

fn understood() -> ScheduleCheck {
    let slot = |local: &str, utc: &str, machine: &str, ago: &str| SlotPreview {
        local: local.to_owned(),
        utc: utc.to_owned(),
        machine: machine.to_owned(),
        ago: ago.to_owned(),
    };
    ScheduleCheck {
        words: "At 02:30 on weekdays, and at 12:00 on Saturdays, Europe/Berlin".to_owned(),
        slots: vec![
            slot("Mon 30 Nov 02:30", "30 Nov 01:30", "2026-11-30T01:30:00Z", "in 12 h"),
            slot("Tue 1 Dec 02:30", "1 Dec 01:30", "2026-12-01T01:30:00Z", "in 1 d 12 h"),
            slot("Wed 2 Dec 02:30", "2 Dec 01:30", "2026-12-02T01:30:00Z", "in 2 d 12 h"),
            slot("Thu 3 Dec 02:30", "3 Dec 01:30", "2026-12-03T01:30:00Z", "in 3 d 12 h"),
            slot("Fri 4 Dec 02:30", "4 Dec 01:30", "2026-12-04T01:30:00Z", "in 4 d 12 h"),
        ],
        zone: "Europe/Berlin".to_owned(),
        note: "On 28 Mar the clock skips 02:30; that run is expected at 03:00.".to_owned(),
        problem: None,
    }
}
