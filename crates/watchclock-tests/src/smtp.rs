//! A mail server on loopback that keeps what it gets and misbehaves on demand; `webhook.rs` is its HTTP counterpart.

mod session;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mail_parser::{Message, MessageParser};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

/// Where in a conversation something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Greeting,
    Mail,
    /// Every recipient; see [`SmtpSink::refuse`] for one.
    Rcpt,
    Data,
    /// The message has begun to arrive.
    MidMessage,
    /// The message is complete.
    Message,
}

/// What the server does wrong.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// Answers with this line, `451 4.3.0 try again`, and goes on.
    Say(&'static str),
    /// Closes the connection.
    Drop,
    /// Never answers.
    Stall,
}

/// One mail that was accepted.
#[derive(Clone, Debug)]
pub struct Mail {
    pub from: String,
    /// The recipients of the envelope.
    pub to: Vec<String>,
    pub raw: Vec<u8>,
}

impl Mail {
    fn parsed(&self) -> Message<'_> {
        MessageParser::default().parse(&self.raw).expect("a mail that was sent can be parsed")
    }

    /// Decoded.
    pub fn subject(&self) -> String {
        self.parsed().subject().unwrap_or_default().to_owned()
    }

    /// The text part, decoded, with `\n` line ends.
    pub fn text(&self) -> String {
        self.parsed().body_text(0).unwrap_or_default().replace("\r\n", "\n")
    }

    /// The HTML part, decoded.
    pub fn html(&self) -> String {
        self.parsed().body_html(0).unwrap_or_default().into_owned()
    }

    /// A header as it was sent, unfolded.
    pub fn header(&self, name: &str) -> Option<String> {
        let message = self.parsed();
        message.header_raw(name).map(|raw| raw.split_whitespace().collect::<Vec<_>>().join(" "))
    }
}

#[derive(Debug, Default)]
struct State {
    mails: Mutex<Vec<Mail>>,
    arrived: Notify,
    /// One trouble for each conversation to come.
    script: Mutex<VecDeque<Option<(Stage, Trouble)>>>,
    /// For all conversations beyond the script.
    always: Mutex<Option<(Stage, Trouble)>>,
    /// Recipient, answer, and how often still; None for ever.
    refusals: Mutex<Vec<(String, String, Option<u32>)>>,
    login: Mutex<Option<(String, String)>>,
    connections: Mutex<usize>,
}

impl State {
    fn next_trouble(&self) -> Option<(Stage, Trouble)> {
        match lock(&self.script).pop_front() {
            Some(scripted) => scripted,
            None => lock(&self.always).clone(),
        }
    }

    fn refusal(&self, recipient: &str) -> Option<String> {
        let mut refusals = lock(&self.refusals);
        let found = refusals.iter_mut().find(|(to, _, left)| to == recipient && *left != Some(0))?;
        found.2 = found.2.map(|left| left - 1);
        Some(found.1.clone())
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().expect("no test panics while it holds this lock")
}

/// A mail server for one test.
#[derive(Debug)]
pub struct SmtpSink {
    state: Arc<State>,
    port: u16,
    serving: Option<JoinHandle<()>>,
}

impl SmtpSink {
    /// Listens on a free port of 127.0.0.1.
    pub async fn start() -> Self {
        let mut sink = Self { state: Arc::default(), port: 0, serving: None };
        sink.up().await;
        sink
    }

    /// `smtp://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        format!("smtp://127.0.0.1:{}", self.port)
    }

    /// The URL with a user and a password, both percent-encoded by the caller.
    pub fn url_as(&self, user: &str, password: &str) -> String {
        format!("smtp://{user}:{password}@127.0.0.1:{}", self.port)
    }

    /// Listens, on the same port as before. Does nothing where it listens already.
    pub async fn up(&mut self) {
        if self.serving.is_some() {
            return;
        }
        let listener = TcpListener::bind(("127.0.0.1", self.port)).await.expect("the port is free");
        self.port = listener.local_addr().expect("a bound socket has an address").port();
        let state = Arc::clone(&self.state);
        self.serving = Some(tokio::spawn(async move {
            let mut sessions = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                *lock(&state.connections) += 1;
                let state = Arc::clone(&state);
                sessions.spawn(async move {
                    // a broken connection is what many tests are about
                    let _ = session::serve(stream, &state).await;
                });
                while sessions.try_join_next().is_some() {}
            }
        }));
    }

    /// Refuses connections from now on and breaks off those that are open.
    pub async fn down(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
            // the listener is closed when the task is gone
            let _ = serving.await;
        }
    }

    /// The mails accepted so far, oldest first.
    pub fn mails(&self) -> Vec<Mail> {
        lock(&self.state.mails).clone()
    }

    /// Waits until at least `count` mails are there, and returns all.
    ///
    /// # Panics
    /// When they do not come within `limit`.
    pub async fn wait_for(&self, count: usize, limit: Duration) -> Vec<Mail> {
        let waiting = async {
            loop {
                let arrived = self.state.arrived.notified();
                let mails = self.mails();
                if mails.len() >= count {
                    return mails;
                }
                arrived.await;
            }
        };
        tokio::time::timeout(limit, waiting).await.unwrap_or_else(|_| {
            let subjects: Vec<_> = self.mails().iter().map(Mail::subject).collect();
            panic!("{count} mails were expected within {limit:?}, but there are {subjects:?}")
        })
    }

    /// How many connections were ever accepted.
    pub fn connections(&self) -> usize {
        *lock(&self.state.connections)
    }

    /// The next conversations have these troubles, one each; None is a good one.
    pub fn script(&self, troubles: impl IntoIterator<Item = Option<(Stage, Trouble)>>) {
        lock(&self.state.script).extend(troubles);
    }

    /// Every conversation beyond the script has this trouble; None makes all well.
    pub fn always(&self, trouble: Option<(Stage, Trouble)>) {
        *lock(&self.state.always) = trouble;
    }

    /// Answers one recipient so, `550 5.1.1 no such user`, for ever.
    pub fn refuse(&self, recipient: &str, answer: &str) {
        lock(&self.state.refusals).push((recipient.to_owned(), answer.to_owned(), None));
    }

    /// Greylists one recipient: refuses it `times` times, then takes it.
    pub fn greylist(&self, recipient: &str, times: u32) {
        let answer = "450 4.2.0 Greylisted, try again later".to_owned();
        lock(&self.state.refusals).push((recipient.to_owned(), answer, Some(times)));
    }

    /// Takes mail only after AUTH PLAIN with these.
    pub fn require_login(&self, user: &str, password: &str) {
        *lock(&self.state.login) = Some((user.to_owned(), password.to_owned()));
    }
}

impl Drop for SmtpSink {
    fn drop(&mut self) {
        if let Some(serving) = self.serving.take() {
            serving.abort();
        }
    }
}
