//! Pages for people who are not signed in yet: sign in, one-time link, choose a password.

use askama::Template;

use super::{parts::Field, shell::Shell};

/// `GET /sign-in`; posts `email`, `password`, `next` to `/sign-in`.
#[derive(Debug, Template)]
#[template(path = "sign_in/sign_in.html")]
pub struct SignIn {
    pub shell: Shell,
    /// As typed before; its problem is said above the form and must not tell which of the two was wrong.
    pub email: Field,
    /// Where to go afterwards: a path within this server, checked by the handler; may be empty.
    pub next: String,
    /// Whether anyone may register (links `/sign-up`).
    pub signup: bool,
}

/// `GET /sign-in/{token}`: the landing of a one-time link; only its button (POST to the same path) signs in.
#[derive(Debug, Template)]
#[template(path = "sign_in/one_time.html")]
pub struct OneTime {
    pub shell: Shell,
    /// Who would be signed in; empty when the link is used up or too old.
    pub email: String,
    /// The token of the path.
    pub token: String,
}

/// `GET /password`: choose a password, after a one-time link or an invitation; posts `password`, `again` to `/password`.
#[derive(Debug, Template)]
#[template(path = "sign_in/password.html")]
pub struct SetPassword {
    pub shell: Shell,
    pub email: String,
    /// Never filled back; carries the problem.
    pub password: Field,
    pub again: Field,
    /// Least length, in characters.
    pub least: usize,
    /// Whether it may be left for later (`/`): after a one-time link.
    pub may_skip: bool,
}

/// `GET /sign-up`, where that is open; posts `email`, `password` to `/sign-up`.
#[derive(Debug, Template)]
#[template(path = "sign_in/sign_up.html")]
pub struct SignUp {
    pub shell: Shell,
    pub email: Field,
    pub password: Field,
    pub least: usize,
}
