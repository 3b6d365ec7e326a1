//! `WATCHCLOCK_SMTP_URL`: which mail server, how it is protected, who we are there. Talking to it is in `conversation.rs`.

use std::borrow::Cow;
use std::fmt;

use lettre::transport::smtp::authentication::Credentials;
use percent_encoding::percent_decode_str;
use url::Url;
use watchclock_domain::problem::{Problem, did_you_mean};

/// The setting, as people set it.
pub(crate) const SETTING: &str = "WATCHCLOCK_SMTP_URL";

/// When the connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Security {
    /// From the first byte: `smtps://`.
    Implicit,
    /// `smtp://`: STARTTLS where the server offers it.
    WhenOffered,
    /// `smtp://…?tls=required`: STARTTLS, or no mail.
    Required,
    /// `smtp://…?tls=none`.
    Never,
}

/// A mail server.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) security: Security,
    pub(crate) credentials: Option<Credentials>,
    /// What must not appear in any answer, whatever the server echoes.
    pub(crate) secrets: Vec<String>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("security", &self.security)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl Server {
    /// Reads the setting. Without a port: 465 for `smtps`, 587 where a user is given, 25 for a plain relay.
    pub(crate) fn parse(setting: &str) -> Result<Self, Vec<Problem>> {
        let problem = |message: String| Problem::new(SETTING, message);
        // the parser's own words never repeat the input, which holds a password
        let url = Url::parse(setting.trim()).map_err(|error| {
            vec![problem(format!(
                "this is not a URL ({error}); write smtps://user:password@host or smtp://host:587, \
                 with @ / ? # and % in the password written as %40 %2F %3F %23 and %25"
            ))]
        })?;
        let mut problems = Vec::new();
        let mut security = match url.scheme() {
            "smtps" => Security::Implicit,
            "smtp" => Security::WhenOffered,
            other => {
                let hint = did_you_mean(other, ["smtp", "smtps"]).unwrap_or("smtp");
                problems.push(problem(format!("{other}:// is no mail server; did you mean {hint}://?")));
                Security::WhenOffered
            }
        };
        let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            problems.push(problem("the host is missing: smtps://user:password@host".to_owned()));
        }
        if !matches!(url.path(), "" | "/") || url.fragment().is_some() {
            problems.push(problem(
                "nothing may follow the host and port but ?tls=…; is there a / ? or # in the password? \
                 Write it as %2F, %3F or %23"
                    .to_owned(),
            ));
        }
        for (name, value) in url.query_pairs() {
            match (&*name, &*value, security) {
                ("tls", "required", Security::Implicit) => {}
                ("tls", "none", Security::Implicit) => {
                    problems
                        .push(problem("smtps:// is always encrypted; use smtp:// with tls=none".to_owned()));
                }
                ("tls", "required", _) => security = Security::Required,
                ("tls", "none", _) => security = Security::Never,
                ("tls", ..) => problems.push(problem("tls is either required or none".to_owned())),
                _ => problems.push(problem("the only option after ? is tls".to_owned())),
            }
        }
        let credentials = decoded(url.username()).zip(decoded(url.password().unwrap_or_default()));
        if credentials.is_none() {
            problems.push(problem("user and password are not UTF-8 after decoding their %".to_owned()));
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let (user, password) = credentials.unwrap_or_default();
        let default_port = match (security, user.is_empty()) {
            (Security::Implicit, _) => 465,
            (_, false) => 587,
            (_, true) => 25,
        };
        // the answer of AUTH PLAIN carries both in one base64 text
        let plain = format!("\0{user}\0{password}");
        let secrets = if password.is_empty() { Vec::new() } else { vec![plain, password.clone()] };
        Ok(Self {
            host,
            port: url.port().unwrap_or(default_port),
            security,
            credentials: (!user.is_empty()).then(|| Credentials::new(user, password)),
            secrets,
        })
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(setting: &str) -> String {
        let problems = Server::parse(setting).expect_err(setting);
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn reads_what_people_write() {
        for (setting, shown, security) in [
            ("smtps://u:p@mail.example.org", "mail.example.org:465", Security::Implicit),
            ("smtp://u:p@mail.example.org", "mail.example.org:587", Security::WhenOffered),
            ("smtp://localhost", "localhost:25", Security::WhenOffered),
            ("smtp://127.0.0.1:1025/", "127.0.0.1:1025", Security::WhenOffered),
            ("smtp://[::1]:2525?tls=none", "[::1]:2525", Security::Never),
            ("smtp://mail.example.org:587?tls=required", "mail.example.org:587", Security::Required),
            ("smtps://mail.example.org?tls=required", "mail.example.org:465", Security::Implicit),
        ] {
            let server = Server::parse(setting).expect(setting);
            assert_eq!((server.to_string().as_str(), server.security), (shown, security), "{setting}");
        }
    }

    #[test]
    fn credentials_are_percent_decoded() {
        let server =
            Server::parse("smtps://ops%40example.org:p%40ss%2Fw%C3%B6rd%25@mail.example.org").unwrap();
        let expected = Credentials::new("ops@example.org".to_owned(), "p@ss/wörd%".to_owned());
        assert!(server.credentials == Some(expected));
        let server = Server::parse("smtp://user@mail.example.org").unwrap();
        assert!(server.credentials == Some(Credentials::new("user".to_owned(), String::new())));
    }

    #[test]
    fn names_every_problem_and_no_password() {
        let said = problems("smpt://u:hunter2@mail.example.org/x?tls=maybe&pool=3");
        assert!(said.contains("did you mean smtp://"), "{said}");
        assert!(said.contains("nothing may follow"), "{said}");
        assert!(said.contains("required or none"), "{said}");
        assert!(said.contains("only option"), "{said}");
        for setting in ["smtps://u:hunter2#x@mail.example.org", "smtps://u:hunt/er2@h", "hunter2", "smtp://"]
        {
            let said = problems(setting);
            assert!(said.contains(SETTING) && !said.contains("hunt"), "{said}");
        }
        assert!(problems("smtps://h?tls=none").contains("always encrypted"));
    }

    #[test]
    fn debug_hides_the_password() {
        let server = Server::parse("smtps://u:hunter2@mail.example.org").unwrap();
        assert!(!format!("{server:?}").contains("hunter2"));
    }
}
