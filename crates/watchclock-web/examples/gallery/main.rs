//! Renders every page with believable data into a folder, to be looked at: `cargo run --example gallery -- FOLDER`.
//!
//! Serve the folder over HTTP (`python3 -m http.server`); browsers refuse icon sprites from `file://`.

mod channels;
mod drawings;
mod incidents;
mod monitor;
mod monitor_form;
mod monitors;
mod others;
mod run;

use std::{error::Error, fs, path::Path};

use askama::Template;
use watchclock_web::{
    assets,
    pages::views::{
        parts::When,
        shell::{Banner, Flash, Section, Shell},
    },
};

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "target/gallery".to_owned());
    let gallery = Gallery { folder: Path::new(&folder) };
    for asset in assets::all() {
        let path = gallery.folder.join("static").join(&asset.hash);
        fs::create_dir_all(&path)?;
        fs::write(path.join(asset.name), asset.body)?;
    }
    monitors::render(&gallery)?;
    monitor::render(&gallery)?;
    monitor_form::render(&gallery)?;
    run::render(&gallery)?;
    incidents::render(&gallery)?;
    channels::render(&gallery)?;
    others::render(&gallery)?;
    println!("{folder}");
    Ok(())
}

struct Gallery<'a> {
    folder: &'a Path,
}

impl Gallery<'_> {
    fn page(&self, name: &str, view: &impl Template) -> Done {
        fs::write(self.folder.join(name).with_extension("html"), view.render()?)?;
        Ok(())
    }
}

/// The frame of a signed-in person, with nothing wrong.
fn shell(title: &str, section: Section) -> Shell {
    Shell {
        title: title.to_owned(),
        project: "Acme operations".to_owned(),
        section,
        user: "admin@example.com".to_owned(),
        open_incidents: 4,
        version: "0.1.0".to_owned(),
        ..Shell::default()
    }
}

/// The same on a bad day.
fn troubled_shell(title: &str, section: Section) -> Shell {
    Shell {
        banners: vec![
            Banner {
                severe: true,
                text: "The evaluator has not ticked for 45 s: nothing is being watched.".to_owned(),
                href: "/docs/troubles".to_owned(),
            },
            Banner {
                severe: false,
                text: "Deliveries are stuck: the oldest has waited for 6 min.".to_owned(),
                href: String::new(),
            },
        ],
        flash: Some(Flash {
            bad: false,
            text: "nightly-sync is paused. The next ping resumes it.".to_owned(),
        }),
        ..shell(title, section)
    }
}

fn guest(title: &str) -> Shell {
    Shell { title: title.to_owned(), version: "0.1.0".to_owned(), ..Shell::default() }
}

fn when(utc: &str, text: &str, ago: &str) -> When {
    When { utc: utc.to_owned(), text: text.to_owned(), ago: ago.to_owned() }
}

fn texts(list: &[&str]) -> Vec<String> {
    list.iter().map(|&text| text.to_owned()).collect()
}
