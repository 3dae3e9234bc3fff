//! IP addresses.

use std::net::{IpAddr, Ipv6Addr};

/// Whether `text` is an IP address. Leading zeros are allowed: current parsers reject them, but some proxies accept
/// them.
pub fn is_ip(text: &str) -> bool {
    is_sloppy_ipv4(text) || text.parse::<Ipv6Addr>().is_ok()
}

/// Whether `text` is an IP address that all parsers interpret alike: without leading zeros, and not an IPv4-mapped IPv6
/// address.
pub fn is_strict_ip(text: &str) -> bool {
    match text.parse() {
        Ok(IpAddr::V4(_)) => true,
        Ok(IpAddr::V6(address)) => address.to_ipv4_mapped().is_none(),
        Err(_) => false,
    }
}

/// Four numbers up to 255, separated by dots. Unlike the parser of the standard library, this accepts any number of
/// leading zeros.
fn is_sloppy_ipv4(text: &str) -> bool {
    let is_octet = |part: &str| {
        let significant = part.trim_start_matches('0');
        part.bytes().all(|byte| byte.is_ascii_digit())
            && !part.is_empty()
            && (significant.is_empty() || significant.parse::<u8>().is_ok())
    };
    // The first byte decides for most names.
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.split('.').all(is_octet)
        && text.split('.').count() == 4
}
