//! The network that an address belongs to.

use std::net::{IpAddr, Ipv6Addr};

/// Returns the part of an address that identifies one party: all of an IPv4 address, or the first half of an
/// IPv6 address, because its holder has all addresses with that half. `None` when the text is no address.
pub fn of(address: &str) -> Option<String> {
    match address.trim().parse::<IpAddr>().ok()?.to_canonical() {
        IpAddr::V4(address) => Some(address.to_string()),
        IpAddr::V6(address) => {
            let half = Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX));
            Some(format!("{half}/64"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_party_is_one_text() {
        for (address, network) in [
            ("203.0.113.7", "203.0.113.7"),
            (" 203.0.113.7 ", "203.0.113.7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:DB8:1:2::1", "2001:db8:1:2::/64"),
            ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
            ("::1", "::/64"),
        ] {
            assert_eq!(of(address).as_deref(), Some(network), "{address}");
        }
        for text in ["", "somewhere", "203.0.113.7:443", "203.0.113", "2001:db8::/32"] {
            assert_eq!(of(text), None, "{text}");
        }
    }
}
