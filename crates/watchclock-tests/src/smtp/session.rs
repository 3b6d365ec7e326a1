//! One SMTP conversation as a server holds it (RFC 5321), with the trouble that a test asked for.

use std::io;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

use super::{Mail, Stage, State, Trouble, lock};

struct Session<'a> {
    stream: BufReader<TcpStream>,
    state: &'a State,
    trouble: Option<(Stage, Trouble)>,
}

/// Talks until the client leaves. Each mail of a connection is a conversation of its own for the script.
pub(super) async fn serve(stream: TcpStream, state: &State) -> io::Result<()> {
    let mut session = Session { stream: BufReader::new(stream), state, trouble: state.next_trouble() };
    session.say(Stage::Greeting, "220 sink.test ESMTP").await?;
    let (mut from, mut to) = (String::new(), Vec::new());
    let mut logged_in = lock(&state.login).is_none();
    loop {
        let Some(line) = session.line().await? else { return Ok(()) };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match verb.to_ascii_uppercase().as_str() {
            "EHLO" => session.reply("250-sink.test\r\n250-PIPELINING\r\n250 AUTH PLAIN").await?,
            "HELO" | "NOOP" => session.reply("250 ok").await?,
            "AUTH" => {
                logged_in = session.may_log_in(rest);
                let answer = if logged_in { "235 2.7.0 ok" } else { "535 5.7.8 wrong user or password" };
                session.reply(answer).await?;
            }
            "MAIL" if !logged_in => session.reply("530 5.7.0 log in first").await?,
            "MAIL" => {
                (from, to) = (address(rest), Vec::new());
                session.say(Stage::Mail, "250 2.1.0 ok").await?;
            }
            "RCPT" => {
                let recipient = address(rest);
                if let Some(answer) = state.refusal(&recipient) {
                    session.reply(&answer).await?;
                } else if session.say(Stage::Rcpt, "250 2.1.5 ok").await? {
                    to.push(recipient);
                }
            }
            "DATA" if to.is_empty() => session.reply("503 5.5.1 no recipient").await?,
            "DATA" => {
                if !session.say(Stage::Data, "354 end with a dot").await? {
                    continue;
                }
                let Some(raw) = session.message().await? else { return Ok(()) };
                let number = lock(&state.mails).len() + 1;
                // kept before the answer leaves: who reads the answer may look for the mail at once
                let refused = matches!(session.trouble, Some((Stage::Message, _)));
                if !refused {
                    lock(&state.mails).push(Mail { from: from.clone(), to: to.clone(), raw });
                    state.arrived.notify_waiters();
                }
                session.say(Stage::Message, &format!("250 2.0.0 Ok: queued as {number}")).await?;
                session.trouble = state.next_trouble();
            }
            "RSET" => {
                to.clear();
                session.reply("250 ok").await?;
            }
            "QUIT" => {
                session.reply("221 bye").await?;
                return Ok(());
            }
            _ => session.reply("502 5.5.2 unknown command").await?,
        }
    }
}

impl Session<'_> {
    /// The good answer, or the trouble of this stage. Whether it was the good one.
    async fn say(&mut self, stage: Stage, good: &str) -> io::Result<bool> {
        match &self.trouble {
            Some((at, trouble)) if *at == stage => {
                let trouble = trouble.clone();
                self.suffer(trouble).await?;
                Ok(false)
            }
            _ => self.reply(good).await.map(|()| true),
        }
    }

    async fn suffer(&mut self, trouble: Trouble) -> io::Result<()> {
        match trouble {
            Trouble::Say(line) => self.reply(line).await,
            Trouble::Drop => Err(io::ErrorKind::ConnectionAborted.into()),
            Trouble::Stall => std::future::pending().await,
        }
    }

    async fn reply(&mut self, line: &str) -> io::Result<()> {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).await
    }

    async fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.stream.read_until(b'\n', &mut line).await?;
        Ok((read > 0).then_some(line))
    }

    /// The message up to its lone dot, dot-stuffing undone. A line end without CR is an error: SMTP smuggling starts so.
    async fn message(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut raw = Vec::new();
        while let Some(line) = self.line().await? {
            if let Some((Stage::MidMessage, trouble)) = self.trouble.clone() {
                self.suffer(trouble).await?;
            }
            if line == b".\r\n" {
                return Ok(Some(raw));
            }
            if !line.ends_with(b"\r\n") || line.len() > 1_000 {
                return Err(io::Error::other("a line is too long or does not end in CRLF"));
            }
            raw.extend_from_slice(line.strip_prefix(b".").unwrap_or(&line));
        }
        Ok(None)
    }

    fn may_log_in(&self, rest: &str) -> bool {
        let given = rest.strip_prefix("PLAIN ").and_then(|plain| STANDARD.decode(plain).ok());
        match &*lock(&self.state.login) {
            Some((user, password)) => given == Some(format!("\0{user}\0{password}").into_bytes()),
            None => true,
        }
    }
}

/// The address in `FROM:<a@b> SIZE=1`.
fn address(rest: &str) -> String {
    rest.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map_or("", |(address, _)| address)
        .to_owned()
}
