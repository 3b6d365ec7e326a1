//! Lists of monitors: a busy project, a filter without hits, an empty project.

use watchclock_web::pages::{
    mini::{MiniRun, mini_tape},
    views::{
        monitors::{HealthCount, LastRun, MonitorList, MonitorRow},
        parts::Choice,
        shell::Section,
    },
};

use crate::{Done, Gallery, shell, texts, troubled_shell, when};

pub(crate) fn render(gallery: &Gallery) -> Done {
    gallery.page("monitors", &list(rows()))?;
    gallery.page(
        "monitors-filtered",
        &MonitorList { q: "backup of the moon".to_owned(), health: "failing".to_owned(), ..list(Vec::new()) },
    )?;
    gallery.page(
        "monitors-troubled",
        &MonitorList { shell: troubled_shell("Monitors", Section::Monitors), ..list(rows()) },
    )?;
    let mut empty = list(Vec::new());
    empty.total = 0;
    empty.shell.open_incidents = 0;
    gallery.page("monitors-empty", &empty)
}

fn list(rows: Vec<MonitorRow>) -> MonitorList {
    MonitorList {
        shell: shell("Monitors", Section::Monitors),
        counts: [("failing", 3), ("late", 1), ("healthy", 28), ("waiting", 1), ("paused", 0)]
            .map(|(health, count)| HealthCount {
                health: health.to_owned(),
                count,
                href: format!("/?health={health}"),
                chosen: false,
            })
            .into(),
        total: 33,
        q: String::new(),
        tags: vec![
            Choice::of("", "All tags", true),
            Choice::of("backup", "backup", false),
            Choice::of("billing", "billing", false),
            Choice::of("database", "database", false),
        ],
        health: String::new(),
        rows,
        here: "/monitors.html".to_owned(),
        next: "/?after=c3luYw".to_owned(),
        may_change: true,
        first_ping:
            "curl -fsS -m 10 --retry 5 'https://watch.example.com/ping/wcp_h3Kd9sQ2/my-first-job?create=1'"
                .to_owned(),
    }
}

/// `s` success, `f` failed, `m` missed, `h` hung, `r` running, `x` skipped, `u` unknown; capitals are marked.
fn runs(pattern: &str) -> Vec<MiniRun> {
    let one = |(index, letter): (usize, char)| MiniRun {
        status: match letter.to_ascii_lowercase() {
            's' => "success",
            'f' => "failed",
            'm' => "missed",
            'h' => "hung",
            'r' => "running",
            'x' => "skipped",
            _ => "unknown",
        }
        .to_owned(),
        seconds: Some([40.0, 55.0, 48.0, 90.0, 43.0, 61.0, 50.0][index % 7]),
        marked: letter.is_ascii_uppercase(),
    };
    pattern.chars().enumerate().map(one).collect()
}

struct Example(
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    &'static [&'static str],
    &'static str,
    u64,
    u64,
);

fn rows() -> Vec<MonitorRow> {
    let examples = [
        Example(
            "nightly-sync",
            "failing",
            "records_processed is 0",
            "at 03:00 every day, Europe/Berlin",
            &["database", "nightly"],
            "ssssssssssssssssssSS",
            1,
            0,
        ),
        Example(
            "invoice-run",
            "failing",
            "#871 and #872 overlap on worker-2",
            "every 15 minutes",
            &["billing"],
            "sssssssssssSsssSRR",
            2,
            2,
        ),
        Example(
            "db-backup-primary",
            "failing",
            "run #212 has passed its limit of 1 h",
            "at 01:30 every day, Europe/Berlin",
            &["backup", "database"],
            "sssssssssssssssssssh",
            1,
            0,
        ),
        Example(
            "search-reindex",
            "late",
            "",
            "at 14:00 on weekdays, Europe/Lisbon",
            &["search"],
            "sssssfsssssssmssssss",
            0,
            0,
        ),
        Example(
            "certificate-renewal",
            "healthy",
            "",
            "at 04:12 on Sundays, UTC",
            &["edge"],
            "sssssssss",
            0,
            0,
        ),
        Example(
            "export-to-warehouse-of-the-northern-region-v2",
            "healthy",
            "",
            "at minute 5 of every hour, America/Sao_Paulo",
            &["warehouse", "etl", "hourly"],
            "sssssxsssssxsssuusss",
            0,
            1,
        ),
        Example("queue-drain", "healthy", "", "every 5 minutes", &[], "ssssssssffssssssssss", 0, 0),
        Example(
            "restore-drill",
            "waiting",
            "",
            "at 06:00 on the first Monday of the month, Europe/Berlin",
            &["backup"],
            "",
            0,
            0,
        ),
        Example("import-legacy", "paused", "", "runs are never expected, only judged", &[], "sssf", 0, 0),
    ];
    examples.into_iter().map(row).collect()
}

fn row(Example(name, health, trouble, schedule, tags, pattern, open, running): Example) -> MonitorRow {
    let status = if health == "failing" && pattern.ends_with('h') {
        "hung"
    } else if running > 0 {
        "running"
    } else {
        "success"
    };
    MonitorRow {
        href: "monitor.html".to_owned(),
        name: name.to_owned(),
        health: health.to_owned(),
        trouble: trouble.to_owned(),
        awaited: if health == "late" { "expected 14:00, 4 min ago".to_owned() } else { String::new() },
        open_incidents: open,
        tags: texts(tags),
        schedule: schedule.to_owned(),
        last: (!pattern.is_empty()).then(|| LastRun {
            href: "run.html".to_owned(),
            status: status.to_owned(),
            when: when("2026-11-29T02:00:02Z", "03:00:02", "11 h ago"),
            duration: if status == "success" { "4 min 07 s".to_owned() } else { String::new() },
        }),
        next_slot: (health != "paused").then(|| when("2026-11-30T02:00:00Z", "30 Nov 03:00", "in 12 h")),
        running,
        tape: mini_tape(&runs(pattern)),
    }
}
