//! What people do in a real browser, by clicking. Neighbours: `driver` drives it, `site` is the instance it looks at.

#![expect(clippy::unwrap_used, reason = "a test may end at what it does not expect")]

mod driver;
mod extractors;
mod newcomer;
mod quiet;
mod rules;
mod site;
mod story;

use driver::Browser;

/// The first ping URL that the page offers to copy.
async fn ping_url(browser: &Browser, site: &str) -> String {
    let text = browser.text().await;
    let start =
        text.find(&format!("{site}/ping/")).unwrap_or_else(|| panic!("no ping URL on the page:\n{text}"));
    let url: String =
        text[start..].chars().take_while(|c| c.is_ascii_alphanumeric() || "/:.-".contains(*c)).collect();
    // What follows the id names a signal.
    let (base, rest) = url.split_once("/ping/").unwrap();
    format!("{base}/ping/{}", &rest[..36])
}

async fn get(url: &str) -> String {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::get(url).await.unwrap().text().await.unwrap()
}

async fn post(url: &str, body: &str) -> String {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let sent = reqwest::Client::new().post(url).body(body.to_owned()).send();
    sent.await.unwrap().text().await.unwrap()
}
