//! Resolves which checks run, and how. The profile comes first, then themes, then `*`, `family/*` and ids; each
//! overrides the one before.

use std::collections::BTreeMap;

use crate::bundle::Bundle;
use crate::cluster::{DataPlanes, Overlay, Ownership, Subject};
use crate::config::{CheckSetting, Config, ConfigError, Match, Options, Override, Position, Spanned, Theme};
use crate::finding::{Action, Actions};
use crate::kinds::Kind;
use crate::kinds::ingress::Classes;
use crate::routing::delegation::HostRule;

use super::enabled::{Enabled, EnabledChecks};
use super::ignore::names;
use super::layers::Layers;
use super::{Check, Profile, Release, registry};

/// A configuration, resolved for every check.
#[derive(Debug)]
pub struct Settings {
    /// The configuration.
    pub config: Config,
    /// Its profile.
    pub pinned: PinnedProfile,
    /// The enabled checks.
    pub enabled: EnabledChecks,
    /// The settings that apply to some of the writes.
    pub layers: Layers,
    /// Which namespaces may claim which host.
    pub ownership: Ownership,
    /// Which classes are served by the same data plane.
    pub data_planes: DataPlanes,
    /// The Gateway API bundle to assume where the API server does not report one.
    pub bundle: Bundle,
}

impl Settings {
    /// The selectors of all layers and exemptions.
    pub fn selectors(&self) -> impl Iterator<Item = &Match> {
        let exemptions = self.config.exemptions.iter().map(|exemption| &exemption.only);
        self.layers.selectors().chain(exemptions)
    }
}

/// The check that denies claims of hosts that others own.
pub const HOST_RULE: &str = "host/not-owned";

impl HostRule for Settings {
    fn denies(&self, subject: &Subject<'_>, cluster: &Overlay<'_>) -> bool {
        let mut enabled = self.enabled.of(Kind::IngressRoute);
        enabled.find(|enabled| enabled.check.id == HOST_RULE).is_some_and(|enabled| {
            let matched = self.layers.matching(&Classes::of(subject.class), subject, cluster);
            self.layers.effective(enabled, &matched).action == Action::Deny
        })
    }
}

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
    fn is_stricter_for(&self, check: &Check) -> bool {
        self.strict_document && check.id == DOCUMENT_RULE
    }

    /// `action`, reduced to a warning if the check was added or became stricter after the pinned release.
    pub fn capped(&self, check: &Check, action: Action) -> Action {
        let Some(pin) = self.release else { return action };
        let grew = check.stricter.iter().any(|(release, profile)| *release > pin && *profile == self.profile);
        if check.since > pin || grew { action.min(Action::Warn) } else { action }
    }
}

/// The settings of `check` in `config` for all writes.
pub fn resolve(check: &'static Check, pinned: PinnedProfile, config: &Config) -> Enabled {
    let action = base_steps(check, pinned, config).last().map_or(Action::Off, |step| step.action);
    let mut options = Options::default();
    for (_, setting) in naming(&config.checks, check).filter(|(_, setting)| setting.only.is_none()) {
        options.overlay(&setting.options);
    }
    Enabled { check, index: 0, action, strictest: action, options, exemptions: exempted(check, config) }
}

/// A part of the configuration that says which action a check has, for all writes.
#[derive(Debug)]
pub struct BaseStep {
    /// The part, such as `profile restricted` or `checks.ingress/*`.
    pub source: String,
    /// Where it is written.
    pub at: Position,
    /// The action.
    pub action: Action,
}

/// The parts that say which action `check` has for all writes, each of which overrides the one before: the profile, the theme, and the
/// settings of checks.
pub fn base_steps(check: &Check, pinned: PinnedProfile, config: &Config) -> impl Iterator<Item = BaseStep> {
    let written = config.profile.as_ref();
    let raised = if pinned.is_stricter_for(check) { " with status.strictDocument" } else { "" };
    let profile = BaseStep {
        source: format!("profile {}{raised}", written.map_or(Profile::Baseline.name(), |profile| profile.as_str())),
        at: written.map(|profile| profile.at.clone()).unwrap_or_default(),
        action: pinned.action(check),
    };
    let theme = config.themes.get_key_value(&Spanned::without_position(check.theme));
    let theme = theme.filter(|_| !check.is_opt_in()).map(|(theme, action)| BaseStep {
        source: format!("themes.{}", theme.name()),
        at: theme.at.clone(),
        action: pinned.capped(check, *action),
    });
    let settings = naming(&config.checks, check).filter(|(_, setting)| setting.only.is_none());
    let settings = settings.filter_map(move |(pattern, setting)| {
        let action = action_of(setting, pattern, check, pinned)?;
        Some(BaseStep { source: format!("checks.{}", pattern.value), at: pattern.at.clone(), action })
    });
    std::iter::once(profile).chain(theme).chain(settings)
}

/// The part of an override that sets the action of a check.
#[derive(Debug, Clone, Copy)]
pub enum OverridePart<'c> {
    /// Its profile.
    Profile(&'c Spanned<String>),
    /// One of its themes.
    Theme(&'c Spanned<Theme>),
    /// One of its checks.
    Check(&'c Spanned<String>),
}

impl OverridePart<'_> {
    /// The part, such as `themes.policy`.
    pub fn source(self) -> String {
        match self {
            Self::Profile(profile) => format!("profile {}", profile.value),
            Self::Theme(theme) => format!("themes.{}", theme.name()),
            Self::Check(pattern) => format!("checks.{}", pattern.value),
        }
    }

    /// Where it is written.
    pub fn at(self) -> Position {
        match self {
            Self::Profile(written) | Self::Check(written) => written.at.clone(),
            Self::Theme(theme) => theme.at.clone(),
        }
    }
}

/// The profile of an override, pinned like that of all writes unless it names a release itself.
pub fn override_profile(written: &Override, pinned: PinnedProfile) -> Result<Option<PinnedProfile>, ConfigError> {
    let own = written.profile.as_ref().map(|profile| self::pinned(Some(profile))).transpose()?;
    Ok(own.map(|own| PinnedProfile { profile: own.profile, release: own.release.or(pinned.release), ..pinned }))
}

/// The part of an override that sets the action of `check`, and the action; `profile` is the profile of the override.
pub fn override_part<'c>(
    written: &'c Override,
    profile: Option<PinnedProfile>,
    check: &Check,
    pinned: PinnedProfile,
) -> Option<(OverridePart<'c>, Action)> {
    let of_checks = naming(&written.checks, check);
    let of_checks = of_checks.filter_map(|(pattern, setting)| {
        Some((OverridePart::Check(pattern), action_of(setting, pattern, check, pinned)?))
    });
    let of_theme = || {
        let theme = written.themes.get_key_value(&Spanned::without_position(check.theme));
        let (theme, action) = theme.filter(|_| !check.is_opt_in())?;
        Some((OverridePart::Theme(theme), pinned.capped(check, *action)))
    };
    let of_profile = || Some((OverridePart::Profile(written.profile.as_ref()?), profile?.action(check)));
    of_checks.last().or_else(of_theme).or_else(of_profile)
}

/// All settings, the most general one first.
pub fn by_specificity(
    settings: &BTreeMap<Spanned<String>, CheckSetting>,
) -> impl Iterator<Item = (&Spanned<String>, &CheckSetting)> {
    let rank = |pattern: &str| if pattern == "*" { 0 } else { 1 + usize::from(!pattern.ends_with("/*")) };
    let mut sorted: Vec<_> = settings.iter().collect();
    sorted.sort_by_key(|(pattern, _)| rank(pattern));
    sorted.into_iter()
}

/// The settings that name `check`, the most general one first.
pub fn naming<'s>(
    settings: &'s BTreeMap<Spanned<String>, CheckSetting>,
    check: &Check,
) -> impl Iterator<Item = (&'s Spanned<String>, &'s CheckSetting)> {
    let family = check.id.split_once('/').map_or("", |(family, _)| family);
    let patterns = ["*".to_owned(), format!("{family}/*"), check.id.to_owned()];
    patterns.into_iter().filter_map(|pattern| settings.get_key_value(&Spanned::without_position(pattern)))
}

/// The action that the setting of `pattern` gives `check`. One for the id of a check is deliberate and applies in full; `*` and
/// families are pinned like the profile, and do not switch on a check that only its id does.
pub fn action_of(
    setting: &CheckSetting,
    pattern: &Spanned<String>,
    check: &Check,
    pinned: PinnedProfile,
) -> Option<Action> {
    let action = setting.action?;
    if pattern.as_str() == check.id {
        return Some(action);
    }
    (!check.is_opt_in()).then(|| pinned.capped(check, action))
}

/// The exemptions that name `check`, as positions in the configuration.
pub fn exempted(check: &Check, config: &Config) -> Vec<usize> {
    let names = |pattern: &Spanned<String>| names(pattern, check.id);
    let exemptions = config.exemptions.iter().enumerate();
    exemptions.filter(|(_, exemption)| exemption.checks.iter().any(names)).map(|(position, _)| position).collect()
}

/// Rejects a pattern that matches no check.
pub fn must_name_a_check(pattern: &Spanned<String>) -> Result<(), ConfigError> {
    let ids = registry::all().map(|check| check.id);
    if ids.clone().any(|id| names(pattern, id)) {
        return Ok(());
    }
    if !pattern.ends_with("/*") {
        return Err(match pattern.contains('*') {
            true => pattern
                .error(format!("`{}` matches no check: use `FAMILY/*`, such as `ingress/*`, or ids", pattern.value)),
            false => pattern.unknown("check", ids),
        });
    }
    let families: Vec<_> = ids.filter_map(|id| id.split_once('/')).map(|(family, _)| format!("{family}/*")).collect();
    Err(pattern.unknown("family", families.iter().map(String::as_str)))
}

/// Rejects what is not the id of one check.
pub fn must_name_one_check(id: &Spanned<String>) -> Result<(), ConfigError> {
    match registry::find(id) {
        Some(_) => Ok(()),
        None => Err(id.unknown("check", registry::all().map(|check| check.id))),
    }
}
