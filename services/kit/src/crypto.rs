//! ring as the one TLS provider of the process.
//!
//! rustls asks for a process-wide provider when a client is built without one; our crates are
//! compiled without a default. Tests have no `main`, so whoever builds a client calls this.

use std::sync::Once;

/// Makes ring the provider of rustls. Calling it again does nothing.
pub fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Fails only when something else installed a provider first, which then stays.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}
