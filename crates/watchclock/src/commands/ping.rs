//! `watchclock ping`: one ping, sent from where the job runs.

use anyhow::bail;

use crate::config::{PingArgs, Settings};

pub(crate) async fn run(settings: &Settings, args: &PingArgs) -> anyhow::Result<()> {
    let config = settings.resolve().map_err(|problems| crate::config::all(&problems))?;
    let (signal, pairs) = split(&args.rest)?;
    let monitor = watchclock_exec::monitor_url(&config.base_url, &args.monitor, args.ping_key.as_deref())?;
    let answer = watchclock_exec::ping(&monitor, signal, &pairs).await?;
    println!("{answer}");
    Ok(())
}

/// The signal, where the first word is one, and the pairs.
fn split(words: &[String]) -> anyhow::Result<(&str, Vec<(String, String)>)> {
    let mut words = words.iter();
    let mut signal = "";
    let mut pairs = Vec::new();
    for (at, word) in words.by_ref().enumerate() {
        match word.split_once('=') {
            Some((key, value)) => pairs.push((key.to_owned(), value.to_owned())),
            None if at == 0 && is_signal(word) => signal = word,
            None => bail!("`{word}` is no signal (start, success, fail, log, 0-255) and no key=value"),
        }
    }
    Ok((signal, pairs))
}

fn is_signal(word: &str) -> bool {
    matches!(word, "start" | "success" | "end" | "fail" | "log") || word.parse::<u8>().is_ok()
}
