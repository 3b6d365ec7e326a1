//! Finds the programs of an installed PostgreSQL, of the version that the data needs; nothing is ever downloaded.

use std::path::{self, Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

use crate::error::StartError;

/// What the migrations may rely on, and what the tests run on.
const OLDEST_MAJOR: u32 = 15;

/// Programs of one installation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binaries {
    pub(crate) dir: PathBuf,
    pub(crate) major: u32,
}

impl Binaries {
    /// The newest usable installation, or the one that matches existing data.
    ///
    /// `cluster` is PostgreSQL's data directory, which need not exist yet.
    pub(crate) fn find(bin_dir: Option<&Path>, cluster: &Path) -> Result<Self, StartError> {
        let chosen = bin_dir
            .map(Path::to_path_buf)
            .or_else(|| env::var_os("WATCHCLOCK_PG_BIN_DIR").map(PathBuf::from));
        let candidates = chosen.map_or_else(usual_places, |dir| vec![path::absolute(&dir).unwrap_or(dir)]);
        let mut found: Vec<Self> = candidates.into_iter().filter_map(Self::at).collect();
        found.sort_by_key(|binaries| std::cmp::Reverse(binaries.major)); // stable: earlier places win
        select(&found, major_of_data(cluster), cluster)
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn at(dir: PathBuf) -> Option<Self> {
        if !dir.join("initdb").is_file() {
            return None;
        }
        let output =
            Command::new(dir.join("postgres")).arg("--version").stderr(Stdio::null()).output().ok()?;
        let major = major_of_version(&String::from_utf8_lossy(&output.stdout))?;
        Some(Self { dir, major })
    }
}

fn select(found: &[Binaries], data: Option<u32>, cluster: &Path) -> Result<Binaries, StartError> {
    let usable = || found.iter().filter(|binaries| binaries.major >= OLDEST_MAJOR);
    match data {
        _ if usable().next().is_none() => Err(StartError::NotInstalled {
            found: found.iter().map(|old| format!("{} in {}", old.major, old.dir.display())).collect(),
        }),
        None => Ok(usable().next().expect("the arm above has seen one").clone()),
        Some(data) => usable().find(|binaries| binaries.major == data).cloned().ok_or_else(|| {
            let mut installed: Vec<u32> = found.iter().map(|binaries| binaries.major).collect();
            installed.dedup();
            StartError::WrongVersion { data, installed, cluster: cluster.to_path_buf() }
        }),
    }
}

/// The major version that wrote the data, if there is data.
pub(crate) fn major_of_data(cluster: &Path) -> Option<u32> {
    fs::read_to_string(cluster.join("PG_VERSION")).ok()?.trim().split('.').next()?.parse().ok()
}

/// `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)` is 15, `… 18beta1` is 18.
fn major_of_version(output: &str) -> Option<u32> {
    let number = output.split_once("(PostgreSQL)")?.1.trim_start();
    number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn usual_places() -> Vec<PathBuf> {
    let mut places = Vec::new();
    for (parent, prefix, below) in [
        ("/usr/lib/postgresql", "", "bin"),         // Debian, Ubuntu
        ("/usr", "pgsql-", "bin"),                  // the PostgreSQL project's RPMs
        ("/usr/lib", "postgresql", "bin"),          // openSUSE
        ("/usr/libexec", "postgresql", ""),         // Alpine
        ("/opt/homebrew/opt", "postgresql", "bin"), // macOS on ARM
        ("/usr/local/opt", "postgresql", "bin"),    // macOS on Intel
        ("/Applications/Postgres.app/Contents/Versions", "", "bin"), // macOS
        ("/usr/local", "pgsql", "bin"),             // from source
    ] {
        let entries = fs::read_dir(parent).into_iter().flatten().flatten();
        places.extend(
            entries
                .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
                .map(|entry| entry.path().join(below)),
        );
    }
    places.extend(env::var_os("PATH").iter().flat_map(env::split_paths));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn installed(majors: &[u32]) -> Vec<Binaries> {
        majors.iter().map(|&major| Binaries { dir: PathBuf::from(format!("/pg/{major}")), major }).collect()
    }

    fn chosen(majors: &[u32], data: Option<u32>) -> Result<u32, StartError> {
        select(&installed(majors), data, Path::new("/data")).map(|binaries| binaries.major)
    }

    #[test]
    fn takes_the_newest_or_the_one_that_wrote_the_data() {
        assert_eq!(chosen(&[17, 15], None).unwrap(), 17);
        assert_eq!(chosen(&[17, 15], Some(15)).unwrap(), 15);
    }

    #[test]
    fn a_new_major_is_never_tried_on_old_data() {
        let error = chosen(&[17], Some(15)).unwrap_err();
        assert!(matches!(&error, StartError::WrongVersion { data: 15, installed, .. } if *installed == [17]));
        assert!(error.to_string().contains("watchclock backup"), "{error}");
    }

    #[test]
    fn says_what_to_install() {
        let error = chosen(&[13], None).unwrap_err().to_string();
        assert!(error.contains("found only 13 in /pg/13"), "{error}");
        assert!(error.contains("apt-get install postgresql") && error.contains("DATABASE_URL"), "{error}");
    }

    #[test]
    fn reads_versions() {
        assert_eq!(major_of_version("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n"), Some(15));
        assert_eq!(major_of_version("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(major_of_version("something else 9"), None);
    }
}
