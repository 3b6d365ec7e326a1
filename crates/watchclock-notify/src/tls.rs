//! TLS for mail and webhooks alike: one provider (ring), and the system's certificates or, where there are none, bundled ones.
//!
//! The system comes first so that private authorities count, also those named by `SSL_CERT_FILE`; a minimal container
//! image has no certificates at all, and its alerts should still leave.

use std::io;
use std::sync::Arc;

use lettre::transport::smtp::Error as SmtpError;
use lettre::transport::smtp::client::{CertificateStore, TlsParameters};
use rustls::{ClientConfig, RootCertStore};

/// Makes ring the process-wide provider, unless the binary chose one before.
pub(crate) fn install_provider() {
    // an error means that there is one already
    let _ = rustls::crypto::ring::default_provider().install_default();
}

/// For HTTP, without asking the system.
pub(crate) fn bundled() -> Result<ClientConfig, rustls::Error> {
    let roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// For SMTP to `host`.
pub(crate) fn smtp(host: &str) -> Result<TlsParameters, SmtpError> {
    TlsParameters::new(host.to_owned()).or_else(|_| {
        TlsParameters::builder(host.to_owned()).certificate_store(CertificateStore::WebpkiRoots).build()
    })
}

/// The TLS error at the bottom of another one.
pub(crate) fn cause<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        // an I/O error hides what it was made of from `source()`
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let found = inside.and_then(|inside| inside.downcast_ref()).or_else(|| error.downcast_ref());
        if found.is_some() {
            return found;
        }
        next = error.source();
    }
    None
}
