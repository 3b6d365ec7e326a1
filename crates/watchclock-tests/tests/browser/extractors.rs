//! A job that only prints is caught by an extractor and a rule, both made by clicking and tried on what it printed before.

use std::time::Duration;

use crate::{driver::Browser, get, post, rules::monitor, site::Site};

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_only_prints_is_caught() {
    let site = Site::start().await;
    let browser = Browser::start().await;
    let (page, ping) = monitor(&site, &browser, "Nightly import").await;
    for n in 1..=6 {
        assert_eq!(get(&format!("{ping}/start?rid={n}")).await, "OK");
        let printed = format!("connecting to db1\nProcessed {} records\ndone\n", 1_198 + n);
        assert_eq!(post(&format!("{ping}?rid={n}"), &printed).await, "OK");
    }

    // The form shows what the job printed; an expression with an error in it is told where.
    browser.open(&format!("{page}/edit#edit-extractors")).await;
    browser.expect(".sample", "Processed 1204 records").await;
    browser.look("extractor-1-empty").await;
    browser.fill("extractors[0].name", "records_processed").await;
    browser.fill("extractors[0].pattern", r"/Processed (\d+ records/").await;
    browser.expect("#extractor-check-0", "unclosed group").await;
    browser.expect("#extractor-check-0 pre", "^").await;
    browser.look("extractor-2-wrong").await;

    // Mended, it is tried on past output.
    browser.fill("extractors[0].pattern", r"/Processed (\d+) records/").await;
    let words = "Finds a value in 6 of the last 6 runs; the latest is 1,204, in #6.";
    browser.expect("#extractor-check-0", words).await;
    browser.click("#extractor-check-0 summary").await;
    browser.expect("#extractor-check-0 table", "Processed 1199 records").await;

    // Rules that would have been quiet are offered at once; one click makes a row of one, tried on the past.
    browser.keys("extractors[0].pattern", &["tab"]).await;
    browser.expect("#suggestions", "records_processed has never been 0 in 6 good runs").await;
    browser.look("extractor-3-tried").await;
    browser.click("#suggestions [value='records_processed eq 0']").await;
    browser.expect("#rule-check-0", "Would have fired for none of the last 6 runs.").await;
    browser.expect("#rule-check-0", "records_processed = 1,204 in #6").await;
    browser.look("extractor-4-rule").await;
    browser.press("Save").await;
    browser.expect("body", "Nightly import is saved.").await;
    browser.look("extractor-5-saved").await;

    // The next night nothing is processed.
    assert_eq!(get(&format!("{ping}/start?rid=7")).await, "OK");
    assert_eq!(post(&format!("{ping}?rid=7"), "connecting to db1\nProcessed 0 records\ndone\n").await, "OK");
    let mails = site.smtp.wait_for(1, Duration::from_secs(10)).await;
    assert_eq!(mails[0].subject(), "[failing] Nightly import: records_processed is 0");
    for part in ["records_processed eq 0", "1,202 (median of 6)"] {
        assert!(mails[0].text().contains(part), "the alert does not tell {part}:\n{}", mails[0].text());
    }
    browser.open(&page).await;
    browser.expect("body", "records_processed is 0").await;
    browser.expect("#runs", "rule broken").await;
    browser.look("extractor-6-caught").await;
    browser.open(&format!("{}/incidents", site.url)).await;
    browser.click("a[href*='/incidents/0']").await;
    for part in ["records_processed eq 0", "1,202 (median of 6)", "250"] {
        browser.expect("body", part).await;
    }
    browser.look("extractor-7-incident").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.quit().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_of_another_service_are_brought_along() {
    let site = Site::start().await;
    let browser = Browser::start().await;
    let (page, ping) = monitor(&site, &browser, "Import").await;
    for n in 1..=3 {
        assert_eq!(get(&format!("{ping}?rid={n}&meta.errors={n}&meta.state=done")).await, "OK");
    }
    browser.open(&format!("{page}/edit#edit-rules")).await;
    browser.press_summary("Bring rules from").await;
    let theirs =
        "records_processed eq 0\nmetric.duration < 5 min\nerrors == 0 && state != \"done\"\nmetric.rows ~ 5";
    browser.fill("import.text", theirs).await;
    browser.expect("#import-check", "duration ge 5m").await;
    browser.expect("#import-check", "errors eq 0 and state ne \"done\"").await;
    browser.expect("#import-check", "expected an operator").await;
    browser.look("import").await;
    browser.press("Add these 3 rules").await;
    browser.expect("#rule-check-2", "Would have fired for none of the last 3 runs").await;
    browser.expect("#import-check", "expected an operator").await;
    browser.look("imported").await;

    // A row goes again with one click.
    browser.click("[name=drop][value='rules[0]']").await;
    browser.expect("#rule-check-1", "Would have fired for none of the last 3 runs").await;
    browser.press("Save").await;
    browser.expect("#rules", "errors eq 0 and state ne \"done\"").await;
    browser.expect("#rules", "duration ge 5m").await;
    assert_eq!(browser.count("#rules .when").await, 2);
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.quit().await;
}
