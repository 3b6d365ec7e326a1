//! What the demo's jobs print.

use std::fmt::Write as _;

use chrono::Duration;
use watchclock_domain::Time;

/// A line as a log has it, so many seconds after the start.
fn line(text: &mut String, start: Time, after: i64, words: &str) {
    let at = start + Duration::seconds(after);
    writeln!(text, "{} {words}", at.format("%Y-%m-%d %H:%M:%S")).expect("writing to a String cannot fail");
}

fn log(start: Time, lines: &[(i64, String)]) -> String {
    let mut text = String::new();
    for (after, words) in lines {
        line(&mut text, start, *after, words);
    }
    text
}

pub(super) fn backup(start: Time, bytes: i64, took: i64) -> String {
    log(
        start,
        &[
            (0, "INFO  dumping database shop (142 tables) with 4 jobs".to_owned()),
            (took / 3, "INFO  public.order_items: 61,204,118 rows".to_owned()),
            (took / 2, "INFO  public.events: 188,930,402 rows".to_owned()),
            (took * 3 / 4, format!("INFO  compressed to {bytes} bytes, uploading to s3://backups/shop")),
            (took - 1, "INFO  upload verified, sha256 matches".to_owned()),
            (took, format!("watchclock: bytes={bytes} tables=142")),
        ],
    )
}

pub(super) fn disk_full() -> String {
    "pg_dump: dumping contents of table \"public.events\"\n\
     pg_dump: error: could not write to output file: No space left on device\n\
     /usr/local/bin/nightly-backup: line 31: pg_dump failed, removing the partial dump\n"
        .to_owned()
}

pub(super) fn rsync(files: i64) -> String {
    format!(
        "receiving incremental file list\n\nNumber of files: 41,{:03} (reg: 40,980)\nNumber of created files: {files}\n\
         Number of deleted files: {}\nsent 1.92M bytes  received 6.31G bytes  9.84M bytes/sec\n\
         total size is 812.60G  speedup is 128.71\n",
        files % 1_000,
        files / 3,
    )
}

pub(super) fn certbot(days: i64) -> String {
    format!(
        "Saving debug log to /var/log/letsencrypt/letsencrypt.log\n\
         Certificate not yet due for renewal: shop.example.com (VALID: {days} days)\n\
         Certificate not yet due for renewal: api.example.com (VALID: {} days)\n\
         No renewals were attempted.\n",
        days + 21,
    )
}

pub(super) fn sync(start: Time, records: i64) -> String {
    log(
        start,
        &[
            (0, "[sync] cursor is at the last full hour".to_owned()),
            (1, format!("[sync] {records} records changed since then")),
            (8, format!("[sync] {records} records written, 0 skipped")),
        ],
    )
}

pub(super) fn invoices(start: Time, records: i64) -> String {
    let found = if records == 0 { "WARN " } else { "INFO " };
    log(
        start,
        &[
            (0, "INFO  reading invoices of yesterday from the ledger".to_owned()),
            (2, format!("{found} {records} invoices found")),
            (3, format!("INFO  invoices.csv written: {} lines", records * 3)),
            (4, "INFO  uploaded to sftp://accounting.example.com/in, done".to_owned()),
        ],
    )
}

pub(super) fn reindex(documents: i64, took: i64) -> String {
    format!(
        "creating index products_next\nindexed {documents} documents in {took} s ({} per second)\n\
         merging segments: 48 -> 6\nalias products -> products_next\n",
        documents / took.max(1),
    )
}

/// `loss` in ten-thousandths.
pub(super) fn training(loss: i64) -> String {
    let mut text = String::new();
    for epoch in 1..=12 {
        let now = loss + 4_800 / epoch;
        writeln!(text, "epoch {epoch:>2}/12  loss 0.{now:04}").expect("writing to a String cannot fail");
    }
    text.push_str("saved to /models/also-bought/latest\n");
    text
}

pub(super) fn out_of_memory(start: Time) -> String {
    let mut text = log(
        start,
        &[
            (12, "INFO  reading 2.2 M examples, batch_size=8192".to_owned()),
            (1_090, "INFO  epoch  1/12  loss 0.7714".to_owned()),
            (1_740, "ERROR worker 3 did not answer; its queue is broken".to_owned()),
        ],
    );
    text.push_str(
        "Traceback (most recent call last):\n\
         \x20 File \"/opt/train/main.py\", line 212, in <module>\n    run(parse_arguments())\n\
         \x20 File \"/opt/train/main.py\", line 188, in run\n    for batch in loader:\n\
         \x20 File \"/opt/train/loader.py\", line 74, in __iter__\n    yield self.queue.get(timeout=60)\n\
         \x20 File \"/opt/train/loader.py\", line 51, in get\n    raise WorkerDied(worker.pid, worker.exitcode)\n\
         train.loader.WorkerDied: worker 3 (pid 48127) died with signal 9 (SIGKILL)\nKilled\n",
    );
    text
}

pub(super) fn key_error(start: Time) -> String {
    let mut text = log(start, &[(3, "INFO  reading 2.2 M examples, batch_size=8192".to_owned())]);
    text.push_str(
        "Traceback (most recent call last):\n\
         \x20 File \"/opt/train/main.py\", line 212, in <module>\n    run(parse_arguments())\n\
         \x20 File \"/opt/train/baskets.py\", line 39, in pairs\n    key = row[\"basket_id\"]\nKeyError: 'basket_id'\n",
    );
    text
}

pub(super) fn gone() -> String {
    "GET https://feeds.example.net/v1/prices\ncurl: (22) The requested URL returned error: 410 Gone\n"
        .to_owned()
}
