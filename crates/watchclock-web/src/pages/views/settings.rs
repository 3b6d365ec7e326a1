//! Settings: project, API keys, members, own account, about; one page each, side by side.

use askama::Template;

use super::{
    channels::NewSecret,
    parts::{Choice, Fact, Field, When},
    shell::Shell,
};

/// `GET /settings`; posts `name` to `/settings/project`, and nothing to `/settings/ping-key/rotate`.
#[derive(Debug, Template)]
#[template(path = "settings/project.html")]
pub struct ProjectSettings {
    pub shell: Shell,
    pub name: Field,
    /// What is kept, posted as `keep.runs`, `keep.days` and `keep.output_days` to `/settings/keep`.
    pub keep_runs: Field,
    pub keep_days: Field,
    pub keep_output_days: Field,
    pub slug: String,
    /// The ping key: it only lets one ping, so it is shown.
    pub ping_key: String,
    /// `https://…/ping/KEY/` before the slug.
    pub ping_prefix: String,
    /// Whether this person may change anything.
    pub may_edit: bool,
}

/// `GET /settings/keys`; posts `name`, `role` to `/settings/keys`, and nothing to `/settings/keys/{id}/revoke`.
#[derive(Debug, Template)]
#[template(path = "settings/keys.html")]
pub struct KeySettings {
    pub shell: Shell,
    pub keys: Vec<KeyRow>,
    pub name: Field,
    /// read, write, ping.
    pub roles: Vec<Choice>,
    pub new_key: Option<NewSecret>,
    /// A ready line that uses a key, without one in it.
    pub example: String,
    /// Whether this person may add and revoke keys.
    pub may_edit: bool,
}

#[derive(Debug, Clone, Default)]
pub struct KeyRow {
    pub id: String,
    pub name: String,
    /// Its first characters: `wck_7Qa…`.
    pub hint: String,
    pub role: String,
    pub created: When,
    pub last_used: Option<When>,
}

/// `GET /settings/members`; posts `email`, `role` to `/settings/members`, and nothing to `…/{id}/remove`.
#[derive(Debug, Template)]
#[template(path = "settings/members.html")]
pub struct MemberSettings {
    pub shell: Shell,
    pub members: Vec<MemberRow>,
    pub email: Field,
    pub roles: Vec<Choice>,
    /// A one-time link for the person just added: shown once.
    pub new_link: Option<NewSecret>,
    pub may_edit: bool,
}

#[derive(Debug, Clone, Default)]
pub struct MemberRow {
    pub id: String,
    pub email: String,
    pub role: String,
    pub is_you: bool,
    pub last_seen: Option<When>,
}

/// `GET /settings/account`; posts `current`, `password`, `again` to `/settings/account/password`,
/// and nothing to `/settings/account/sessions/{id}/end` and `…/sessions/end-others`.
#[derive(Debug, Template)]
#[template(path = "settings/account.html")]
pub struct AccountSettings {
    pub shell: Shell,
    pub current: Field,
    pub password: Field,
    pub again: Field,
    pub least: usize,
    /// Signed in by a one-time link and without a password so far.
    pub has_password: bool,
    pub sessions: Vec<SessionRow>,
}

impl AccountSettings {
    pub fn least_words(&self) -> String {
        format!("At least {} characters.", self.least)
    }
}

#[derive(Debug, Clone, Default)]
pub struct SessionRow {
    pub id: String,
    /// `Firefox on Linux`.
    pub device: String,
    pub started: When,
    pub last_seen: When,
    pub is_this: bool,
}

/// `GET /settings/about`.
#[derive(Debug, Template)]
#[template(path = "settings/about.html")]
pub struct About {
    pub shell: Shell,
    /// Whether each part does its work now.
    pub parts: Vec<Part>,
    /// Version, tz database, database server, data directory, base URL, uptime, counts …
    pub facts: Vec<Fact>,
    /// When nobody watched, newest first: from, and how long and what fell into it.
    pub gaps: Vec<(When, String)>,
}

/// One part of Watchclock: evaluator, deliveries, database, mail.
#[derive(Debug, Clone, Default)]
pub struct Part {
    pub name: String,
    pub state: PartState,
    /// `last tick 2 s ago`, `oldest queued delivery 3 min old`.
    pub words: String,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PartState {
    #[default]
    Working,
    /// Nobody has asked for it, and nothing is wrong.
    NotSetUp,
    NotWorking,
}

impl PartState {
    /// The mark that stands for it.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Working => "healthy",
            Self::NotSetUp => "waiting",
            Self::NotWorking => "failing",
        }
    }

    pub fn words(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::NotSetUp => "not set up",
            Self::NotWorking => "not working",
        }
    }
}
