//! Metrics of the configuration.

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Id {
    hash: String,
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
        let help = "1 for the configuration in effect, by the first digits of the SHA-256 of its text and by profile";
        registry.register("config_info", help, self.info.clone());
        let help = "1 while the newest version of the configuration is invalid or missing and another one is in effect";
        registry.register("config_broken", help, self.broken.clone());
    }

    /// Sets what is in effect, as hash and profile, and whether something newer is broken.
    pub(super) fn set(&self, in_effect: Option<(&str, &str)>, is_broken: bool) {
        self.info.clear();
        if let Some((hash, profile)) = in_effect {
            self.info.get_or_create(&Id { hash: hash.to_owned(), profile: profile.to_owned() }).set(1);
        }
        self.broken.set(i64::from(is_broken));
    }
}
