//! What every page has around it: bar, navigation, banners, flash; and the links to assets.

use crate::assets;

/// The frame of a page. Build it once per request, then set `title` and `section`.
#[derive(Debug, Clone, Default)]
pub struct Shell {
    /// Path prefix without a slash at its end: empty or `/watch`.
    pub base: String,
    /// What the page is, for the browser's tab: `nightly-sync`.
    pub title: String,
    /// Name of the current project.
    pub project: String,
    /// The other projects of this person; the menu lists them (POST `/project` with `project`).
    pub projects: Vec<ProjectChoice>,
    pub section: Section,
    /// `light`, `dark`, or empty for what the system prefers; from the cookie `theme`.
    pub theme: String,
    /// E-mail address of the person who is signed in; empty shows no navigation.
    pub user: String,
    /// How many incidents are open in this project; shown in the navigation.
    pub open_incidents: u64,
    /// What just happened, once, after a redirect.
    pub flash: Option<Flash>,
    /// Troubles of Watchclock itself, on every page.
    pub banners: Vec<Banner>,
    /// Version of this server, in the foot.
    pub version: String,
}

/// A project to switch to.
#[derive(Debug, Clone, Default)]
pub struct ProjectChoice {
    pub slug: String,
    pub name: String,
}

/// Which entry of the navigation is lit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Section {
    #[default]
    Nowhere,
    Monitors,
    Incidents,
    Channels,
    Settings,
}

/// A message that is shown once.
#[derive(Debug, Clone, Default)]
pub struct Flash {
    /// Whether it tells of something that did not work.
    pub bad: bool,
    pub text: String,
}

/// `The evaluator has not ticked for 45 s: nothing is being watched.`
#[derive(Debug, Clone, Default)]
pub struct Banner {
    /// Whether Watchclock is not doing its work (red), or only part of it is slow (amber).
    pub severe: bool,
    pub text: String,
    /// Where to read more, with the base path; may be empty.
    pub href: String,
}

impl Shell {
    /// Path of an asset, with its hash.
    pub fn asset(&self, name: &str) -> String {
        assets::asset_url(&self.base, name)
    }

    /// Path of one symbol of the icon sprite.
    pub fn icon(&self, name: &str) -> String {
        format!("{}#{name}", assets::asset_url(&self.base, "icons.svg"))
    }

    /// What the theme button switches to without a script: system, then dark, then light.
    pub fn next_theme(&self) -> &'static str {
        match self.theme.as_str() {
            "dark" => "light",
            "light" => "system",
            _ => "dark",
        }
    }

    pub fn signed_in(&self) -> bool {
        !self.user.is_empty()
    }

    pub fn is_monitors(&self) -> bool {
        self.section == Section::Monitors
    }

    pub fn is_incidents(&self) -> bool {
        self.section == Section::Incidents
    }

    pub fn is_channels(&self) -> bool {
        self.section == Section::Channels
    }

    pub fn is_settings(&self) -> bool {
        self.section == Section::Settings
    }
}
