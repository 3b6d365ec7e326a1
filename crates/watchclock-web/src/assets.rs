//! Style, script, icons: compiled in, named by their content, cached for ever; templates link them through [`asset_url`].

use std::{fmt::Write as _, io::Write as _, sync::LazyLock};

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

/// Sent with every asset: the path changes when the content does.
pub const CACHE_CONTROL: &str = "public, max-age=31536000, immutable";

/// One file under `/static/`.
#[derive(Debug)]
pub struct Asset {
    /// File name as templates ask for it: `app.css`.
    pub name: &'static str,
    /// What stands in the path before the name: twelve hex digits of the SHA-256.
    pub hash: String,
    pub content_type: &'static str,
    pub body: &'static [u8],
    /// The body for `Accept-Encoding: gzip`, where that is smaller.
    pub gzip: Option<Vec<u8>>,
}

impl Asset {
    fn new(name: &'static str, content_type: &'static str, body: &'static [u8]) -> Self {
        let hash = hex(&Sha256::digest(body)[..6]);
        Self { name, hash, content_type, body, gzip: gzip(body).filter(|zipped| zipped.len() < body.len()) }
    }

    /// For `ETag`; weak, because both encodings share it.
    pub fn etag(&self) -> String {
        format!("W/\"{}\"", self.hash)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // writing to a String cannot fail
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn gzip(body: &[u8]) -> Option<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(body).ok()?;
    encoder.finish().ok()
}

macro_rules! file {
    ($name:literal, $content_type:expr, $path:literal) => {
        Asset::new($name, $content_type, include_bytes!(concat!("../../../static/", $path)))
    };
}

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

static ASSETS: LazyLock<[Asset; 6]> = LazyLock::new(|| {
    [
        file!("app.css", CSS, "app.css"),
        file!("app.js", JS, "app.js"),
        file!("complete.js", JS, "complete.js"),
        file!("htmx.js", JS, "vendor/htmx.min.js"),
        file!("icons.svg", SVG, "icons.svg"),
        file!("favicon.svg", SVG, "favicon.svg"),
    ]
});

/// Every asset, for tools that copy them.
pub fn all() -> &'static [Asset] {
    &*ASSETS
}

/// The asset behind what follows `/static/`: `a1b2c3d4e5f6/app.css`. A stale hash finds nothing,
/// so that no cache ever keeps new content under an old name.
pub fn find(path: &str) -> Option<&'static Asset> {
    let (hash, name) = path.split_once('/')?;
    ASSETS.iter().find(|asset| asset.name == name && asset.hash == hash)
}

/// Where a page finds an asset. `base` is empty or `/watch`. A name that does not exist yields a path that answers 404.
pub fn asset_url(base: &str, name: &str) -> String {
    let hash = ASSETS.iter().find(|asset| asset.name == name).map_or("missing", |asset| &asset.hash);
    format!("{base}/static/{hash}/{name}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_asset_is_found_where_its_url_points() {
        for asset in all() {
            let url = asset_url("/watch", asset.name);
            let path = url.strip_prefix("/watch/static/").unwrap();
            assert_eq!(find(path).unwrap().name, asset.name);
        }
        assert!(find("000000000000/app.css").is_none());
        assert!(find("app.css").is_none());
    }

    #[test]
    fn gzip_is_kept_only_where_it_helps() {
        for asset in all() {
            assert!(
                asset.gzip.as_ref().is_none_or(|zipped| zipped.len() < asset.body.len()),
                "{}",
                asset.name
            );
        }
    }

    /// The vendored file is what its checksum file says.
    #[test]
    fn vendored_files_match_their_checksums() {
        let sums = include_str!("../../../static/vendor/SHA256SUMS");
        let htmx = all().iter().find(|asset| asset.name == "htmx.js").unwrap();
        let hash = hex(&Sha256::digest(htmx.body));
        assert!(sums.contains(&format!("{hash}  htmx.min.js")));
    }

    /// No style or script may be inline; what htmx would add or evaluate is switched off in the shell.
    #[test]
    fn our_script_never_evaluates_text() {
        for name in ["app.js", "complete.js"] {
            let own = all().iter().find(|asset| asset.name == name).unwrap();
            let own = std::str::from_utf8(own.body).unwrap();
            assert!(!own.contains("eval(") && !own.contains("new Function") && !own.contains("innerHTML"));
        }
    }
}
