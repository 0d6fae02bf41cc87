//! The cookie with a session's secret: its names, and to which pages' requests browsers add it.

use http::header::COOKIE;
use http::{HeaderMap, HeaderValue, Uri};
use kit::config::Http;

/// The cookie's names at a default port, over plain and secure connections. Earlier releases used them at every
/// port.
const PLAIN: &str = "session";
const SECURE: &str = "__Host-session";
/// The attributes that make browsers delete a cookie.
const DEAD: &str = "Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT";

/// The session cookie of this installation.
pub struct Cookies {
    plain: String,
    secure: String,
    /// Whether pages of another site may sign in. Browsers accept such a cookie over https only.
    is_cross_site: bool,
}

impl Cookies {
    pub fn new(config: &Http) -> Self {
        let public = config.public_url.parse::<Uri>().ok();
        // Browsers send a host's cookies to all of its ports. With one name, installations at two ports of a
        // host would overwrite each other's cookie.
        let suffix = port(config, public.as_ref()).map(|port| format!("_{port}")).unwrap_or_default();
        Self {
            plain: format!("{PLAIN}{suffix}"),
            secure: format!("{SECURE}{suffix}"),
            is_cross_site: config.allowed_origins.iter().any(|origin| is_elsewhere(public.as_ref(), origin)),
        }
    }

    /// Returns the session's secret from the cookie.
    pub fn secret<'a>(&self, headers: &'a HeaderMap, https: bool) -> Option<&'a str> {
        value(headers, self.name(https)).or_else(|| value(headers, old_name(https)))
    }

    /// Returns the cookie of a new session; `None` if the secret is not valid in a cookie.
    pub fn live(&self, secret: &str, https: bool, seconds: i64, expires: &str) -> Option<HeaderValue> {
        let plain = |b: u8| b.is_ascii_graphic() && !matches!(b, b';' | b',' | b'"' | b'\\');
        if secret.is_empty() || !secret.bytes().all(plain) {
            return None;
        }
        let lifetime = format!("Max-Age={seconds}; Expires={expires}");
        let mut value = self.set(self.name(https), secret, https, &lifetime)?;
        value.set_sensitive(true);
        Some(value)
    }

    /// Returns cookies that delete those of this installation in a browser that signs out. A cookie with a name of
    /// earlier releases is deleted only if it had the session: it may belong to an installation at another port.
    pub fn dead(&self, headers: &HeaderMap, https: bool) -> impl Iterator<Item = HeaderValue> {
        let is_old = value(headers, self.name(https)).is_none() && value(headers, old_name(https)).is_some();
        [true, false]
            .into_iter()
            .filter_map(move |https| self.set(self.name(https), "", https, DEAD))
            .chain(is_old.then(|| self.set(old_name(https), "", https, DEAD)).flatten())
    }

    fn name(&self, https: bool) -> &str {
        if https { &self.secure } else { &self.plain }
    }

    fn set(&self, name: &str, secret: &str, https: bool, lifetime: &str) -> Option<HeaderValue> {
        let secure = if https { "; Secure" } else { "" };
        let same_site = if https && self.is_cross_site { "None" } else { "Lax" };
        let text = format!("{name}={secret}; Path=/; HttpOnly; SameSite={same_site}; {lifetime}{secure}");
        HeaderValue::try_from(text).ok()
    }
}

fn old_name(https: bool) -> &'static str {
    if https { SECURE } else { PLAIN }
}

/// Returns the port at which browsers reach this installation, unless it is a default one. It is not known
/// behind a proxy whose address is not configured.
fn port(config: &Http, public: Option<&Uri>) -> Option<u16> {
    let port = match public {
        Some(public) => public.port_u16(),
        None => (config.trusted_proxies == 0).then_some(config.port),
    };
    port.filter(|port| !matches!(port, 80 | 443))
}

/// Returns whether an allowed origin may be on another site than the public address. Which domains are public
/// suffixes is not known here, so only a host, its parents and its subdomains are surely on one site.
fn is_elsewhere(public: Option<&Uri>, origin: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else { return false };
    let is_on_one_site = |public: &Uri| {
        let hosts = public.host().zip(origin.host());
        public.scheme() == origin.scheme()
            && hosts.is_some_and(|(ours, theirs)| is_within(ours, theirs) || is_within(theirs, ours))
    };
    !public.is_some_and(is_on_one_site)
}

/// Returns whether a host is a domain or one of its subdomains.
fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

fn value<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find(|(key, value)| *key == name && !value.is_empty())
        .map(|(_, value)| value)
}
