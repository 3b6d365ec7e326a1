//! The demo's jobs of operations: backups, housekeeping, certificates.

use chrono::Duration;
use watchclock_domain::monitor::{Overlap, OverlapPolicy};

use super::{
    job::{Job, Span, Told},
    output,
};

pub(super) fn jobs(span: Span) -> Vec<Job> {
    vec![
        nightly_backup(span),
        offsite_copy(span),
        db_vacuum(span),
        log_rotate(span),
        certificates_renew(span),
        cache_warm(span),
        inventory_snapshot(span),
        restore_test(span),
    ]
}

/// Grows slowly; ran out of disk once, and was run again by hand.
fn nightly_backup(span: Span) -> Job {
    let mut job = Job::new(span, "nightly-backup", "0 2 * * *", "Europe/Berlin", "db-1")
        .about(
            "Dumps the main database and uploads it to the backup bucket.",
            &["backup", "database", "critical"],
            "https://wiki.example.com/runbooks/nightly-backup",
        )
        .limits(15, 90)
        .rules(&["bytes lt 0.8 * median(bytes, 7)", "tables lt 140"]);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(2, 9));
        if left == 8 {
            let output = output::disk_full();
            job.tell(Told::run(start, 1_004).named().failed(1, "no space left on device").says(output));
            let again = start + Duration::minutes(71);
            let took = job.chance.about(1_500);
            job.tell(Told::run(again, took).named().with("bytes", 48_210_337_280).with("tables", 142));
            continue;
        }
        let grown = 49_800_000_000 - 120_000_000 * i64::try_from(left).unwrap_or(0);
        let bytes = grown + job.chance.between(-40_000_000, 40_000_000);
        let took = job.chance.about(1_560);
        let output = output::backup(start, bytes, took);
        job.tell(Told::run(start, took).named().with("bytes", bytes).with("tables", 142).says(output));
    }
    job
}

/// Its last two runs started and were never heard of again.
fn offsite_copy(span: Span) -> Job {
    let mut job = Job::new(span, "offsite-copy", "30 */6 * * *", "UTC", "backup-2")
        .about(
            "Copies new backup files to the second site with rsync.",
            &["backup"],
            "Look for a stale mount on backup-2; `umount -l /mnt/offsite` and start the unit again.",
        )
        .limits(20, 60);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 40));
        let files = job.chance.between(180, 900);
        let took = 300 + files + job.chance.between(0, 240);
        match left {
            0 | 1 => job.tell(Told::endless(start).named()),
            // Hung once before, and ended after all.
            31 => job.tell(Told::run(start, 6_120).named().with("files", files)),
            // The second site was unreachable: nothing started.
            17 => {}
            _ => job.tell(Told::run(start, took).named().with("files", files).says(output::rsync(files))),
        }
    }
    job
}

fn db_vacuum(span: Span) -> Job {
    let mut job = Job::new(span, "db-vacuum", "Mon..Fri 01:15", "Europe/Berlin", "db-1").about(
        "Vacuums and analyzes the tables that change most.",
        &["database", "housekeeping"],
        "",
    );
    for (_, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(0, 3));
        let (took, dead) = (job.chance.about(640), job.chance.between(1_200_000, 4_800_000));
        job.tell(Told::run(start, took).with("dead_rows_removed", dead));
    }
    job
}

/// Tells only its ends.
fn log_rotate(span: Span) -> Job {
    let mut job = Job::new(span, "log-rotate", "every 1h", "UTC", "web-1").about(
        "Rotates and compresses the logs of the web servers. One ping at its end, from cron.",
        &["housekeeping", "web"],
        "",
    );
    job.change.grace = Some(Duration::minutes(30));
    for (left, slot) in job.slots() {
        // Gone for three hours while the machine was rebuilt.
        if !(201..204).contains(&left) {
            let end = slot + Duration::seconds(job.chance.between(1, 45));
            let bytes = job.chance.between(20_000_000, 95_000_000);
            job.tell(Told::end(end).with("bytes", bytes));
        }
    }
    job
}

/// Has almost nothing to do; was suspiciously fast when its configuration was empty.
fn certificates_renew(span: Span) -> Job {
    let mut job = Job::new(span, "certificates-renew", "17 3,15 * * *", "UTC", "web-1")
        .about(
            "Renews the TLS certificates that expire within 30 days.",
            &["web", "critical"],
            "`certbot certificates` on web-1 shows what is about to expire.",
        )
        .limits(30, 15)
        .rules(&["days_left lt 14"]);
    job.change.min_duration = Some(Some(Duration::seconds(2)));
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(0, 2));
        let (took, days) = (job.chance.between(4, 19), 32 + i64::try_from(left / 2).unwrap_or(0) % 58);
        let told =
            if left == 11 { Told::run(start, 0) } else { Told::run(start, took).says(output::certbot(days)) };
        job.tell(told.with("checked", if left == 11 { 0 } else { 12 }).with("days_left", days));
    }
    job
}

/// Refuses to run twice at once.
fn cache_warm(span: Span) -> Job {
    let mut job = Job::new(span, "cache-warm", "every 2h", "UTC", "web-2").about(
        "Fetches the most visited pages after each deployment window.",
        &["web"],
        "",
    );
    job.change.overlap = Some(Overlap { policy: OverlapPolicy::Refuse, allowed: 1 });
    job.change.grace = Some(Duration::minutes(30));
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(2, 20));
        let (took, pages) = (job.chance.about(420), job.chance.between(900, 1_400));
        job.tell(Told::run(start, took).named().with("pages", pages));
        if matches!(left, 60 | 13) {
            // A deployment started it again meanwhile.
            job.tell(Told::endless(start + Duration::seconds(95)).named().on("deploy-1"));
        }
    }
    job
}

/// Its slot has just passed: late, but within its grace.
fn inventory_snapshot(span: Span) -> Job {
    let minute = (span.now - Duration::minutes(9)).format("%-M");
    let mut job = Job::new(span, "inventory-snapshot", &format!("{minute} */1 * * *"), "UTC", "erp-1")
        .about("Takes a snapshot of the stock levels of all warehouses.", &["erp"], "")
        .limits(30, 20)
        .rules(&["warehouses lt 4"]);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 30));
        let (took, items) = (job.chance.about(95), job.chance.between(18_200, 18_900));
        if left > 0 {
            job.tell(Told::run(start, took).with("items", items).with("warehouses", 4));
        }
    }
    job
}

/// Was never pinged yet.
fn restore_test(span: Span) -> Job {
    let newest = Span { since: span.now - Duration::minutes(50), ..span };
    Job::new(newest, "restore-test", "every 30d", "UTC", "db-2").about(
        "Restores the latest backup into a scratch database and counts its rows.",
        &["backup", "database"],
        "",
    )
}
