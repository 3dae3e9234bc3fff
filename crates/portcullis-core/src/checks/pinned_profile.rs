//! The profile of a configuration, pinned to a release or not, and the action that it gives each check.

use super::{Check, Profile, Release};
use crate::config::{ConfigError, Spanned};
use crate::finding::{Action, Actions};

/// The check of what only the design document of IngressRoute rejects.
const DOCUMENT_RULE: &str = "ingress-route/strategy-conflict";

/// A profile, and what changes its actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PinnedProfile {
    /// The profile.
    pub profile: Profile,
    /// Checks that were added or became stricter after this release only warn.
    pub release: Option<Release>,
    /// Whether it denies what only the design document of IngressRoute rejects (`status.strictDocument`).
    pub strict_document: bool,
}

/// Parses `baseline` or `baseline@0.1`.
pub fn pinned(written: Option<&Spanned<String>>) -> Result<PinnedProfile, ConfigError> {
    let of = |profile, release| PinnedProfile { profile, release, strict_document: false };
    let Some(written) = written else { return Ok(of(Profile::Baseline, None)) };
    let (name, release) = match written.split_once('@') {
        Some((name, release)) => (name, Some(parse_release(written, release)?)),
        None => (written.as_str(), None),
    };
    let profile = Profile::ALL.into_iter().find(|profile| profile.name() == name);
    let names = Profile::ALL.map(Profile::name);
    let profile =
        profile.ok_or_else(|| Spanned { value: name.to_owned(), at: written.at.clone() }.unknown("profile", names))?;
    Ok(of(profile, release))
}

fn parse_release(written: &Spanned<String>, release: &str) -> Result<Release, ConfigError> {
    let current = Release::current();
    let parsed =
        release.split_once('.').and_then(|(major, minor)| Some(Release(major.parse().ok()?, minor.parse().ok()?)));
    match parsed {
        Some(release) if release < Release::FIRST => {
            Err(written.error(format!("release {release} does not exist; the first is {}", Release::FIRST)))
        }
        Some(release) if release <= current => Ok(release),
        Some(_) => Err(written.error(format!("profile is pinned to release {release}, but this is release {current}"))),
        None => Err(written.error(format!("`{release}` is not a valid release: use a form such as {current}"))),
    }
}

impl Release {
    /// The release of the first checks.
    pub const FIRST: Self = Self(0, 1);

    /// The release of this program.
    pub fn current() -> Self {
        let number = |text: &str| text.parse().expect("cargo's own version numbers are numbers");
        Self(number(env!("CARGO_PKG_VERSION_MAJOR")), number(env!("CARGO_PKG_VERSION_MINOR")))
    }
}

impl PinnedProfile {
    /// The action of `check` in the profile, before the configuration overrides it.
    pub fn action(&self, check: &Check) -> Action {
        let actions = if self.is_stricter_for(check) { Actions::DENY } else { check.actions };
        self.capped(check, actions.of(self.profile))
    }

    /// Whether `status.strictDocument` raises the action of `check`.
    pub(super) fn is_stricter_for(&self, check: &Check) -> bool {
        self.strict_document && check.id == DOCUMENT_RULE
    }

    /// `action`, reduced to a warning if the check was added or became stricter after the pinned release.
    pub fn capped(&self, check: &Check, action: Action) -> Action {
        let Some(pin) = self.release else { return action };
        let grew = check.stricter.iter().any(|(release, profile)| *release > pin && *profile == self.profile);
        if check.since > pin || grew { action.min(Action::Warn) } else { action }
    }
}
