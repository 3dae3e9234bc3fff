//! Expired parts of a configuration: they have no effect any more and should be removed.

use jiff::Timestamp;

use super::expiry::Validity;
use super::{Config, ConfigError, Expiry};

impl Config {
    /// The exemptions and handovers that have expired at `now`, each with its position in the file.
    pub fn expired(&self, now: Timestamp) -> Vec<ConfigError> {
        let end = |expires: Option<Expiry>| match Expiry::validity(expires, now) {
            Validity::Over => expires.map(|end| end.to_string()),
            Validity::Holds | Validity::EndsSoon => None,
        };
        let exemptions = self.exemptions.iter().filter_map(|exemption| {
            let checks: Vec<&str> = exemption.checks.iter().map(|check| check.as_str()).collect();
            let (from, end) = (checks.join(", "), end(exemption.expires)?);
            Some(
                exemption
                    .reason
                    .error(format!("the exemption from {from} expired {end}: remove it or set a later date")),
            )
        });
        let handovers = self.handovers.iter().filter_map(|handover| {
            let (host, from, to, end) = (handover.host.as_str(), &handover.from, &handover.to, end(handover.expires)?);
            let words =
                format!("the handover of {host} from {from} to {to} expired {end}: remove it or set a later date");
            Some(handover.host.error(words))
        });
        exemptions.chain(handovers).collect()
    }
}
