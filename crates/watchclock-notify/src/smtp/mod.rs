//! The mail server: connects, logs in, keeps a few connections for the next mail. The mail itself is `email.rs`'s.

mod conversation;
mod server;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lettre::transport::smtp::Error;
use lettre::transport::smtp::authentication::DEFAULT_MECHANISMS;
use lettre::transport::smtp::client::{AsyncSmtpConnection, TlsParameters};
use lettre::transport::smtp::extension::ClientId;
use tokio::sync::Semaphore;
use tokio::time::timeout;

pub(crate) use conversation::{Envelope, Failure, Receipt};
pub(crate) use server::{SETTING, Security, Server};

use crate::tls;

/// Mail servers commonly allow 20 to 50 connections from one client.
const MOST_CONNECTIONS: usize = 16;

/// Kept open for the next mail, and how long.
const MOST_IDLE: usize = 4;
const IDLE_TIMEOUT: Duration = Duration::from_secs(15);

/// A kept connection that does not answer its first command by then is dead.
const STALE_TIMEOUT: Duration = Duration::from_secs(3);

/// Connections to the instance's mail server.
pub(crate) struct Smtp {
    server: Server,
    tls: TlsParameters,
    connect_timeout: Duration,
    slots: Semaphore,
    idle: Mutex<Vec<(Instant, AsyncSmtpConnection)>>,
}

impl fmt::Debug for Smtp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Smtp").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Smtp {
    pub(crate) fn new(server: Server, connect_timeout: Duration) -> Result<Self, Error> {
        tls::install_provider();
        Ok(Self {
            tls: tls::smtp(&server.host)?,
            server,
            connect_timeout,
            slots: Semaphore::new(MOST_CONNECTIONS),
            idle: Mutex::new(Vec::new()),
        })
    }

    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Hands one mail over. The caller bounds the time.
    pub(crate) async fn send(&self, envelope: &Envelope<'_>) -> Result<Receipt, Failure> {
        let _slot = self.slots.acquire().await.expect("nobody closes the semaphore");
        let mut connection = self.open(envelope).await?;
        let result = conversation::transfer(&mut connection, envelope).await;
        match &result {
            Ok(receipt) if receipt.reply.is_some() => self.keep(connection),
            Ok(_) => {}
            Err(_) => conversation::hang_up(&mut connection).await,
        }
        result
    }

    /// A connection on which this mail has been begun: a kept one if it still lives, else a new one.
    async fn open(&self, envelope: &Envelope<'_>) -> Result<AsyncSmtpConnection, Failure> {
        while let Some(mut kept) = self.take() {
            let begun = timeout(STALE_TIMEOUT, conversation::begin(&mut kept, envelope.from)).await;
            if matches!(begun, Ok(Ok(()))) {
                return Ok(kept);
            }
        }
        let mut connection = self.connect().await?;
        conversation::begin(&mut connection, envelope.from).await?;
        Ok(connection)
    }

    /// Everything up to here is about the server and our settings for it, so every failure is one for later.
    async fn connect(&self) -> Result<AsyncSmtpConnection, Failure> {
        let server = &self.server;
        let hello = ClientId::default();
        let implicit = (server.security == Security::Implicit).then(|| self.tls.clone());
        let target = (server.host.as_str(), server.port);
        let limit = Some(self.connect_timeout);
        let mut connection = AsyncSmtpConnection::connect_tokio1(target, limit, &hello, implicit, None)
            .await
            .map_err(|error| self.unreachable(&error))?;
        let upgrade = match server.security {
            Security::Required if !connection.can_starttls() => {
                let said =
                    format!("the mail server {server} offers no STARTTLS, and tls=required insists on it");
                return Err(Failure::Later(said));
            }
            Security::Required => true,
            Security::WhenOffered => connection.can_starttls(),
            Security::Implicit | Security::Never => false,
        };
        if upgrade {
            let upgraded = connection.starttls(self.tls.clone(), &hello).await;
            upgraded.map_err(|error| self.unreachable(&error))?;
        }
        if let Some(credentials) = &server.credentials {
            connection.auth(DEFAULT_MECHANISMS, credentials).await.map_err(|error| {
                let said = conversation::describe(&error);
                Failure::Later(format!("login at the mail server {server} failed: {said} (check {SETTING})"))
            })?;
        }
        Ok(connection)
    }

    fn unreachable(&self, error: &Error) -> Failure {
        let said = conversation::describe(error);
        let tls = tls::cause(error);
        let what = if tls.is_some() || error.is_tls() { "cannot set up TLS with" } else { "cannot talk to" };
        let hint = match (tls, self.server.security) {
            (Some(rustls::Error::InvalidMessage(_)), Security::Implicit) => {
                "; smtps:// is for ports that speak TLS from the first byte, smtp:// for all others"
            }
            (Some(rustls::Error::InvalidCertificate(_)), _) => {
                "; add the certificate's authority to those of the system or to SSL_CERT_FILE"
            }
            _ => "",
        };
        Failure::Later(format!("{what} the mail server {}: {said}{hint}", self.server))
    }

    fn take(&self) -> Option<AsyncSmtpConnection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|(since, _)| since.elapsed() < IDLE_TIMEOUT);
        idle.pop().map(|(_, connection)| connection)
    }

    fn keep(&self, connection: AsyncSmtpConnection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MOST_IDLE {
            idle.push((Instant::now(), connection));
        }
    }
}
