//! Metrics of the configuration.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Id {
    hash: String,
    max_action: String,
    profile: String,
}

/// Which configuration is in effect, and whether it is the newest one.
#[derive(Debug, Clone, Default)]
pub(super) struct ConfigMetrics {
    info: Family<Id, Gauge>,
    broken: Gauge,
}

impl ConfigMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        let help = "1 for the configuration in effect, by the first digits of the SHA-256 of its text, by profile and by maxAction (`Deny` if it sets none)";
        registry.register("config_info", help, self.info.clone());
        let help = "1 while the newest version of the configuration is invalid or missing and another one is in effect";
        registry.register("config_broken", help, self.broken.clone());
    }

    /// Sets what is in effect, as hash, profile and maximum action, and whether something newer is broken.
    pub(super) fn set(&self, in_effect: Option<(&str, &str, &str)>, is_broken: bool) {
        self.info.clear();
        if let Some((hash, profile, max_action)) = in_effect {
            let [hash, profile, max_action] = [hash, profile, max_action].map(str::to_owned);
            self.info.get_or_create(&Id { hash, max_action, profile }).set(1);
        }
        self.broken.set(i64::from(is_broken));
    }
}
