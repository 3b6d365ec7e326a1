//! Who looks at a page: the person that a session's cookie names, the project they look at, and the frame of their pages.

use axum::{
    extract::{ConnectInfo, FromRequestParts, OriginalUri},
    http::{HeaderMap, Method, request::Parts},
};
use watchclock_service::{account::User, member::Role, project::Project};

use super::{
    cookies,
    errors::{PageError, PageResult},
    fields::Fields,
    flash,
    views::{
        channels::NewSecret,
        shell::{Banner, Flash, ProjectChoice, Section, Shell},
    },
};
use crate::{ping, state::Web};

/// Somebody who is signed in, in one of their projects.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) user: User,
    pub(crate) project: Project,
    pub(crate) role: Role,
    /// Of their session.
    pub(crate) token: String,
    /// A secret that was just made, to be shown on this page.
    pub(crate) once: Option<NewSecret>,
    projects: Vec<Project>,
    guest: Guest,
}

impl Member {
    /// Finds out who sent a request. `project` is a slug that the address asks for.
    pub(crate) async fn of(web: &Web, headers: &HeaderMap, project: Option<&str>) -> PageResult<Self> {
        let nobody = || PageError::SignIn { next: String::new() };
        let token = token(web, headers).ok_or_else(nobody)?;
        let user = web.watchclock().session_user(&token).await?.ok_or_else(nobody)?;
        let projects = web.watchclock().visible_projects(&user).await?;
        let chosen = cookies::read(headers, cookies::PROJECT);
        let by_slug = |slug: &str| projects.iter().find(|project| project.slug == slug);
        let project = match project {
            Some(slug) => by_slug(slug).ok_or(PageError::NotFound)?,
            None => chosen.as_deref().and_then(by_slug).or(projects.first()).ok_or(PageError::NoProject)?,
        };
        let project = project.clone();
        let role = web.watchclock().role(project.id, &user).await?.ok_or(PageError::NotFound)?;
        let once = flash::once(headers);
        Ok(Self { user, project, role, token, once, projects, guest: Guest::of(headers) })
    }

    /// Refuses those who may only look.
    pub(crate) fn may_change(&self) -> PageResult<()> {
        if self.role >= Role::Member { Ok(()) } else { Err(PageError::Forbidden) }
    }

    /// Refuses those who do not own the project.
    pub(crate) fn owns(&self) -> PageResult<()> {
        if self.role == Role::Owner { Ok(()) } else { Err(PageError::Forbidden) }
    }

    /// The projects that this person may see.
    pub(crate) fn sees(&self, slug: &str) -> bool {
        self.projects.iter().any(|project| project.slug == slug)
    }

    /// The projects that this person may see, but the one they look at.
    pub(crate) fn others(&self) -> impl Iterator<Item = &Project> {
        self.projects.iter().filter(|project| project.id != self.project.id)
    }

    /// The frame of a page.
    pub(crate) async fn shell(&self, web: &Web, title: &str, section: Section) -> PageResult<Shell> {
        let watchclock = web.watchclock();
        Ok(Shell {
            project: self.project.name.clone(),
            projects: self
                .others()
                .map(|project| ProjectChoice { slug: project.slug.clone(), name: project.name.clone() })
                .collect(),
            section,
            user: self.user.email.clone(),
            open_incidents: watchclock.count_open_incidents(self.project.id).await?,
            banners: banners(web, watchclock.troubles().await?.0),
            ..self.guest.shell(web, title)
        })
    }
}

impl FromRequestParts<Web> for Member {
    type Rejection = PageError;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, PageError> {
        let query = Fields::parse(parts.uri.query().unwrap_or_default().as_bytes());
        Self::of(web, &parts.headers, query.some("project")).await.map_err(|error| match error {
            // Only what was looked at can be looked at afterwards; a form would have to be sent again.
            PageError::SignIn { .. } if matches!(parts.method, Method::GET | Method::HEAD) => {
                PageError::SignIn { next: asked_for(parts) }
            }
            other => other,
        })
    }
}

fn asked_for(parts: &Parts) -> String {
    let uri = parts.extensions.get::<OriginalUri>().map_or(&parts.uri, |OriginalUri(uri)| uri);
    uri.path_and_query().map(|path| path.as_str().to_owned()).unwrap_or_default()
}

/// The token of a request's session.
pub(crate) fn token(web: &Web, headers: &HeaderMap) -> Option<String> {
    cookies::read(headers, cookies::session(web)).filter(|token| !token.is_empty() && token.len() <= 100)
}

/// Anybody, signed in or not.
#[derive(Debug, Clone, Default)]
pub(crate) struct Guest {
    theme: String,
    flash: Option<Flash>,
}

impl Guest {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let theme =
            cookies::read(headers, cookies::THEME).filter(|theme| theme == "dark" || theme == "light");
        Self { theme: theme.unwrap_or_default(), flash: flash::flash(headers) }
    }

    /// The frame of a page without navigation.
    pub(crate) fn shell(&self, web: &Web, title: &str) -> Shell {
        Shell {
            base: web.base_path().to_owned(),
            title: title.to_owned(),
            theme: self.theme.clone(),
            flash: self.flash.clone(),
            version: web.settings().version.to_owned(),
            ..Shell::default()
        }
    }
}

impl FromRequestParts<Web> for Guest {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &Web) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.headers))
    }
}

/// From where a request came and with what, for the session and for counting tries.
#[derive(Debug)]
pub(crate) struct Visitor {
    pub(crate) addr: String,
    pub(crate) user_agent: String,
}

impl FromRequestParts<Web> for Visitor {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, web: &Web) -> Result<Self, Self::Rejection> {
        let peer = parts.extensions.get::<ConnectInfo<std::net::SocketAddr>>();
        let peer =
            peer.map_or(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), |ConnectInfo(peer)| peer.ip());
        let user_agent = parts.headers.get(axum::http::header::USER_AGENT);
        Ok(Self {
            addr: ping::client(peer, &parts.headers, &web.settings().trusted_proxies),
            user_agent: user_agent
                .map(|text| String::from_utf8_lossy(text.as_bytes()).into_owned())
                .unwrap_or_default(),
        })
    }
}

/// Troubles of the instance, for every page.
fn banners(web: &Web, troubles: Vec<String>) -> Vec<Banner> {
    let banner = |trouble: String| {
        let mut letters = trouble.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
        Banner {
            // Late deliveries are a nuisance; a loop that stands still means that nobody watches.
            severe: !trouble.starts_with(|letter: char| letter.is_ascii_digit()),
            text: format!("{first}{}.", letters.as_str()),
            href: format!("{}/docs/operate", web.base_path()),
        }
    };
    troubles.into_iter().map(banner).collect()
}
