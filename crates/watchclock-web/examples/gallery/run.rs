//! Pages of runs: one with everything, one that is missing everything.

use watchclock_web::pages::views::{
    parts::Fact,
    run_page::{Overlap, RunMark, RunPage, Verdict},
    shell::Section,
};

use crate::{Done, Gallery, monitor::link, shell, texts, when};

pub(crate) fn render(gallery: &Gallery) -> Done {
    gallery.page("run", &full())?;
    let bare = RunPage {
        shell: shell("invoice-run #854", Section::Monitors),
        number: 854,
        status: "missed".to_owned(),
        status_words: "No run started within 2 min of its slot.".to_owned(),
        marks: Vec::new(),
        started: None,
        ended: None,
        duration: String::new(),
        limit: String::new(),
        run_id: String::new(),
        source: Vec::new(),
        message: String::new(),
        overlaps: Vec::new(),
        more_overlaps: 0,
        notes: Vec::new(),
        meta: Vec::new(),
        verdicts: Vec::new(),
        output: String::new(),
        next: None,
        ..full()
    };
    gallery.page("run-missed", &bare)
}

fn full() -> RunPage {
    let verdict = |when: &str, name: &str, verdict: &str, why: &str| Verdict {
        name: name.to_owned(),
        when: when.to_owned(),
        verdict: verdict.to_owned(),
        why: why.to_owned(),
    };
    RunPage {
        shell: shell("invoice-run #868", Section::Monitors),
        id: "868".to_owned(),
        number: 868,
        monitor: link("monitor.html", "invoice-run", false),
        status: "success".to_owned(),
        status_words: "It ended well, but its result broke a rule.".to_owned(),
        marks: ["overlapped", "rule_broken", "pairing_assumed"].map(RunMark::of).into(),
        refused: None,
        slot: Some(when("2026-11-29T11:45:00Z", "12:45:00", "")),
        started: Some(when("2026-11-29T11:44:02Z", "29 Nov 12:44:02", "1 h ago")),
        ended: Some(when("2026-11-29T12:04:11Z", "29 Nov 13:04:11", "1 h ago")),
        zone: "Europe/Berlin".to_owned(),
        duration: "20 min 09 s".to_owned(),
        limit: "45 min; usually 5 to 9 min".to_owned(),
        run_id: "0193f1aa-20c4-7f0e-8d55-3b9e6c1d7a02".to_owned(),
        source: vec![
            Fact::of("Host", "worker-2"),
            Fact::of("Environment", "production"),
            Fact::of("Address", "203.0.113.24"),
            Fact::of("User agent", "curl/8.14.1"),
        ],
        message: "done with warnings, see the end of the log".to_owned(),
        overlaps: vec![Overlap {
            number: 867,
            href: "run.html".to_owned(),
            status: "success".to_owned(),
            started: when("2026-11-29T11:29:01Z", "12:29:01", ""),
            shared: "both active for 20 min 09 s".to_owned(),
            source: "worker-1".to_owned(),
        }],
        more_overlaps: 3,
        notes: texts(&[
            "The end came without a run id and was paired with the oldest active run from worker-2; #867 was the other candidate.",
            "2 keys of the metadata were dropped: more than 200 were sent.",
        ]),
        meta: vec![
            Fact::of("error_count", "7"),
            Fact::of("invoices", "41"),
            Fact::of("orders", "41"),
            Fact::of("db.rows.written", "9007199254740993"),
            Fact::of("printer", "hall 3"),
            Fact::of("dry_run", "false"),
        ],
        verdicts: vec![
            verdict("error_count gt 0.05 * invoices", "", "true", "error_count = 7, invoices = 41"),
            verdict(
                "invoices eq 0 and orders gt 0",
                "nothing invoiced",
                "false",
                "invoices = 41, orders = 41",
            ),
            verdict(
                "rows_written lt 0.5 * median(rows_written, 14)",
                "",
                "unknown",
                "rows_written is known of 4 of the 7 runs that are needed",
            ),
        ],
        incidents: vec![link("incident.html", "rule: error_count gt 0.05 * invoices", false)],
        output: OUTPUT.to_owned(),
        output_cut: "the first 2.1 MB were cut; the end is kept".to_owned(),
        output_size: "2.2 MB".to_owned(),
        previous: Some(link("run.html", "#867", false)),
        next: Some(link("run.html", "#869", false)),
    }
}

pub(crate) const OUTPUT: &str = "12:58:40 info  order 1182 → invoice 2026-04417 ok\n12:59:02 info  order 1183 → invoice 2026-04418 ok\n12:59:31 warn  order 1184: printer <hall 3> answered \"è occupata\", retrying in 5 s\n13:00:36 warn  order 1184: printer <hall 3> answered \"è occupata\", giving up; this line is made long on purpose to see what a phone does with a line that does not fit into it at all\nTraceback (most recent call last):\n  File \"/srv/invoices/print.py\", line 88, in send\n    raise Busy(printer)\n13:04:11 info  41 invoices, 7 not printed\n";
