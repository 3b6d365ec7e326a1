//! Channels: the list with good and bad news, none yet, forms of two kinds, and the question before deleting.

use watchclock_web::pages::views::{
    channels::{
        ChannelDelete, ChannelForm, ChannelList, ChannelRow, FormField, FormInput, KindLink, LastDelivery,
        NewSecret, TestResult,
    },
    parts::{Field, Problem},
    shell::Section,
};

use crate::{Done, Gallery, monitor::link, shell, when};

pub(crate) fn render(gallery: &Gallery) -> Done {
    gallery.page("channels", &list())?;
    gallery.page("channels-none", &ChannelList { rows: Vec::new(), new_secret: None, ..list() })?;
    gallery.page("channel-form-email", &email())?;
    gallery.page("channel-form-webhook", &webhook())?;
    let delete = ChannelDelete {
        shell: shell("Delete On-call mail", Section::Channels),
        id: "1".to_owned(),
        name: "On-call mail".to_owned(),
        left_alone: vec![
            link("monitor.html", "invoice-run", false),
            link("monitor.html", "nightly-sync", false),
        ],
    };
    gallery.page("channel-delete", &delete)
}

fn list() -> ChannelList {
    let row = |id: &str, name: &str, kind: &str, target: &str, used_by: &str| ChannelRow {
        id: id.to_owned(),
        name: name.to_owned(),
        kind: kind.to_owned(),
        kind_name: if kind == "email" { "E-mail" } else { "Webhook" }.to_owned(),
        target: target.to_owned(),
        enabled: true,
        used_by: used_by.to_owned(),
        last: None,
        test: None,
    };
    let last = |status: &str, answer: &str| {
        Some(LastDelivery {
            status: status.to_owned(),
            when: when("2026-11-29T12:04:11Z", "29 Nov 13:04", "1 h ago"),
            answer: answer.to_owned(),
        })
    };
    ChannelList {
        shell: shell("Channels", Section::Channels),
        rows: vec![
            ChannelRow {
                last: last("sent", "250 2.0.0 Ok: queued as 4F1A2B9C"),
                test: Some(TestResult {
                    ok: true,
                    answer: "250 2.0.0 Ok: queued as 77C0D1E2".to_owned(),
                    took: "190 ms".to_owned(),
                }),
                ..row("1", "On-call mail", "email", "admin@example.com", "all monitors")
            },
            ChannelRow {
                last: last("gave_up", "410 Gone"),
                test: Some(TestResult {
                    ok: false,
                    answer: "10.0.0.7 is a private address; WATCHCLOCK_ALLOW_PRIVATE_TARGETS would allow it"
                        .to_owned(),
                    took: String::new(),
                }),
                ..row("2", "deploy-hook", "webhook", "hooks.example.com", "3 monitors")
            },
            ChannelRow {
                enabled: false,
                ..row("3", "old-pager", "webhook", "pager.example.com", "no monitor")
            },
        ],
        kinds: [
            ("email", "E-mail", "One or several addresses."),
            ("webhook", "Webhook", "Signed JSON, posted to a URL."),
        ]
        .map(|(kind, name, note)| KindLink {
            kind: kind.to_owned(),
            name: name.to_owned(),
            note: note.to_owned(),
        })
        .into(),
        mail_problem: "E-mail cannot be sent: WATCHCLOCK_SMTP_URL is not set on this server.".to_owned(),
        may_change: true,
        new_secret: Some(NewSecret {
            what: "Signing secret of deploy-hook".to_owned(),
            secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD".to_owned(),
            hint: "The receiver checks the header webhook-signature with it, as Standard Webhooks describe."
                .to_owned(),
        }),
    }
}

fn email() -> ChannelForm {
    ChannelForm {
        shell: shell("New channel", Section::Channels),
        id: String::new(),
        stored_name: String::new(),
        kind: "email".to_owned(),
        kind_name: "E-mail".to_owned(),
        kind_note: "Sent through smtp.example.com as watchclock@example.com.".to_owned(),
        mail_problem: String::new(),
        name: Field::of("On-call mail"),
        fields: vec![FormField {
            name: "to".to_owned(),
            label: "Addresses, one a line".to_owned(),
            help: "Each gets its own mail, with a link to unsubscribe.".to_owned(),
            input: FormInput::Lines,
            value: "admin@example.com\nadmin@example".to_owned(),
            problem: Some(Problem::of("line 2: the part after @ has no dot")),
            ..FormField::default()
        }],
        enabled: true,
        version: String::new(),
        problems: Vec::new(),
    }
}

fn webhook() -> ChannelForm {
    let field = |name: &str, label: &str, help: &str, input: FormInput| FormField {
        name: name.to_owned(),
        label: label.to_owned(),
        help: help.to_owned(),
        input,
        ..FormField::default()
    };
    ChannelForm {
        shell: shell("Edit deploy-hook", Section::Channels),
        id: "2".to_owned(),
        stored_name: "deploy-hook".to_owned(),
        kind: "webhook".to_owned(),
        kind_name: "Webhook".to_owned(),
        kind_note: "A POST with signed JSON for each alert; any answer from 200 to 299 counts as delivered."
            .to_owned(),
        name: Field::of("deploy-hook"),
        fields: vec![
            FormField {
                value: "https://hooks.example.com/watchclock".to_owned(),
                required: true,
                ..field("url", "URL", "", FormInput::Url)
            },
            FormField {
                placeholder: "stored; leave empty to keep it".to_owned(),
                ..field(
                    "secret",
                    "Signing secret",
                    "Left empty on a new channel, one is made and shown once.",
                    FormInput::Secret,
                )
            },
            FormField {
                placeholder: "X-Team: operations".to_owned(),
                ..field("headers", "Own headers, one a line", "", FormInput::Lines)
            },
            field(
                "template",
                "Body, if not ours",
                "Placeholders such as {{monitor.name}} and {{incident.summary}} are escaped for JSON.",
                FormInput::Code,
            ),
            FormField {
                value: "yes".to_owned(),
                ..field("send_resolved", "Also tell when an incident is resolved", "", FormInput::Tick)
            },
        ],
        ..email()
    }
}
