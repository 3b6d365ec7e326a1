//! Keys of the API: listing, adding (shown once), revoking.

use axum::extract::{Path, State};
use watchclock_service::key::{ApiKey, KeyRole};

use super::{
    errors::PageResult,
    fields::{Fields, Form},
    flash::Note,
    moments::Moments,
    problems::Problems,
    respond,
    runs::id,
    session::Member,
    views::{
        channels::NewSecret,
        parts::Choice,
        settings::{KeyRow, KeySettings},
        shell::Section,
    },
};
use crate::state::Web;

/// `GET /settings/keys`
pub(crate) async fn show(State(web): State<Web>, mut member: Member) -> PageResult {
    let once = member.once.take();
    Ok(respond::page(&view(&web, &member, once, &Fields::default(), Problems::default()).await?))
}

async fn view(
    web: &Web,
    member: &Member,
    new_key: Option<NewSecret>,
    form: &Fields,
    mut problems: Problems,
) -> PageResult<KeySettings> {
    let moments = Moments::utc(web.watchclock().now());
    let keys = web.watchclock().keys(member.project.id).await?;
    let role = form.some("role").unwrap_or("read");
    Ok(KeySettings {
        shell: member.shell(web, "API keys", Section::Settings).await?,
        keys: keys.iter().map(|key| row(key, &moments)).collect(),
        name: problems.field("name", form.get("name")),
        roles: [("read", "read"), ("write", "read and change everything"), ("ping", "send pings only")]
            .map(|(value, label)| Choice::of(value, label, value == role))
            .into(),
        new_key,
        example: format!("curl -H \"Authorization: Bearer $WATCHCLOCK_KEY\" {}", web.url("/v1/monitors")),
        may_edit: member.owns().is_ok(),
    })
}

fn row(key: &ApiKey, moments: &Moments) -> KeyRow {
    KeyRow {
        id: key.id.to_string(),
        name: key.name.clone(),
        hint: format!("{}…", key.shown),
        role: key.role.clone(),
        created: moments.short(key.created_at),
        last_used: key.last_used_at.map(|at| moments.short(at)),
    }
}

/// `POST /settings/keys`
pub(crate) async fn add(State(web): State<Web>, member: Member, Form(form): Form) -> PageResult {
    member.owns()?;
    let role = KeyRole::from_word(form.get("role")).unwrap_or(KeyRole::Read);
    match web.watchclock().add_key(member.project.id, form.get("name"), role).await {
        Ok((key, token)) => {
            let once = Note::Once(NewSecret {
                what: format!("Key {}", key.name),
                secret: token,
                hint: "Send it as Authorization: Bearer KEY.".to_owned(),
            });
            Ok(respond::to_with(&web, "/settings/keys", &once))
        }
        Err(error) => {
            let problems = Problems::of(error)?;
            Ok(respond::wrong(&view(&web, &member, None, &form, problems).await?))
        }
    }
}

/// `POST /settings/keys/{id}/revoke`
pub(crate) async fn revoke(State(web): State<Web>, member: Member, Path(key): Path<String>) -> PageResult {
    member.owns()?;
    web.watchclock().remove_key(member.project.id, id(&key)?).await?;
    let note = Note::good("The key is revoked; whatever used it is refused from now on.");
    Ok(respond::to_with(&web, "/settings/keys", &note))
}
