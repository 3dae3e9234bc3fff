//! The Gateway API of a cluster: the release and channel of its CRDs, which decide what the API server itself rejects.

use std::fmt;
use std::ops::RangeInclusive;

use crate::config::{BundleChannel, BundleVersion, GatewayBundle};

/// The annotation of each CRD with the release.
pub const VERSION_ANNOTATION: &str = "gateway.networking.k8s.io/bundle-version";
/// The annotation of each CRD with the channel.
pub const CHANNEL_ANNOTATION: &str = "gateway.networking.k8s.io/channel";

/// The channel of a CRD of the Gateway API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// Stable features only.
    Standard,
    /// Stable and experimental features.
    Experimental,
}

/// A release of the Gateway API's CRDs, such as release 1.6 in the standard channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bundle {
    /// The major and minor version.
    pub release: (u16, u16),
    /// The channel.
    pub channel: Channel,
}

impl Bundle {
    /// The newest known release in the standard channel, which offline commands assume.
    pub const NEWEST: Self = Self { release: (1, 7), channel: Channel::Standard };

    /// Parses the values of the two annotations of a CRD, such as `v1.6.3` and `standard`.
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

/// The supported releases.
const SUPPORTED: RangeInclusive<(u16, u16)> = (1, 4)..=Bundle::NEWEST.release;

/// The schemas of a kind, and whether an API server applies them before a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstalledSchema {
    /// The bundle.
    pub bundle: Bundle,
    /// Whether the API server applies the schema, so that objects that it rejects never reach a review.
    pub enforced: bool,
    /// Whether the CRD says of which bundle it is, and the bundle is a supported one.
    pub supported: bool,
}

impl InstalledSchema {
    /// Returns the schema of a CRD with these two annotations, which the API server applies. A CRD without these
    /// annotations, or with an unknown release, counts as the newest one.
    pub fn of_crd(version: &str, channel: &str) -> Self {
        let bundle = Bundle::parse(version, channel);
        let supported = bundle.is_some_and(|bundle| SUPPORTED.contains(&bundle.release));
        Self { bundle: bundle.unwrap_or(Bundle::NEWEST), enforced: true, supported }
    }

    /// Returns the schema as it is for objects that no API server has validated yet; `None` if the CRD does not say of which
    /// bundle it is, so that a bundle must be assumed.
    ///
    /// ```
    /// use portcullis_core::bundle::InstalledSchema;
    ///
    /// let schema = InstalledSchema::of_crd("v1.6.3", "standard").unapplied().unwrap();
    /// assert!(!schema.enforced);
    /// assert_eq!(InstalledSchema::of_crd("", "").unapplied(), None);
    /// ```
    pub fn unapplied(self) -> Option<Self> {
        // Only a CRD without a readable bundle counts as the newest one and is not supported.
        let is_known = self.supported || self.bundle != Bundle::NEWEST;
        is_known.then_some(Self { enforced: false, ..self })
    }

    /// Returns the assumed schema of `bundle`, which no API server has applied.
    pub const fn assumed(bundle: Bundle) -> Self {
        Self { bundle, enforced: false, supported: false }
    }
}

/// The release and channel since which a CRD itself rejects what a check finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Enforced {
    /// The first such release.
    pub since: (u16, u16),
    /// The required channel: `Experimental` if the CRD of the standard channel does not reject it.
    pub channel: Channel,
}

impl Enforced {
    /// Both channels of every supported bundle.
    pub const ALWAYS: Self = Self { since: (1, 4), channel: Channel::Standard };

    /// Both channels since a release.
    pub const fn since(major: u16, minor: u16) -> Self {
        Self { since: (major, minor), channel: Channel::Standard }
    }

    /// Only the experimental channel, since a release.
    pub const fn experimental(major: u16, minor: u16) -> Self {
        Self { since: (major, minor), channel: Channel::Experimental }
    }

    /// Whether the CRDs of a bundle reject it.
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
        // The content of unknown releases is not known, so they count as rejecting everything.
        for unknown in [of("v1.12.0-rc.1", "standard"), of("v2.0.0", "standard"), of("", ""), of("main", "standard")] {
            assert!(holds(Enforced::since(1, 7), unknown), "{unknown:?}");
        }
    }
}
