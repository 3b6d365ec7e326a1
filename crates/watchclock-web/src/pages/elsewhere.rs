//! Links that lead into another project of the reader, as those in mails do. Neighbour: `preferences`, where one chooses.

use axum::{
    http::{HeaderMap, Method, Request, header},
    response::Response,
};
use uuid::Uuid;

use super::{
    cookies::{self, Lasts},
    respond,
    session::Member,
};
use crate::state::Web;

/// What somebody wanted to look at, as far as it may belong to another of their projects.
#[derive(Debug)]
pub(crate) struct Wanted {
    kind: Kind,
    id: Uuid,
    address: String,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Monitor,
    Run,
    Incident,
}

impl Wanted {
    /// A whole page of one thing. A page that refreshes itself changes nobody's project.
    pub(crate) fn of<B>(web: &Web, request: &Request<B>) -> Option<Self> {
        if request.method() != Method::GET || request.headers().contains_key("hx-request") {
            return None;
        }
        let uri = request.extensions().get().map_or(request.uri(), |axum::extract::OriginalUri(uri)| uri);
        // An address that names a project means that one.
        if uri.query().is_some_and(|query| query.contains("project=")) {
            return None;
        }
        let address = uri.path_and_query()?.as_str();
        let address = address.strip_prefix(web.base_path()).unwrap_or(address);
        let mut parts = address.trim_start_matches('/').split(['/', '?']);
        let kind = match parts.next()? {
            "monitors" => Kind::Monitor,
            "runs" => Kind::Run,
            "incidents" => Kind::Incident,
            _ => return None,
        };
        Some(Self { kind, id: Uuid::try_parse(parts.next()?).ok()?, address: address.to_owned() })
    }

    /// The way to it in the project that has it, which is the chosen one from then on; `None` where no project of
    /// the reader's has it.
    pub(crate) async fn lead(&self, web: &Web, headers: &HeaderMap) -> Option<Response> {
        let member = Member::of(web, headers, None).await.ok()?;
        for project in member.others() {
            let watchclock = web.watchclock();
            let is_here = match self.kind {
                Kind::Monitor => watchclock.monitor(project.id, &self.id.to_string()).await.is_ok(),
                Kind::Run => watchclock.run(project.id, self.id).await.is_ok(),
                Kind::Incident => watchclock.incident(project.id, self.id).await.is_ok(),
            };
            if is_here {
                let mut response = respond::to(web, &self.address);
                let cookie = cookies::set(web, cookies::PROJECT, &project.slug, Lasts::Long);
                response.headers_mut().append(header::SET_COOKIE, cookie);
                return Some(response);
            }
        }
        None
    }
}
