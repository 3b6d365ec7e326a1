//! The commands of one mail on an open connection, recipient by recipient: one bad address does not cost the others
//! their mail. What the result means for the delivery is decided in `email.rs`.

use std::time::Duration;

use lettre::Address;
use lettre::transport::smtp::Error;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use lettre::transport::smtp::commands::{Data, Mail, Rcpt};
use lettre::transport::smtp::response::Response;
use tokio::time::timeout;

use crate::answer;

/// A mail as it goes over the wire.
#[derive(Debug)]
pub(crate) struct Envelope<'a> {
    pub(crate) from: &'a Address,
    pub(crate) to: &'a [Address],
    pub(crate) message: &'a [u8],
}

/// What the server did with a mail that it took, or with the recipients of one that it took for nobody.
#[derive(Debug, Default)]
pub(crate) struct Receipt {
    /// The server's reply to the message: `250 2.0.0 Ok: queued as 12345`. None where no recipient was accepted.
    pub(crate) reply: Option<String>,
    pub(crate) accepted: Vec<String>,
    /// Not now (4xx), with the server's words.
    pub(crate) delayed: Vec<(String, String)>,
    /// Not ever (5xx), with the server's words.
    pub(crate) refused: Vec<(String, String)>,
}

/// Why nothing was taken at all.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The server is away, busy, or does not accept *us*: time or a setting can mend it.
    Later(String),
    /// The server refused this message for good.
    Never(String),
}

/// `MAIL FROM`.
pub(crate) async fn begin(connection: &mut AsyncSmtpConnection, from: &Address) -> Result<(), Failure> {
    let asked = connection.command(Mail::new(Some(from.clone()), Vec::new())).await;
    asked.map(drop).map_err(|error| match error.status() {
        Some(_) => failure(&error, &format!("sender {from} refused: ")),
        None => failure(&error, ""),
    })
}

/// Everything after `MAIL FROM`.
pub(crate) async fn transfer(
    connection: &mut AsyncSmtpConnection,
    envelope: &Envelope<'_>,
) -> Result<Receipt, Failure> {
    let mut receipt = Receipt::default();
    for address in envelope.to {
        match connection.command(Rcpt::new(address.clone(), Vec::new())).await {
            Ok(_) => receipt.accepted.push(address.to_string()),
            // 421: the server closes the connection; nobody has got anything yet
            Err(error) if error.status().is_some_and(|code| u16::from(code) != 421) => {
                match failure(&error, "") {
                    Failure::Later(said) => receipt.delayed.push((address.to_string(), said)),
                    Failure::Never(said) => receipt.refused.push((address.to_string(), said)),
                }
            }
            Err(error) => return Err(failure(&error, "")),
        }
    }
    if receipt.accepted.is_empty() {
        hang_up(connection).await;
        return Ok(receipt);
    }
    connection.command(Data).await.map_err(|error| failure(&error, ""))?;
    let reply = connection.message(envelope.message).await.map_err(|error| failure(&error, ""))?;
    receipt.reply = Some(words(&reply));
    Ok(receipt)
}

/// `QUIT`, without waiting long for a server that is in no mood.
pub(crate) async fn hang_up(connection: &mut AsyncSmtpConnection) {
    // the mail's fate is settled; how the server takes leave changes nothing
    let _ = timeout(Duration::from_secs(1), connection.quit()).await;
}

/// The decision inside an error of the wire. Replies that ask for a login are about our settings, never about the mail.
pub(crate) fn failure(error: &Error, before: &str) -> Failure {
    let said = format!("{before}{}", describe(error));
    match error.status().map(u16::from) {
        Some(530 | 534 | 535 | 538) => Failure::Later(format!("{said} (check {})", super::SETTING)),
        Some(500..) => Failure::Never(said),
        _ => Failure::Later(said),
    }
}

/// The server's own words, or what broke.
pub(crate) fn describe(error: &Error) -> String {
    let cause = std::error::Error::source(error);
    match (error.status(), cause) {
        (Some(code), Some(cause)) => format!("{code} {cause}"),
        (Some(code), None) => code.to_string(),
        (None, Some(cause)) => answer::chain(cause).replace("Connection error: ", ""),
        (None, None) => error.to_string(),
    }
}

fn words(reply: &Response) -> String {
    format!("{} {}", reply.code(), reply.message().collect::<Vec<_>>().join(" "))
}
