//! Resolves the action and the options of one check from the configuration. The profile comes first, then themes, then `*`, `family/*`
//! and ids; each overrides the one before.

use std::collections::BTreeMap;

use super::enabled::Enabled;
use super::ignore::names;
use super::pinned_profile::{self, PinnedProfile};
use super::{Check, Profile};
use crate::config::{CheckSetting, Config, ConfigError, Options, Override, Position, Spanned, Theme};
use crate::finding::Action;

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
    let own = written.profile.as_ref().map(|profile| pinned_profile::pinned(Some(profile))).transpose()?;
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
