//! One struct per template: plain text, flags and lists, nothing that a template would have to decide.
//!
//! Handlers fill them. Words of the domain (`healthy`, `failed`, `critical` …) are passed as they are written in the
//! API; they pick class and mark in the templates. Text is escaped there; nothing here is HTML.

pub mod calendars;
pub mod channels;
pub mod docs;
pub mod error;
pub mod incident_page;
pub mod incidents;
pub mod maintenance;
pub mod monitor_form;
pub mod monitor_page;
pub mod monitors;
pub mod parts;
pub mod rules;
pub mod run_page;
pub mod settings;
pub mod shell;
pub mod sign_in;

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use askama::Template;

    use super::{
        error::{ErrorPage, Refusal},
        shell::Shell,
    };

    fn templates() -> Vec<(String, String)> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../templates");
        let mut folders = vec![root];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    // mails need inline styles
                    folders.extend((!path.ends_with("mail")).then_some(path));
                } else if path.extension().is_some_and(|extension| extension == "html") {
                    found.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
                }
            }
        }
        found
    }

    /// The content policy allows no inline style, script or handler: a page that needs one would break silently.
    #[test]
    fn no_template_has_anything_inline() {
        let templates = templates();
        assert!(templates.len() > 20);
        for (path, text) in templates {
            for forbidden in [
                " style=",
                "<style",
                "<script>",
                "javascript:",
                " onclick",
                " onsubmit",
                " onchange",
                "hx-on",
            ] {
                assert!(!text.contains(forbidden), "{path}: {forbidden}");
            }
        }
    }

    /// Behind a sub-path every address of ours begins with the base.
    #[test]
    fn no_template_forgets_the_base_path() {
        for (path, text) in templates() {
            for forbidden in ["href=\"/", "action=\"/", "src=\"/", "hx-get=\"/", "hx-post=\"/"] {
                assert!(!text.contains(forbidden), "{path}: {forbidden}");
            }
        }
    }

    #[test]
    fn what_people_typed_is_escaped_and_the_base_is_kept() {
        let shell = Shell {
            base: "/watch".to_owned(),
            project: "<b>\"&'".to_owned(),
            user: "admin@example.com".to_owned(),
            ..Shell::default()
        };
        let page = ErrorPage::of(shell, Refusal::NotFound, "<i>").render().unwrap();
        assert!(!page.contains("<b>\"&'") && !page.contains("<i>"));
        assert!(page.contains("href=\"/watch/incidents\"") && page.contains("\"/watch/static/"));
        assert!(page.starts_with("<!doctype html>"));
    }
}
