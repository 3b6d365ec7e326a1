//! The key that seals secrets of channels: given, or made once in the data directory.

use std::{fs, io::Write as _, path::Path};

use anyhow::{Context as _, bail};
use watchclock_service::secret::Seal;

use crate::config::{Settings, one_of};

/// Name of the file in the data directory.
const FILE: &str = "secret.key";

pub(crate) fn seal(settings: &Settings) -> anyhow::Result<Seal> {
    let mut problems = Vec::new();
    let given = one_of(
        "WATCHCLOCK_SECRET_KEY",
        settings.secret_key.as_ref(),
        settings.secret_key_file.as_deref(),
        &mut problems,
    );
    if let Some(problem) = problems.pop() {
        bail!("{problem}");
    }
    let text = match given {
        Some(text) => text,
        None => kept(&settings.data_dir)?,
    };
    Ok(Seal::new(&key(text.trim()).context("the secret key must be 64 hexadecimal digits")?))
}

/// The key of the data directory, made when there is none. Another process may make it at the same time: the first wins.
fn kept(data_dir: &Path) -> anyhow::Result<String> {
    let path = data_dir.join(FILE);
    if !path.exists() {
        fs::create_dir_all(data_dir).with_context(|| format!("{} cannot be made", data_dir.display()))?;
        let text = Seal::new_key().iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
        let fresh = data_dir.join(format!("{FILE}.{}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file =
            options.open(&fresh).with_context(|| format!("{} cannot be written", fresh.display()))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        // A hard link fails where the name exists, so nobody's key is overwritten.
        let linked = fs::hard_link(&fresh, &path);
        fs::remove_file(&fresh)?;
        if let Err(error) = linked
            && !path.exists()
        {
            return Err(error).with_context(|| format!("{} cannot be written", path.display()));
        }
    }
    fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
}

fn key(text: &str) -> Option<[u8; 32]> {
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    let mut key = [0; 32];
    for (byte, at) in key.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&text[at..at + 2], 16).ok()?;
    }
    Some(key)
}
