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

    /// Whether an exemption or a handover that had effect at `before` has expired at `now`.
    pub fn expires_between(&self, before: Timestamp, now: Timestamp) -> bool {
        let exemptions = self.exemptions.iter().map(|exemption| exemption.expires);
        let handovers = self.handovers.iter().map(|handover| handover.expires);
        exemptions.chain(handovers).flatten().any(|Expiry(end)| before < end && end <= now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_lies_in_one_interval() {
        let config = Config::parse(
            "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n\
             exemptions: [{checks: ['*'], match: {}, reason: any, expires: 2026-12-01}, {checks: ['*'], match: {}, reason: any}]\n\
             handovers: [{host: example.com, from: a, to: b, expires: 2026-12-03}]\n",
        )
        .expect("a valid configuration");
        let days: Vec<Timestamp> =
            (1..=5).map(|day| format!("2026-12-0{day}T00:00:00Z").parse().expect("a time")).collect();
        let ends: Vec<bool> = days.windows(2).map(|days| config.expires_between(days[0], days[1])).collect();
        assert_eq!(ends, [false, true, false, false]);
        assert!(config.expires_between(Timestamp::UNIX_EPOCH, days[0]));
    }
}
