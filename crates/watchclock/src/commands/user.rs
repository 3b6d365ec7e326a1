//! `watchclock user`: people who can sign in.

use anyhow::Context as _;

use super::{password_from_stdin, with_watchclock};
use crate::config::{Settings, UserCommand};

pub(crate) async fn run(settings: &Settings, command: UserCommand) -> anyhow::Result<()> {
    with_watchclock(settings, async |watchclock| {
        match command {
            UserCommand::Add { email, admin, password_stdin } => {
                let password = if password_stdin { Some(password_from_stdin()?) } else { None };
                let user = watchclock.add_user(&email, admin, password.as_deref()).await?;
                if password.is_none() {
                    let path = watchclock.new_sign_in_link(user.id).await?;
                    println!("{}{path}", watchclock.settings().base_url);
                    eprintln!("The link signs {} in once, within a day.", user.email);
                }
            }
            UserCommand::List { json } => {
                let users = watchclock.users().await?;
                if json {
                    let users: Vec<serde_json::Value> = users
                        .iter()
                        .map(|user| {
                            serde_json::json!({ "email": user.email, "admin": user.is_admin, "created_at": user.created_at })
                        })
                        .collect();
                    println!("{}", serde_json::to_string_pretty(&users)?);
                } else {
                    for user in users {
                        println!("{}{}", user.email, if user.is_admin { "  (admin)" } else { "" });
                    }
                }
            }
            UserCommand::Passwd { email, password_stdin } => {
                let user = watchclock.user_by_email(&email).await.with_context(|| format!("{email} is not known"))?;
                if password_stdin {
                    watchclock.set_password(user.id, &password_from_stdin()?, None).await?;
                } else {
                    let path = watchclock.new_sign_in_link(user.id).await?;
                    println!("{}{path}", watchclock.settings().base_url);
                    eprintln!("The link signs {} in once, within a day; set the password there.", user.email);
                }
            }
            UserCommand::Remove { email } => {
                watchclock.remove_user(&email).await.with_context(|| format!("{email} is not known"))?;
            }
        }
        Ok(())
    })
    .await
}
