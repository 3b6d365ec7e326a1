//! Writing a rule: a typing error is shown where it is, names are completed, past runs are tried, the next run fires it.

use std::time::Duration;

use crate::{driver::Browser, get, ping_url, site::Site};

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_is_written_tried_saved_and_fires() {
    let site = Site::start().await;
    let browser = Browser::start().await;
    // A job that has reported something for a while, and was wrong now and then.
    let (page, ping) = monitor(&site, &browser, "Import").await;
    for n in 1..=104 {
        let rows = if n % 25 == 0 { 0 } else { 1_200 + n % 10 };
        assert_eq!(get(&format!("{ping}?rid={n}&meta.rows_written={rows}&meta.mode=full")).await, "OK");
    }

    // The form says where an error is, and what may have been meant.
    browser.open(&format!("{page}/edit#edit-rules")).await;
    browser.fill("rules[0].when", "rows_written eqq 0").await;
    browser.expect("#rule-check-0", "did you mean").await;
    browser.expect("#rule-check-0 pre", "^^^").await;
    browser.look("rule-1-wrong").await;
    browser.fill("rules[0].when", "rows_writen eq 0").await;
    browser.expect("#rule-check-0", "did you mean rows_written?").await;
    // It completes names, from the keyboard.
    browser.fill("rules[0].when", "rows").await;
    browser.expect(".completions", "1,204 in #104").await;
    browser.keys("rules[0].when", &["down", "enter"]).await;
    browser.keys("rules[0].when", &["lt 0.5 * median(rows_written, 14)"]).await;
    let words = "Would have fired for 4 of the last 100 runs: 4 incidents; unknown for 3.";
    browser.expect("#rule-check-0", words).await;
    browser.expect("#rule-check-0", "#100").await;
    browser.click("#rule-check-0 summary").await;
    browser.expect("#rule-check-0", "median(rows_written, 14) = 1,204").await;
    browser.expect("#rule-check-0", "quiet").await;
    browser.look("rule-2-tried").await;
    // Two in a row have never been so bad: it would have fired for none.
    browser.fill("rules[0].for", "2").await;
    browser.expect("#rule-check-0", "none of the last 100 runs: true for 4, never for 2 in a row").await;
    browser.fill("rules[0].for", "1").await;
    browser.expect("#rule-check-0", words).await;
    browser.press("Save").await;
    browser.expect("body", "Import is saved.").await;
    browser.expect("#rules", "rows_written lt 0.5 * median(rows_written, 14)").await;

    // The next run fires it; the alert names the value, the rule and what is usual.
    assert_eq!(get(&format!("{ping}?rid=105&meta.rows_written=3")).await, "OK");
    let mails = site.smtp.wait_for(1, Duration::from_secs(10)).await;
    let (subject, text) = (mails[0].subject(), mails[0].text());
    assert!(subject.starts_with("[failing] Import: rows_written is 3"), "{subject}");
    for part in ["rows_written lt 0.5 * median(rows_written, 14)", "Usual"] {
        assert!(text.contains(part), "the alert does not tell {part}:\n{text}");
    }

    browser.open(&format!("{}/incidents", site.url)).await;
    browser.click("a[href*='/incidents/0']").await;
    for part in ["rows_written is 3", "rows_written lt 0.5 * median(rows_written, 14)", "Usual"] {
        browser.expect("body", part).await;
    }
    browser.look("rule-3-incident").await;

    // The page draws the number, with the rule's line.
    browser.open(&page).await;
    browser.expect(".curves", "0 to 1,209 in").await;
    browser.expect(".curves", "a rule was true for").await;
    assert!(browser.count(".curves .limit").await > 0 && browser.count(".curves .broken").await > 0);
    browser.look("curves").await;
    assert_eq!(browser.complaints().await, Vec::<String>::new());
    browser.quit().await;
}

/// Signs in, sets up a channel and a monitor that expects nothing; returns its page and its ping URL.
pub(crate) async fn monitor(site: &Site, browser: &Browser, name: &str) -> (String, String) {
    browser.open(&format!("{}{}", site.url, site.sign_in)).await;
    browser.press("Sign in").await;
    browser.expect("h1", "password").await;
    browser.open(&format!("{}/channels/new?kind=email", site.url)).await;
    browser.fill("name", "ops").await;
    browser.fill("to", "ops@example.com").await;
    browser.press("Add channel").await;
    browser.expect("body", "ops@example.com").await;
    browser.open(&format!("{}/monitors/new", site.url)).await;
    browser.fill("name", name).await;
    browser.click("label[for=kind-none]").await;
    browser.press("Create monitor").await;
    browser.expect("h1", name).await;
    (browser.url().await, ping_url(browser, &site.url).await)
}
