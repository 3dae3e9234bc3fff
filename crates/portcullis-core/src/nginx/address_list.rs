//! Lists of client addresses in annotations.

use std::net::IpAddr;

/// A list of networks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressList(Vec<(IpAddr, u8)>);

impl AddressList {
    /// Parses networks separated by commas and skips invalid ones; `None` if none is valid, for which the controller
    /// denies the location.
    pub fn parse(written: &str) -> Option<Self> {
        let networks: Vec<_> = written.split(',').filter_map(|network| parse(network.trim())).collect();
        (!networks.is_empty()).then_some(Self(networks))
    }

    /// Whether the list contains `address`.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|(network, length)| prefix(*network, *length) == prefix(address, *length))
    }
}

fn parse(network: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = match network.split_once('/') {
        Some((address, length)) => (address.parse::<IpAddr>().ok()?, length.parse().ok()?),
        None => {
            let address: IpAddr = network.parse().ok()?;
            (address, if address.is_ipv4() { 32 } else { 128 })
        }
    };
    (length <= if address.is_ipv4() { 32 } else { 128 }).then_some((address, length))
}

/// The first bits of an address, with its family.
fn prefix(address: IpAddr, length: u8) -> (bool, u128) {
    let (bits, size) = match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    };
    (address.is_ipv4(), bits.checked_shr(size - u32::from(length)).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_contains_its_addresses() {
        let list = AddressList::parse("127.0.0.0/8, x, 2001:db8::/32,10.0.0.1").expect("three networks");
        let contains = |text: &str| list.contains(text.parse().expect("an address"));
        assert!(contains("127.1.2.3") && contains("2001:db8::1") && contains("10.0.0.1"));
        assert!(!contains("10.0.0.2") && !contains("128.0.0.1") && !contains("::7f00:1"));
        assert_eq!(AddressList::parse("not-an-ip"), None);
        assert!(AddressList::parse("0.0.0.0/0").is_some_and(|all| all.contains(IpAddr::from([1, 2, 3, 4]))));
    }
}
