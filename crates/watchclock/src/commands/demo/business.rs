//! The demo's jobs of the business: data flows, reports, search, a model that is trained.

use chrono::Duration;

use super::{
    job::{Job, Span, Told},
    output,
};

pub(super) fn jobs(span: Span) -> Vec<Job> {
    vec![
        hourly_sync(span),
        invoice_export(span),
        etl_orders(span),
        search_reindex(span),
        recommendations_train(span),
        report_mailer(span),
        partner_feed(span),
    ]
}

/// Processed nothing for three hours once, was late once, and was missed while its host restarted.
fn hourly_sync(span: Span) -> Job {
    let mut job = Job::new(span, "hourly-sync", "5 * * * *", "UTC", "app-1")
        .about(
            "Brings customers and orders from the shop into the CRM.",
            &["crm", "critical"],
            "https://wiki.example.com/runbooks/hourly-sync",
        )
        .limits(10, 30)
        .rules(&["records_processed eq 0", "error_count gt 0"]);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 12));
        let (took, records) = (job.chance.about(210), job.chance.between(240, 2_900));
        let told = match left {
            250 | 251 => continue,
            190 => Told::run(start + Duration::minutes(17), took)
                .with("records_processed", records)
                .with("error_count", 0),
            118..=120 => Told::run(start, 11).with("records_processed", 0).with("error_count", 0),
            66 => Told::run(start, took + 300).with("records_processed", records).with("error_count", 17),
            _ => Told::run(start, took).with("records_processed", records).with("error_count", 0),
        };
        let records = if (118..=120).contains(&left) { 0 } else { records };
        job.tell(told.named().says(output::sync(start, records)));
    }
    job
}

/// Its last run succeeded with nothing in it: the open incident that an exit code cannot tell.
fn invoice_export(span: Span) -> Job {
    let mut job = Job::new(span, "invoice-export", "0 6 * * *", "America/New_York", "erp-1")
        .about(
            "Writes the invoices of the day before to the accountants' SFTP server.",
            &["finance", "erp", "critical"],
            "Ask accounting before sending a file twice. The last files are in /srv/export/invoices.",
        )
        .limits(20, 45)
        .rules(&["records_processed eq 0", "rows_written lt 0.5 * median(rows_written, 7)"]);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 5));
        let records = if left == 0 { 0 } else { job.chance.between(310, 520) };
        let took = if left == 0 { 4 } else { job.chance.about(380) };
        let told = Told::run(start, took)
            .named()
            .with("records_processed", records)
            .with("rows_written", records * 3);
        job.tell(told.says(output::invoices(start, records)));
    }
    job
}

/// Without run ids and slowed twice: an afternoon of overlaps with assumed pairs, and two runs active now.
fn etl_orders(span: Span) -> Job {
    let mut job = Job::new(span, "etl-orders", "*/30 * * * *", "UTC", "etl-1")
        .about("Loads orders into the warehouse, in slices of half an hour.", &["warehouse"], "")
        .limits(10, 150);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 8));
        let rows = job.chance.between(9_000, 42_000);
        let took = match left {
            0 => 2_900,
            1 => 4_700,
            // The warehouse was being resized.
            300..=306 => job.chance.between(2_300, 4_100),
            _ => 180 + rows / 60 + job.chance.between(0, 90),
        };
        let host = if left % 2 == 0 { "etl-1" } else { "etl-2" };
        let host = if (300..=306).contains(&left) { "etl-1" } else { host };
        job.tell(Told::run(start, took).on(host).with("rows_written", rows).with("bytes", rows * 412));
    }
    job
}

/// Takes longer from day to day; one run is under way.
fn search_reindex(span: Span) -> Job {
    let mut job = Job::new(span, "search-reindex", "20 */4 * * *", "Europe/London", "search-1")
        .about(
            "Rebuilds the search index of the shop.",
            &["search", "web"],
            "If it takes hours, the merge policy of the index has been reset; see search-1:/etc/search/merge.yml.",
        )
        .limits(15, 240)
        .rules(&["duration gt 2 * median(duration, 20)", "documents lt 0.9 * prev(documents)"]);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 25));
        let age = 85 - i64::try_from(left).unwrap_or(0).min(85);
        let took = if left == 40 { 5_900 } else { job.chance.about(700 + age * 30) };
        let documents = 1_204_000 + age * 2_150 + job.chance.between(-300, 300);
        let told = if left == 0 { Told::endless(start) } else { Told::run(start, took) };
        job.tell(told.named().with("documents", documents).says(output::reindex(documents, took)));
    }
    job
}

/// Runs out of memory since yesterday.
fn recommendations_train(span: Span) -> Job {
    let mut job = Job::new(span, "recommendations-train", "40 1,13 * * *", "UTC", "gpu-1")
        .about(
            "Trains the model behind \"customers also bought\".",
            &["machine-learning"],
            "Exit code 137 is the kernel's out-of-memory killer: lower `batch_size`, or drain the other jobs of gpu-1.",
        )
        .limits(30, 180);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(3, 50));
        let (took, examples) = (job.chance.about(4_100), job.chance.between(2_180_000, 2_240_000));
        let told = match left {
            0 | 1 => Told::run(start, 1_740 + took / 20)
                .failed(137, "worker died with signal 9")
                .says(output::out_of_memory(start)),
            15 => Told::run(start, 58).failed(1, "KeyError: 'basket_id'").says(output::key_error(start)),
            _ => {
                let loss = job.chance.between(3_120, 3_480);
                Told::run(start, took).with("epochs", 12).says(output::training(loss))
            }
        };
        job.tell(told.named().with("examples", examples));
    }
    job
}

fn report_mailer(span: Span) -> Job {
    let mut job = Job::new(span, "report-mailer", "0 7 * * 1", "Europe/London", "app-1")
        .about("Mails the weekly figures to the heads of department.", &["reports"], "")
        .limits(60, 30)
        .rules(&["mails_sent lt 8"]);
    for (_, slot) in job.slots() {
        let (start, took) = (slot + Duration::seconds(2), job.chance.about(75));
        job.tell(Told::run(start, took).with("mails_sent", 9));
    }
    job
}

/// Paused until the partner's new interface is there.
fn partner_feed(span: Span) -> Job {
    let paused = span.now - Duration::days(4);
    let mut job = Job::new(span, "partner-feed", "15 */3 * * *", "Europe/Madrid", "app-2")
        .about(
            "Fetches prices from a partner. Paused until their new interface is there.",
            &["erp", "partner"],
            "",
        )
        .limits(30, 30)
        .rules(&["error_count gt 0"]);
    job.paused = Some(paused);
    for (left, slot) in job.slots() {
        let start = slot + Duration::seconds(job.chance.between(1, 9));
        let (took, prices) = (job.chance.about(130), job.chance.between(7_700, 7_790));
        let told = match left {
            // Their interface answered with errors before it was switched off.
            33..=36 => Told::run(start, 34).failed(22, "410 Gone").says(output::gone()),
            _ => Told::run(start, took).with("prices", prices).with("error_count", 0),
        };
        if start + Duration::hours(1) < paused {
            job.tell(told);
        }
    }
    job
}
