//! IP addresses.

use std::net::{IpAddr, Ipv6Addr};

/// Whether `text` is an IP address, also with leading zeros: what today's parsers refuse, some proxy still reads.
pub fn is_ip(text: &str) -> bool {
    is_sloppy_ipv4(text) || text.parse::<Ipv6Addr>().is_ok()
}

/// Whether `text` is an IP address that everybody reads alike: no leading zeros, and no IPv4 address in the clothes of IPv6.
pub fn is_strict_ip(text: &str) -> bool {
    match text.parse() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Err(_) => false,
    }
}

/// Four numbers up to 255 with dots between them; unlike the standard library's reader it takes any number of leading zeros.
fn is_sloppy_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| {
        let significant = part.trim_start_matches('0');
        part.bytes().all(|byte| byte.is_ascii_digit())
            && !part.is_empty()
            && (significant.is_empty() || significant.parse::<u8>().is_ok())
    };
    // Most names are told by their first byte.
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.split('.').all(is_octet)
        && text.split('.').count() == 4
}
