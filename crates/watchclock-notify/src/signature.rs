//! The signature of Standard Webhooks (standardwebhooks.com), so that receivers can check with a library off the shelf.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

const PREFIX: &str = "whsec_";

/// A secret as receivers paste it: `whsec_` and base64. The caller brings the randomness.
pub fn webhook_secret(bytes: &[u8; 32]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(bytes))
}

/// The key inside a secret, or what is wrong with the secret.
pub(crate) fn key(secret: &str) -> Result<Vec<u8>, &'static str> {
    let encoded = secret.strip_prefix(PREFIX).ok_or("a signing secret begins with whsec_")?;
    let key = STANDARD.decode(encoded).map_err(|_| "after whsec_, a signing secret is base64")?;
    if (24..=64).contains(&key.len()) {
        Ok(key)
    } else {
        Err("a signing secret holds 24 to 64 bytes in base64")
    }
}

/// The value of `webhook-signature` for one message; `timestamp` in seconds since 1970.
pub(crate) fn sign(key: &[u8], id: &str, timestamp: i64, body: &[u8]) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes keys of any length");
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vector that the Standard Webhooks specification and its reference libraries publish.
    #[test]
    fn signs_as_published() {
        let key = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = sign(&key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn secrets_are_checked() {
        assert!(key(&webhook_secret(&[7; 32])).is_ok());
        assert!(key("hunter2").unwrap_err().contains("whsec_"));
        assert!(key("whsec_!!").unwrap_err().contains("base64"));
        assert!(key("whsec_aGk=").unwrap_err().contains("24"));
    }
}
