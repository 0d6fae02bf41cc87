//! Calls to addresses outside of the product, guarded against forged targets.
//!
//! - Only https, and only public addresses: not this machine, its networks or cloud metadata. The check
//!   happens in the name lookup that the connection then uses, so a name cannot resolve to another address in
//!   between.
//! - Exceptions: a loopback address or `localhost` in the configuration, for a server on the same machine;
//!   and [`Reach::Private`], where the operator allowed private networks.
//! - No redirects, no proxy from the environment, no cookies; the caller limits the size of the response.
//!
//! Deliberately absent: lists of allowed hosts; callers have their own.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Client, Response, Url};

use crate::{Error, Result};

const LOCALHOST: &str = "localhost";

/// Which addresses may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Public addresses only.
    Public,
    /// Public addresses and private networks, also without TLS, but never cloud metadata addresses.
    Private,
}

impl Reach {
    fn allows(self, address: IpAddr) -> bool {
        match self {
            Reach::Public => is_public(address),
            Reach::Private => is_public(address) || is_around_us(address),
        }
    }

    /// Returns whether people may enter this address. Unlike in the configuration, loopback counts as
    /// private.
    pub fn may_call(self, url: &Url) -> bool {
        let plain = url.username().is_empty() && url.password().is_none();
        let Some(host) = url.host_str().filter(|_| plain) else { return false };
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
        let named = address.map_or(self == Reach::Private || host != LOCALHOST, |it| self.allows(it));
        named && (url.scheme() == "https" || (url.scheme() == "http" && self == Reach::Private))
    }
}

/// Creates a client for addresses that people enter; check each with [`Reach::may_call`] before every call.
pub fn client_for(reach: Reach, user_agent: &str, timeout: Duration) -> Result<Client> {
    build(EnteredNames(reach), user_agent, timeout)
}

/// Creates a client for public addresses only.
pub fn client(user_agent: &str, timeout: Duration) -> Result<Client> {
    build(PublicNames, user_agent, timeout)
}

fn build(names: impl Resolve + 'static, user_agent: &str, timeout: Duration) -> Result<Client> {
    crate::install_crypto();
    Client::builder()
        .user_agent(user_agent)
        .timeout(timeout)
        .connect_timeout(timeout)
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy()
        .dns_resolver(names)
        .build()
        .map_err(unbuildable)
}

fn unbuildable(error: reqwest::Error) -> Error {
    let cause = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    if cause.contains("No CA certificates") {
        let text = "This machine has no CA certificates to verify other servers with. Install them, on \
                    Debian with the package ca-certificates.";
        return Error::precondition("CERTIFICATES_MISSING", text).with_source(error);
    }
    Error::internal(error)
}

/// Returns whether an address from the configuration may be called.
pub fn may_be_called(url: &Url) -> bool {
    let plain = url.username().is_empty() && url.password().is_none();
    let Some(host) = url.host_str().filter(|_| plain) else { return false };
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>().ok();
    let loopback = host == LOCALHOST || address.is_some_and(|it| it.is_loopback());
    match url.scheme() {
        "http" => loopback,
        "https" => loopback || address.is_none_or(is_public),
        _ => false,
    }
}

/// Returns the whole response, if it has no more than `max` bytes.
pub async fn body(mut response: Response, max: usize) -> Result<Bytes> {
    let mut body = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(Error::internal)? {
        if body.len() + chunk.len() > max {
            return Err(Error::internal(format!("the answer has more than {max} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

/// Resolves names and drops addresses that are not public.
struct PublicNames;

impl Resolve for PublicNames {
    fn resolve(&self, name: Name) -> Resolving {
        let name = name.as_str().to_owned();
        Box::pin(async move {
            // Port 0 is a placeholder: the connector sets the port.
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let may = |it: &SocketAddr| match name.as_str() {
                LOCALHOST => it.ip().is_loopback(),
                _ => is_public(it.ip()),
            };
            let public: Vec<SocketAddr> = found.filter(may).collect();
            if public.is_empty() {
                return Err(format!("{name} has no public address").into());
            }
            Ok(Box::new(public.into_iter()) as Addrs)
        })
    }
}

/// The error for a name without a permitted address.
#[derive(Debug)]
pub struct NotAllowed(String);

impl std::fmt::Display for NotAllowed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} has no address that may be called", self.0)
    }
}

impl std::error::Error for NotAllowed {}

/// Returns whether a call failed because the host's name has no permitted address.
pub fn is_not_allowed(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if error.is::<NotAllowed>() {
            return true;
        }
        next = error.source();
    }
    false
}

/// Resolves names that people entered.
struct EnteredNames(Reach);

impl Resolve for EnteredNames {
    fn resolve(&self, name: Name) -> Resolving {
        let (name, reach) = (name.as_str().to_owned(), self.0);
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let allowed: Vec<SocketAddr> = found.filter(|it| reach.allows(it.ip())).collect();
            if allowed.is_empty() {
                return Err(NotAllowed(name).into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

/// Returns whether the address is on this machine or a private network, and is no cloud metadata address.
fn is_around_us(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_private() || v4.is_loopback(),
        IpAddr::V6(v6) => v6.is_loopback() || (v6.is_unique_local() && !is_metadata_v6(v6)),
    }
}

/// Where clouds serve metadata and credentials within the private IPv6 networks: Google, Oracle and Scaleway.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
    Ipv6Addr::new(0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42),
];

fn is_metadata_v6(address: Ipv6Addr) -> bool {
    // Amazon has several such services in fd00:ec2::/32.
    matches!(address.segments(), [0xfd00, 0xec2, ..]) || METADATA_V6.contains(&address)
}

/// Returns whether an address is public.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        // In this order: this network, carrier-grade NAT, protocol assignments, old relays, benchmarks,
        // reserved.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240
        // Azure serves its machines from this address.
        || address == Ipv4Addr::new(168, 63, 129, 16);
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(v4) = address.to_ipv4_mapped() {
        return is_public_v4(v4);
    }
    let segments = address.segments();
    match segments[0] {
        // An IPv4 address translated by NAT64: check that IPv4 address.
        0x64 if segments[1] == 0xff9b && segments[2..6] == [0; 4] => {
            let [_, _, _, _, _, _, high, low] = segments;
            is_public_v4(Ipv4Addr::from((u32::from(high) << 16) | u32::from(low)))
        }
        // Excludes documentation addresses, and Teredo and other relays over IPv4.
        0x2001 => segments[1] != 0xdb8 && segments[1] >= 0x200,
        0x2002 | 0x3fff => false,
        // Of the remaining addresses, only 2000::/3 is assigned to public use.
        first => (first & 0xe000) == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_are_given_out_are_public() {
        for public in
            ["1.1.1.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
        {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for private in [
            "0.0.0.0",
            "10.1.2.3",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.168.1.1",
            "100.64.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "168.63.129.16",
            "255.255.255.255",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b::a83f:8110",
            "64:ff9b:1::1",
            "3fff::1",
        ] {
            assert!(!is_public(private.parse().unwrap()), "{private}");
        }
    }

    #[test]
    fn configured_addresses_are_https_or_loopback() {
        let may = |url: &str| may_be_called(&Url::parse(url).unwrap());
        for good in [
            "https://maps.example.com/x",
            "http://127.0.0.1:9/x",
            "http://[::1]:9/x",
            "http://localhost/x",
            "https://1.1.1.1",
        ] {
            assert!(may(good), "{good}");
        }
        for bad in [
            "http://maps.example.com",
            "https://10.0.0.1",
            "https://[fd00::1]",
            "https://169.254.169.254",
            // Unusual spellings of an address are the same address.
            "https://0x0a000001/",
            "https://167772161/",
            "ftp://localhost",
            "file:///etc/passwd",
            "https://user:password@maps.example.com",
            "http://localhost.example.com",
        ] {
            assert!(!may(bad), "{bad}");
        }
    }

    #[tokio::test]
    async fn a_name_that_leads_inside_is_not_followed() {
        let resolve = |name: &str| PublicNames.resolve(name.parse().unwrap());
        // Every machine can resolve this name.
        assert!(resolve("localhost").await.is_ok());
        assert!(resolve("127.0.0.1").await.is_err(), "an address that comes as a name");
        assert!(resolve("169.254.169.254").await.is_err());
        assert!(resolve("::1").await.is_err());
    }

    #[test]
    fn entered_addresses_are_public_unless_the_operator_allows_more() {
        let may = |reach: Reach, url: &str| reach.may_call(&Url::parse(url).unwrap());
        for good in ["https://api.example.com/hook", "https://1.1.1.1/"] {
            assert!(may(Reach::Public, good) && may(Reach::Private, good), "{good}");
        }
        for private in [
            "http://api.example.com",
            "http://127.0.0.1:9/x",
            "https://localhost",
            "https://10.0.0.1",
            "https://[::1]",
            "https://[fd00:42::43]",
            "https://[fd12:ec2::1]",
        ] {
            assert!(!may(Reach::Public, private) && may(Reach::Private, private), "{private}");
        }
        for never in [
            "http://169.254.169.254/latest/meta-data",
            "https://[fd00:ec2::254]/",
            "https://[fd20:ce::254]/",
            "https://[fd00:c1::a9fe:a9fe]/",
            "https://[fd00:42::42]/",
            "https://168.63.129.16/",
            "https://[::ffff:168.63.129.16]/",
            "https://[::ffff:169.254.169.254]/",
            "https://0.0.0.0/",
            "https://user:password@api.example.com",
            "ftp://api.example.com",
        ] {
            assert!(!may(Reach::Public, never) && !may(Reach::Private, never), "{never}");
        }
    }

    #[tokio::test]
    async fn an_entered_name_that_leads_inside_is_told_apart() {
        let resolve = |reach: Reach| EnteredNames(reach).resolve("localhost".parse().unwrap());
        let refused = resolve(Reach::Public).await.err().unwrap();
        assert!(is_not_allowed(refused.as_ref()), "{refused}");
        assert!(resolve(Reach::Private).await.is_ok());
    }
}
