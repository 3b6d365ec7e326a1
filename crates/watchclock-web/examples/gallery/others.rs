//! Doors, settings and refusals.

use watchclock_web::pages::views::{
    channels::NewSecret,
    error::{ErrorPage, Refusal},
    parts::{Choice, Fact, Field},
    settings::{
        About, AccountSettings, KeyRow, KeySettings, MemberRow, MemberSettings, Part, PartState,
        ProjectSettings, SessionRow,
    },
    shell::{ProjectChoice, Section, Shell},
    sign_in::{OneTime, SetPassword, SignIn, SignUp},
};

use crate::{Done, Gallery, guest, shell, when};

pub(crate) fn render(gallery: &Gallery) -> Done {
    doors(gallery)?;
    settings(gallery)?;
    for (name, refusal) in [
        ("error-404", Refusal::NotFound),
        ("error-403", Refusal::Forbidden),
        ("error-csrf", Refusal::CrossSite),
        ("error-500", Refusal::Broken),
        ("error-503", Refusal::Unavailable),
    ] {
        let shell = if refusal == Refusal::Unavailable { guest("") } else { shell("", Section::Nowhere) };
        gallery.page(name, &ErrorPage::of(shell, refusal, "0193f1ab"))?;
    }
    Ok(())
}

fn doors(gallery: &Gallery) -> Done {
    let email = Field::of("admin@example.com").wrong("E-mail or password is not right.");
    gallery.page(
        "sign-in",
        &SignIn { shell: guest("Sign in"), email: Field::default(), next: String::new(), signup: true },
    )?;
    gallery.page(
        "sign-in-wrong",
        &SignIn { shell: guest("Sign in"), email, next: "/incidents".to_owned(), signup: false },
    )?;
    gallery.page(
        "one-time",
        &OneTime { shell: guest("Sign in"), email: "admin@example.com".to_owned(), token: "t".to_owned() },
    )?;
    gallery.page(
        "one-time-used",
        &OneTime { shell: guest("Sign in"), email: String::new(), token: String::new() },
    )?;
    gallery.page(
        "sign-up",
        &SignUp { shell: guest("Sign up"), email: Field::default(), password: Field::default(), least: 10 },
    )?;
    let password = Field::default().wrong("4 characters are too few: 10 at least.");
    gallery.page(
        "password",
        &SetPassword {
            shell: guest("Choose a password"),
            email: "admin@example.com".to_owned(),
            password,
            again: Field::default(),
            least: 10,
            may_skip: true,
        },
    )
}

fn settings(gallery: &Gallery) -> Done {
    let frame = || Shell {
        projects: vec![ProjectChoice { slug: "home".to_owned(), name: "Home server".to_owned() }],
        ..shell("Settings", Section::Settings)
    };
    gallery.page(
        "settings",
        &ProjectSettings {
            shell: frame(),
            name: Field::of("Acme operations"),
            keep_runs: Field::of("500"),
            keep_days: Field::of("90"),
            keep_output_days: Field::default(),
            slug: "acme".to_owned(),
            ping_key: "wcp_h3Kd9sQ2".to_owned(),
            ping_prefix: "https://watch.example.com/ping/wcp_h3Kd9sQ2/".to_owned(),
            may_edit: true,
        },
    )?;
    let key = |name: &str, hint: &str, role: &str, used: bool| KeyRow {
        id: "1".to_owned(),
        name: name.to_owned(),
        hint: hint.to_owned(),
        role: role.to_owned(),
        created: when("2026-11-02T08:00:00Z", "2 Nov 09:00", ""),
        last_used: used.then(|| when("2026-11-29T12:00:00Z", "29 Nov 13:00", "1 h ago")),
    };
    let roles = vec![
        Choice::of("read", "read", true),
        Choice::of("write", "write", false),
        Choice::of("ping", "ping only", false),
    ];
    gallery.page(
        "settings-keys",
        &KeySettings {
            shell: frame(),
            keys: vec![
                key("deploy pipeline", "wck_7Qa…", "write", true),
                key("status page", "wck_x91…", "read", false),
            ],
            name: Field::default(),
            roles: roles.clone(),
            new_key: Some(NewSecret {
                what: "Key of status page".to_owned(),
                secret: "wck_x91pQmR7tYbV3nKcLs0dZfHa".to_owned(),
                hint: String::new(),
            }),
            may_edit: true,
            example:
                "curl -H \"Authorization: Bearer $WATCHCLOCK_KEY\" https://watch.example.com/v1/monitors"
                    .to_owned(),
        },
    )?;
    let member = |email: &str, role: &str, is_you: bool| MemberRow {
        id: "1".to_owned(),
        email: email.to_owned(),
        role: role.to_owned(),
        is_you,
        last_seen: Some(when("2026-11-29T12:00:00Z", "29 Nov 13:00", "1 h ago")),
    };
    gallery.page(
        "settings-members",
        &MemberSettings {
            shell: frame(),
            members: vec![
                member("admin@example.com", "admin", true),
                member("ops@example.com", "read", false),
            ],
            email: Field::of("ops@example.com").wrong("is a member already"),
            roles,
            new_link: None,
            may_edit: true,
        },
    )?;
    let session = |device: &str, is_this: bool| SessionRow {
        id: "1".to_owned(),
        device: device.to_owned(),
        started: when("2026-11-02T08:00:00Z", "2 Nov 09:00", ""),
        last_seen: when("2026-11-29T12:00:00Z", "29 Nov 13:00", "1 h ago"),
        is_this,
    };
    gallery.page(
        "settings-account",
        &AccountSettings {
            shell: frame(),
            current: Field::default(),
            password: Field::default(),
            again: Field::default(),
            least: 10,
            has_password: true,
            sessions: vec![session("Firefox on Linux", true), session("Safari on iOS", false)],
        },
    )?;
    let part = |name: &str, state: PartState, words: &str| Part {
        name: name.to_owned(),
        state,
        words: words.to_owned(),
    };
    gallery.page(
        "settings-about",
        &About {
            shell: frame(),
            gaps: Vec::new(),
            parts: vec![
                part("Evaluator", PartState::Working, "last tick 2 s ago"),
                part("Deliveries", PartState::NotWorking, "the oldest has waited for 6 min"),
                part("Database", PartState::Working, "answers in 0.4 ms"),
                part("Mail", PartState::NotSetUp, "for alerts by e-mail, set WATCHCLOCK_SMTP_URL"),
            ],
            facts: vec![
                Fact::of("Version", "0.1.0"),
                Fact::of("Time zones", "tz database 2026f, bundled"),
                Fact::of("Database", "PostgreSQL 18.1, private, in watchclock-data"),
                Fact::of("Address", "https://watch.example.com"),
                Fact::of("Running since", "29 Nov 08:12 (5 h 53 min)"),
                Fact::of("Monitors", "33"),
            ],
        },
    )
}
