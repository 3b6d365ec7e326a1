//! Secrets: tokens that are made and hashed, and what is sealed before it is stored.

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chacha20poly1305::{
    XChaCha20Poly1305, XNonce,
    aead::{Aead, KeyInit},
};
use rand::RngExt as _;
use sha2::{Digest, Sha256};

/// A new unguessable token of 32 random bytes, in letters, digits, `-` and `_`.
pub fn new_token() -> String {
    URL_SAFE_NO_PAD.encode(random::<32>())
}

/// A ping key: 22 letters and digits, unguessable (131 bits), easy to select with a double click.
pub fn new_ping_key() -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let mut rng = rand::rng();
    (0..22).map(|_| char::from(ALPHABET[rng.random_range(0..ALPHABET.len())])).collect()
}

/// An id that nobody can guess, for what is named in ping URLs. (Ids that sort by time tell too much.)
pub(crate) fn unguessable_id() -> uuid::Uuid {
    uuid::Builder::from_random_bytes(random()).into_uuid()
}

pub(crate) fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    rand::rng().fill(&mut bytes[..]);
    bytes
}

/// What is kept of a token. Tokens have 256 random bits, so one round of SHA-256 is enough, and comparing hashes in the
/// database tells nothing about them.
pub fn hash(token: &str) -> Vec<u8> {
    Sha256::digest(token.as_bytes()).to_vec()
}

/// Seals and opens the secrets of channels with the key of the instance.
#[derive(Clone)]
pub struct Seal(XChaCha20Poly1305);

impl fmt::Debug for Seal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seal(…)")
    }
}

impl Seal {
    pub fn new(key: &[u8; 32]) -> Self {
        Self(XChaCha20Poly1305::new(key.into()))
    }

    /// A new random key.
    pub fn new_key() -> [u8; 32] {
        random()
    }

    pub(crate) fn seal(&self, secret: &str) -> Vec<u8> {
        let nonce = random::<24>();
        let sealed = self
            .0
            .encrypt(&XNonce::from(nonce), secret.as_bytes())
            .expect("sealing a short text cannot fail");
        [&nonce[..], &sealed].concat()
    }

    /// None when it was sealed with another key or is damaged.
    pub(crate) fn open(&self, sealed: &[u8]) -> Option<String> {
        let (nonce, sealed) = sealed.split_first_chunk::<24>()?;
        String::from_utf8(self.0.decrypt(&XNonce::from(*nonce), sealed).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seals_open_with_their_own_key_only() {
        let (one, other) = (Seal::new(&Seal::new_key()), Seal::new(&Seal::new_key()));
        let sealed = one.seal("whsec_secret");
        assert_eq!(one.open(&sealed).as_deref(), Some("whsec_secret"));
        assert_eq!(other.open(&sealed), None);
        assert_eq!(one.open(&sealed[..10]), None);
    }
}
