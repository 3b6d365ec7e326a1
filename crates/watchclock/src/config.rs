//! Flags and environment, and what they resolve to: every problem at once. `--help` is the documentation.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;
use watchclock_notify::NotifySettings;

/// A self-hosted monitor for scheduled jobs: who ran, who did not, and whether the result is right.
#[derive(Debug, Parser)]
#[command(name = "watchclock", version, max_term_width = 100, after_help = EXAMPLE)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

const EXAMPLE: &str = "Example: watchclock serve --listen 127.0.0.1:8080 --data-dir ./watchclock-data";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server (the default when no command is given)
    #[command(after_help = EXAMPLE)]
    Serve,
    /// Bring the database up to date and exit
    #[command(after_help = "Example: DATABASE_URL=postgres://watchclock@db/watchclock watchclock migrate")]
    Migrate,
    /// Print every problem of the configuration at once
    #[command(after_help = "Example: watchclock check-config --send-test you@example.com")]
    CheckConfig(CheckArgs),
    /// Add, list and remove people; set passwords
    #[command(subcommand)]
    User(UserCommand),
    /// Add, list and revoke API keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Send one ping to a Watchclock server
    #[command(
        after_help = "Example: watchclock ping 0199a3b2-7c1e-7d7e-9a6b-3b1f5d2c8e40 success records_processed=12"
    )]
    Ping(PingArgs),
    /// Fill a project with two weeks of believable jobs, overlaps and incidents
    #[command(after_help = "Example: watchclock demo --project demo")]
    Demo(DemoArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// Also send a test mail to this address, the way that alerts go
    #[arg(long, value_name = "MAIL")]
    pub(crate) send_test: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    /// Add a person and print a one-time sign-in link, or take a password from stdin
    #[command(after_help = "Example: watchclock user add you@example.com --admin")]
    Add {
        email: String,
        /// May do everything, in every project
        #[arg(long)]
        admin: bool,
        /// Read the password from the first line of stdin
        #[arg(long)]
        password_stdin: bool,
    },
    /// List everybody
    #[command(after_help = "Example: watchclock user list --json")]
    List {
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Set a password from stdin, or print a one-time sign-in link to set one
    #[command(after_help = "Example: watchclock user passwd you@example.com")]
    Passwd {
        email: String,
        /// Read the password from the first line of stdin
        #[arg(long)]
        password_stdin: bool,
    },
    /// Remove a person and sign them out everywhere
    #[command(after_help = "Example: watchclock user remove you@example.com")]
    Remove { email: String },
}

#[derive(Debug, Subcommand)]
pub(crate) enum KeyCommand {
    /// Make a key and print it once, alone on stdout
    #[command(after_help = "Example: KEY=$(watchclock key add --project default --role write)")]
    Add {
        /// Slug of the project
        #[arg(long, default_value = "default")]
        project: String,
        /// What the key may do
        #[arg(long, value_parser = ["read", "write", "ping"])]
        role: String,
        /// To tell keys apart
        #[arg(long, default_value = "")]
        name: String,
    },
    /// List the keys of a project (never the keys themselves)
    #[command(after_help = "Example: watchclock key list --project default")]
    List {
        /// Slug of the project
        #[arg(long, default_value = "default")]
        project: String,
        /// As JSON
        #[arg(long)]
        json: bool,
    },
    /// Revoke a key
    #[command(after_help = "Example: watchclock key revoke 0199a3b2-7c1e-7d7e-9a6b-3b1f5d2c8e40")]
    Revoke {
        id: uuid::Uuid,
        /// Slug of the project
        #[arg(long, default_value = "default")]
        project: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct PingArgs {
    /// The monitor: its id, its full ping URL, or its slug (with `WATCHCLOCK_PING_KEY`)
    #[arg(env = "WATCHCLOCK_MONITOR")]
    pub(crate) monitor: String,
    /// start, success, fail, log, an exit code, or `key=value` pairs of metadata (`rid=` names the run)
    pub(crate) rest: Vec<String>,
    /// The project's ping key, for a monitor named by its slug
    #[arg(long, env = "WATCHCLOCK_PING_KEY", hide_env_values = true)]
    pub(crate) ping_key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Slug of the project to make; it must not exist
    #[arg(long, default_value = "demo")]
    pub(crate) project: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Signup {
    /// Only people that an admin adds can sign in
    Closed,
    /// Anyone may register
    Open,
}

/// Settings that every command shares. Secrets also come from a file: `DATABASE_URL_FILE` and so on.
#[derive(Debug, Args)]
pub(crate) struct Settings {
    /// Address to listen on; several are separated by commas
    #[arg(
        long,
        global = true,
        env = "WATCHCLOCK_LISTEN",
        value_delimiter = ',',
        default_value = "127.0.0.1:8080"
    )]
    pub(crate) listen: Vec<SocketAddr>,
    /// A PostgreSQL (14 or later) to use; unset: a private one in the data directory
    #[arg(long, global = true, env = "DATABASE_URL", hide_env_values = true)]
    database_url: Option<String>,
    /// A file that holds the database URL
    #[arg(long, global = true, env = "DATABASE_URL_FILE", value_name = "FILE")]
    database_url_file: Option<PathBuf>,
    /// Where the private PostgreSQL and secrets made at the first start live
    #[arg(long, global = true, env = "WATCHCLOCK_DATA_DIR", default_value = "./watchclock-data")]
    pub(crate) data_dir: PathBuf,
    /// How people and jobs reach the server, used in links and ping URLs; sub-paths are fine
    #[arg(long, global = true, env = "WATCHCLOCK_BASE_URL", value_name = "URL")]
    base_url: Option<String>,
    /// The mail server: `smtps://user:pass@host`, or `smtp://host:587` (STARTTLS when offered; `?tls=required` insists, `?tls=none` forbids)
    #[arg(long, global = true, env = "WATCHCLOCK_SMTP_URL", hide_env_values = true, value_name = "URL")]
    smtp_url: Option<String>,
    /// A file that holds the SMTP URL
    #[arg(long, global = true, env = "WATCHCLOCK_SMTP_URL_FILE", value_name = "FILE")]
    smtp_url_file: Option<PathBuf>,
    /// Sender of mails; unset: `watchclock@` and the host of the base URL
    #[arg(long, global = true, env = "WATCHCLOCK_MAIL_FROM", value_name = "MAIL")]
    mail_from: Option<String>,
    /// Who may register
    #[arg(long, global = true, env = "WATCHCLOCK_SIGNUP", value_enum, default_value = "closed")]
    pub(crate) signup: Signup,
    /// Networks (CIDR) of proxies whose `X-Forwarded-*` is believed, separated by commas
    #[arg(
        long,
        global = true,
        env = "WATCHCLOCK_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_name = "CIDR"
    )]
    trusted_proxies: Vec<String>,
    /// Whether webhooks may reach private, loopback and link-local addresses
    #[arg(long, global = true, env = "WATCHCLOCK_ALLOW_PRIVATE_TARGETS", value_name = "BOOL",
          num_args = 0..=1, default_missing_value = "true", default_value = "false")]
    allow_private_targets: bool,
    /// The key that seals secrets of channels, 64 hexadecimal digits; unset: made in the data directory
    #[arg(long, global = true, env = "WATCHCLOCK_SECRET_KEY", hide_env_values = true, value_name = "HEX")]
    pub(crate) secret_key: Option<String>,
    /// A file that holds the secret key
    #[arg(long, global = true, env = "WATCHCLOCK_SECRET_KEY_FILE", value_name = "FILE")]
    pub(crate) secret_key_file: Option<PathBuf>,
    /// E-mail address of the admin that the first start makes
    #[arg(long, global = true, env = "WATCHCLOCK_ADMIN_EMAIL", value_name = "MAIL")]
    pub(crate) admin_email: Option<String>,
    /// A file that holds the first admin's password
    #[arg(long, global = true, env = "WATCHCLOCK_ADMIN_PASSWORD_FILE", value_name = "FILE")]
    admin_password_file: Option<PathBuf>,
    /// What is logged: `info`, `debug`, `watchclock_service=debug,info` …
    #[arg(
        long,
        global = true,
        env = "WATCHCLOCK_LOG",
        default_value = "info,sqlx=warn",
        value_name = "FILTER"
    )]
    pub(crate) log: String,
    /// How it is logged
    #[arg(long, global = true, env = "WATCHCLOCK_LOG_FORMAT", value_enum, default_value = "text")]
    pub(crate) log_format: LogFormat,
}

/// Settings after looking: files read, addresses understood.
pub(crate) struct Config {
    pub(crate) database_url: Option<String>,
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) trusted_proxies: Vec<IpNet>,
    pub(crate) notify: NotifySettings,
    pub(crate) admin_password: Option<String>,
}

impl Config {
    /// Where nobody named a base URL, it follows from the address that was really taken (port 0 takes a free one).
    pub(crate) fn listening_on(&mut self, settings: &Settings, address: SocketAddr) {
        if settings.base_url.is_none() {
            self.base_url = default_base_url(Some(&address));
            self.notify.base_url.clone_from(&self.base_url);
        }
    }
}

impl Settings {
    /// Reads files and checks what can be checked without a network; every problem at once.
    pub(crate) fn resolve(&self) -> Result<Config, Vec<String>> {
        let mut problems = Vec::new();
        let database_url = one_of(
            "DATABASE_URL",
            self.database_url.as_ref(),
            self.database_url_file.as_deref(),
            &mut problems,
        );
        if let Some(url) = &database_url
            && !url.starts_with("postgres://")
            && !url.starts_with("postgresql://")
        {
            problems.push("DATABASE_URL: must begin with postgres:// or postgresql://".to_owned());
        }
        let smtp_url = one_of(
            "WATCHCLOCK_SMTP_URL",
            self.smtp_url.as_ref(),
            self.smtp_url_file.as_deref(),
            &mut problems,
        );
        let admin_password = self.admin_password_file.as_deref().and_then(|path| read(path, &mut problems));
        let base_url = self.checked_base_url(&mut problems);
        let mut trusted_proxies = Vec::new();
        for text in self.trusted_proxies.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
            match text.parse::<IpNet>().or_else(|_| text.parse::<std::net::IpAddr>().map(IpNet::from)) {
                Ok(net) => trusted_proxies.push(net),
                Err(_) => problems.push(format!(
                    "WATCHCLOCK_TRUSTED_PROXIES: `{text}` is no network; write 10.0.0.0/8 or an address"
                )),
            }
        }
        let mut notify = NotifySettings::new(base_url.clone());
        notify.smtp_url = smtp_url;
        notify.allow_private_targets = self.allow_private_targets;
        if let Some(from) = &self.mail_from {
            notify.mail_from.clone_from(from);
        }
        if let Err(found) = watchclock_notify::Notifier::new(notify.clone()) {
            problems.extend(found.iter().map(ToString::to_string));
        }
        if problems.is_empty() {
            Ok(Config { database_url, base_url, trusted_proxies, notify, admin_password })
        } else {
            Err(problems)
        }
    }

    fn checked_base_url(&self, problems: &mut Vec<String>) -> String {
        let Some(text) = &self.base_url else { return default_base_url(self.listen.first()) };
        match url::Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
                if url.query().is_some() || url.fragment().is_some() {
                    problems.push("WATCHCLOCK_BASE_URL: must have no query and no fragment".to_owned());
                }
            }
            _ => {
                problems.push(format!(
                    "WATCHCLOCK_BASE_URL: `{text}` is no address; write https://watch.example.com"
                ));
                return default_base_url(self.listen.first());
            }
        }
        text.trim_end_matches('/').to_owned()
    }
}

/// The listen address as a browser on the same machine reaches it.
fn default_base_url(listen: Option<&SocketAddr>) -> String {
    match listen {
        Some(address) if address.ip().is_unspecified() => format!("http://localhost:{}", address.port()),
        Some(address) => format!("http://{address}"),
        None => "http://127.0.0.1:8080".to_owned(),
    }
}

/// A secret given directly or in a file, not both.
pub(crate) fn one_of(
    name: &str,
    direct: Option<&String>,
    file: Option<&Path>,
    problems: &mut Vec<String>,
) -> Option<String> {
    match (direct.filter(|text| !text.is_empty()), file) {
        (Some(_), Some(_)) => {
            problems.push(format!("{name} and {name}_FILE are both set; set one"));
            None
        }
        (Some(text), None) => Some(text.clone()),
        (None, Some(path)) => read(path, problems),
        (None, None) => None,
    }
}

fn read(path: &Path, problems: &mut Vec<String>) -> Option<String> {
    match std::fs::read_to_string(path) {
        Ok(text) => Some(text.trim_end_matches(['\r', '\n']).to_owned()),
        Err(error) => {
            problems.push(format!("{}: cannot be read: {error}", path.display()));
            None
        }
    }
}

/// All problems as one paragraph with a line each.
pub(crate) fn all(problems: &[String]) -> anyhow::Error {
    anyhow::anyhow!("the configuration has {} problem(s):\n  - {}", problems.len(), problems.join("\n  - "))
}
