//! Makes the crate ring the only TLS provider of the process.
//!
//! rustls needs a process-wide provider when a client is built without one, and our crates are compiled
//! without a default. Tests have no `main`, so all code that builds a client must call [`install_crypto`].

use std::sync::Once;

/// Makes ring the provider of rustls; idempotent.
pub fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails only if another provider was installed first; that provider stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
