//! Where alerts go: the list, the form of one kind, deleting; a kind describes its own form as [`FormField`]s.

use askama::Template;

use super::{
    parts::{Choice, Field, Link, Problem, When},
    shell::Shell,
};

/// `GET /channels`; each row posts to `/channels/{id}/test`, `…/enable`, `…/disable`.
#[derive(Debug, Template)]
#[template(path = "channels/list.html")]
pub struct ChannelList {
    pub shell: Shell,
    pub rows: Vec<ChannelRow>,
    /// Kinds that can be added: `/channels/new?kind=…`.
    pub kinds: Vec<KindLink>,
    /// Why e-mail cannot work here, naming the setting; empty when it can.
    pub mail_problem: String,
    /// A secret that was just made: shown here once.
    pub new_secret: Option<NewSecret>,
    /// Whether this person may change anything.
    pub may_change: bool,
}

#[derive(Debug, Clone, Default)]
pub struct KindLink {
    /// `email`, `webhook`, `slack` …
    pub kind: String,
    /// `E-mail`.
    pub name: String,
    /// One sentence.
    pub note: String,
}

#[derive(Debug, Clone, Default)]
pub struct ChannelRow {
    pub id: String,
    pub name: String,
    pub kind: String,
    /// `E-mail`.
    pub kind_name: String,
    /// Where it leads, without secrets: `admin@example.com`, `hooks.example.com`.
    pub target: String,
    pub enabled: bool,
    /// Monitors that alert here: `all monitors`, `3 monitors`.
    pub used_by: String,
    pub last: Option<LastDelivery>,
    /// What a test just answered.
    pub test: Option<TestResult>,
}

impl ChannelRow {
    pub fn kind_icon(&self) -> &'static str {
        kind_icon(&self.kind)
    }
}

impl KindLink {
    pub fn icon(&self) -> &'static str {
        kind_icon(&self.kind)
    }
}

/// Which symbol of the sprite stands for a kind of channel.
fn kind_icon(kind: &str) -> &'static str {
    match kind {
        "email" => "mail",
        "webhook" => "webhook",
        "shell" => "terminal",
        "ntfy" | "gotify" | "pushover" | "pushbullet" => "bell",
        "pagerduty" | "opsgenie" | "alertmanager" => "megaphone",
        _ => "message-square",
    }
}

#[derive(Debug, Clone, Default)]
pub struct LastDelivery {
    /// `queued`, `sent`, `retry`, `gave_up`, `cancelled`.
    pub status: String,
    pub when: When,
    pub answer: String,
}

impl LastDelivery {
    pub fn words(&self) -> String {
        self.status.replace('_', " ")
    }
}

#[derive(Debug, Clone, Default)]
pub struct TestResult {
    pub ok: bool,
    /// The receiver's answer, or why there is none.
    pub answer: String,
    pub took: String,
}

/// A secret in plain text, for the only time.
#[derive(Debug, Clone, Default)]
pub struct NewSecret {
    /// What it is: `Signing secret of deploy-hook`.
    pub what: String,
    pub secret: String,
    /// How to use it, one sentence.
    pub hint: String,
}

/// `GET /channels/new?kind=…` (posts to `/channels`) and `GET /channels/{id}/edit` (posts to the same path).
#[derive(Debug, Template)]
#[template(path = "channels/form.html")]
pub struct ChannelForm {
    pub shell: Shell,
    /// Empty for a new one.
    pub id: String,
    /// Name as stored, for the title of the page; `name` holds what was typed.
    pub stored_name: String,
    pub kind: String,
    pub kind_name: String,
    pub kind_note: String,
    /// Why e-mail cannot work here, naming the setting; empty when it can.
    pub mail_problem: String,
    pub name: Field,
    /// Settings of this kind.
    pub fields: Vec<FormField>,
    pub enabled: bool,
    /// The stored version that is edited, so that a change by somebody else is noticed; empty for a new one.
    pub version: String,
    /// Problems that belong to no field.
    pub problems: Vec<Problem>,
}

impl ChannelForm {
    pub fn is_new(&self) -> bool {
        self.id.is_empty()
    }
}

/// One setting of a kind of channel.
#[derive(Debug, Clone, Default)]
pub struct FormField {
    /// As the API names it: `to`, `url`, `secret`.
    pub name: String,
    pub label: String,
    /// One sentence under the input; may be empty.
    pub help: String,
    pub input: FormInput,
    /// Never the stored secret: a password input starts empty and keeps what is stored when left so.
    pub value: String,
    pub placeholder: String,
    pub required: bool,
    pub problem: Option<Problem>,
}

#[derive(Debug, Clone, Default)]
pub enum FormInput {
    #[default]
    Text,
    /// `type=url`.
    Url,
    /// Several lines.
    Lines,
    /// Fixed width, several lines: a template.
    Code,
    Secret,
    /// Sends `yes`; `value` is `yes` when ticked.
    Tick,
    Select(Vec<Choice>),
}

/// `GET /channels/{id}/delete`; posts to the same path.
#[derive(Debug, Template)]
#[template(path = "channels/delete.html")]
pub struct ChannelDelete {
    pub shell: Shell,
    pub id: String,
    pub name: String,
    /// Monitors that would have no channel left.
    pub left_alone: Vec<Link>,
}
