//! Which Gateway API a cluster has: the release of its CRDs and their channel, which decide what the API server itself refuses.

use std::fmt;

use crate::config::{BundleChannel, BundleVersion, GatewayBundle};

/// The annotation of each CRD that names the release.
pub const VERSION_ANNOTATION: &str = "gateway.networking.k8s.io/bundle-version";
/// The annotation of each CRD that names the channel.
pub const CHANNEL_ANNOTATION: &str = "gateway.networking.k8s.io/channel";

/// How much of the Gateway API a CRD holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// What is stable.
    Standard,
    /// That, and what is tried out.
    Experimental,
}

/// A release of the Gateway API's CRDs, such as 1.6 of the standard channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundle {
    /// Major and minor number.
    pub release: (u16, u16),
    /// The channel.
    pub channel: Channel,
}

impl Bundle {
    /// The newest release that is known here, of the standard channel: what the offline doors take for given.
    pub const NEWEST: Self = Self { release: (1, 7), channel: Channel::Standard };

    /// The bundle of a CRD with these two annotations, such as `v1.6.3` and `standard`.
    ///
    /// ```
    /// use portcullis_core::bundle::{Bundle, Channel};
    ///
    /// let bundle = Bundle::parse("v1.6.3", "standard").unwrap();
    /// assert_eq!((bundle.release, bundle.channel), ((1, 6), Channel::Standard));
    /// assert_eq!(Bundle::parse("latest", "standard"), None);
    /// ```
    pub fn parse(version: &str, channel: &str) -> Option<Self> {
        let BundleVersion(major, minor) = BundleVersion::parse(version)?;
        let channel = match channel {
            "standard" => Channel::Standard,
            "experimental" => Channel::Experimental,
            _ => return None,
        };
        Some(Self { release: (major, minor), channel })
    }
}

impl From<GatewayBundle> for Bundle {
    fn from(configured: GatewayBundle) -> Self {
        let BundleVersion(major, minor) = configured.version;
        let channel = match configured.channel {
            BundleChannel::Standard => Channel::Standard,
            BundleChannel::Experimental => Channel::Experimental,
        };
        Self { release: (major, minor), channel }
    }
}

impl fmt::Display for Bundle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let channel = match self.channel {
            Channel::Standard => "standard",
            Channel::Experimental => "experimental",
        };
        write!(f, "v{}.{} {channel}", self.release.0, self.release.1)
    }
}

/// What the schemas of a kind are, and whether an API server applied them before we are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstalledSchema {
    /// The bundle.
    pub bundle: Bundle,
    /// Whether what it refuses never comes here.
    pub enforced: bool,
}

impl InstalledSchema {
    /// What a CRD with these two annotations refuses never comes here. One that does not say what it is, and one of a release that nobody
    /// here knows, counts as the newest.
    pub fn of_crd(version: &str, channel: &str) -> Self {
        Self { bundle: Bundle::parse(version, channel).unwrap_or(Bundle::NEWEST), enforced: true }
    }

    /// The schema is taken to be that of `bundle`, and nobody has applied it.
    pub const fn assumed(bundle: Bundle) -> Self {
        Self { bundle, enforced: false }
    }
}

/// Since when a CRD itself refuses what a check finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enforced {
    /// The first release that does.
    pub since: (u16, u16),
    /// The channel that is needed: `Experimental` where the standard one does not.
    pub channel: Channel,
}

impl Enforced {
    /// In both channels of every bundle that is supported.
    pub const ALWAYS: Self = Self { since: (1, 4), channel: Channel::Standard };

    /// In both channels since a release.
    pub const fn since(major: u16, minor: u16) -> Self {
        Self { since: (major, minor), channel: Channel::Standard }
    }

    /// In the experimental channel alone, since a release.
    pub const fn experimental(major: u16, minor: u16) -> Self {
        Self { since: (major, minor), channel: Channel::Experimental }
    }

    /// Whether a bundle refuses it.
    pub fn holds_in(self, bundle: Bundle) -> bool {
        bundle.release >= self.since && bundle.channel >= self.channel
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crd_enforces_what_its_release_and_channel_hold() {
        let of = |version, channel| InstalledSchema::of_crd(version, channel);
        let holds = |enforced: Enforced, schema: InstalledSchema| schema.enforced && enforced.holds_in(schema.bundle);
        let old = of("v1.4.1", "standard");
        assert!(holds(Enforced::ALWAYS, old));
        assert!(!holds(Enforced::since(1, 5), old));
        assert!(!holds(Enforced::ALWAYS, of("v1.3.0", "experimental")), "a release that is not supported");
        assert!(!holds(Enforced::experimental(1, 4), old));
        assert!(holds(Enforced::experimental(1, 4), of("v1.4.1", "experimental")));
        // Nobody here knows what they hold, so they hold all.
        for unknown in [of("v1.12.0-rc.1", "standard"), of("v2.0.0", "standard"), of("", ""), of("main", "standard")] {
            assert!(holds(Enforced::since(1, 7), unknown), "{unknown:?}");
        }
    }
}
