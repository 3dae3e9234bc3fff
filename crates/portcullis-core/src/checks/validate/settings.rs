//! The errors in the settings of checks, for all writes and in overrides.

use std::collections::{BTreeMap, BTreeSet};

use super::selectors;
use crate::checks::ignore;
use crate::checks::pinned_profile::pinned;
use crate::checks::resolve::naming;
use crate::checks::settings::must_name_a_check;
use crate::checks::{Check, CheckOption, registry};
use crate::cluster::namespace_entries::MAX_STORED_ENTRIES;
use crate::config::{
    CheckSetting, Config, ConfigError, NamespaceSelector, Override, RequiredEntry, Spanned, UnknownKey,
};
use crate::finding::Action;
use crate::names;

/// The settings of checks by id, `family/*` or `*`.
type CheckSettings = BTreeMap<Spanned<String>, CheckSetting>;

/// The errors in settings of checks.
pub fn of_checks(settings: &CheckSettings) -> Vec<ConfigError> {
    let errors = settings.iter().flat_map(|(pattern, setting)| match must_name_a_check(pattern) {
        Ok(()) => of_setting(pattern, setting),
        Err(unknown) => vec![unknown],
    });
    errors.collect()
}

/// The errors in what settings of checks and overrides lack.
pub fn gaps_in_entries(config: &Config) -> Vec<ConfigError> {
    let of_overrides = config.overrides.iter().flat_map(gaps_in_override);
    let all = config.overrides.iter().map(|written| &written.checks).chain([&config.checks]);
    of_overrides.chain(all.flatten().flat_map(|(pattern, setting)| gaps_in_setting(pattern, setting))).collect()
}

/// The errors in settings of checks that lack something, for all writes and in overrides, which build on the settings for all writes. Of
/// the settings of the checks that `unread` names, some are not known.
pub fn gaps_between_checks(config: &Config, unread: &[String]) -> Vec<ConfigError> {
    let is_known = |id: &str| !unread.iter().any(|pattern| ignore::names(pattern, id));
    let base = &config.checks;
    let actions = base.iter().filter_map(|(pattern, setting)| missing_action(pattern, setting));
    let known = base.iter().filter(|(id, _)| is_known(id));
    let options = known.filter_map(|(id, setting)| missing_option(id, setting, [Some(base), None]));
    let of_overrides = config.overrides.iter().flat_map(|written| {
        let layers = [Some(&written.checks), Some(base)];
        let known = written.checks.iter().filter(|(id, _)| is_known(id));
        known.filter_map(move |(id, setting)| missing_option(id, setting, layers))
    });
    actions.chain(options).chain(of_overrides).collect()
}

/// An error if a setting selects writes and says nothing about them.
fn missing_action(pattern: &Spanned<String>, setting: &CheckSetting) -> Option<ConfigError> {
    let is_missing = setting.only.is_some() && setting.action.is_none() && setting.options.names().next().is_none();
    let message = format!("match without an action or an option changes nothing; set the action of {}", pattern.value);
    is_missing.then(|| pattern.error(message))
}

/// The errors in the overrides.
pub fn of_overrides(config: &Config) -> Vec<ConfigError> {
    config.overrides.iter().flat_map(of_override).collect()
}

fn of_override(written: &Override) -> Vec<ConfigError> {
    let at = Spanned { value: String::new(), at: written.only.at.clone() };
    let mut errors = selectors::of_match(&at, &written.only);
    errors.extend(written.profile.as_ref().and_then(|profile| pinned(Some(profile)).err()));
    let narrowed = written.checks.iter().filter(|(_, setting)| setting.only.is_some());
    let message = "a check in an override must not have its own match; write another override instead";
    errors.extend(narrowed.map(|(pattern, _)| pattern.error(message)));
    errors.extend(of_checks(&written.checks));
    errors
}

fn gaps_in_override(written: &Override) -> Vec<ConfigError> {
    let at = Spanned { value: String::new(), at: written.only.at.clone() };
    let mut errors = selectors::gaps_in_match(&at, &written.only);
    if written.only.is_empty() {
        errors.push(at.error(
            "the override matches every write; set the profile, the themes, the checks or maxAction at the top instead",
        ));
    }
    let sets_actions = written.profile.is_some() || !written.themes.is_empty() || !written.checks.is_empty();
    if !sets_actions && written.max_action.is_none() {
        errors.push(at.error("the override changes nothing: set profile, themes, checks or maxAction"));
    }
    errors
}

fn of_setting(pattern: &Spanned<String>, setting: &CheckSetting) -> Vec<ConfigError> {
    let mut errors: Vec<ConfigError> =
        setting.only.iter().flat_map(|only| selectors::of_match(pattern, only)).collect();
    errors.extend(of_options(setting).flat_map(|selector| selectors::of_namespaces(pattern, selector)));
    errors.extend(setting.options.max_entries.and_then(|max| max_entries(pattern, max)));
    let required = setting.options.required.iter().flatten();
    errors.extend(required.flat_map(|entry| of_required(pattern, entry)));
    let known: BTreeSet<&str> = named(pattern).flat_map(|check| check.options).map(CheckOption::name).collect();
    let unknown = setting.options.names().filter(|name| !known.contains(name));
    errors.extend(unknown.map(|option| pattern.error(unknown_option(option, pattern, &known))));
    errors
}

/// An error if a namespace could store objects that the view does not keep.
fn max_entries(at: &Spanned<String>, max: u32) -> Option<ConfigError> {
    let message = format!(
        "`maxEntries` is {max}, and must be at most {MAX_STORED_ENTRIES}: beyond that, conflicts with the newest objects are not found"
    );
    (max > MAX_STORED_ENTRIES).then(|| at.error(message))
}

fn gaps_in_setting(pattern: &Spanned<String>, setting: &CheckSetting) -> Vec<ConfigError> {
    let writes = setting.only.iter().flat_map(|only| selectors::gaps_in_match(pattern, only));
    let namespaces = of_options(setting).flat_map(|selector| selectors::gaps_in_namespaces(pattern, selector));
    writes.chain(namespaces).collect()
}

/// The selectors of namespaces in the options of a setting.
fn of_options(setting: &CheckSetting) -> impl Iterator<Item = &NamespaceSelector> {
    let classes = setting.options.classes.iter().flatten().map(|rule| &rule.namespaces);
    classes.chain(&setting.options.grantees).chain(&setting.options.namespaces)
}

/// The errors in a required label or annotation, reported at `at`.
fn of_required(at: &Spanned<String>, entry: &RequiredEntry) -> Vec<ConfigError> {
    let unknown = selectors::unknown_kinds(&at.at, &entry.kinds);
    let key = (!names::is_label_key(&entry.key)).then(|| {
        at.error(format!(
            "`{}` is not a valid key of a label or an annotation: use a form such as example.com/team",
            entry.key
        ))
    });
    unknown.chain(key).collect()
}

/// The same error; one about an unknown key in the setting of a check lists the keys that this check has.
pub fn with_options(error: ConfigError) -> ConfigError {
    let Some(unknown) = error.unknown_key.clone() else { return error };
    let UnknownKey { written, parent } = *unknown;
    if named(&parent).next().is_none() {
        return error;
    }
    let options: BTreeSet<&str> = named(&parent).flat_map(|check| check.options).map(CheckOption::name).collect();
    error.with_known(&written, ["action", "match"].into_iter().chain(options).collect())
}

fn named(pattern: &str) -> impl Iterator<Item = &'static Check> {
    registry::all().filter(move |check| ignore::names(pattern, check.id))
}

fn unknown_option(option: &str, pattern: &Spanned<String>, known: &BTreeSet<&str>) -> String {
    let known: Vec<&str> = known.iter().copied().collect();
    let instead = match known.as_slice() {
        [] => "it has no options".to_owned(),
        known => format!("its options are {}", known.join(", ")),
    };
    format!("`{option}` is not an option of {}; {instead}", pattern.value)
}

/// An error if the check is enabled by its id but none of the options is set without which it finds nothing, neither here nor in a
/// layer that also applies.
fn missing_option(
    id: &Spanned<String>,
    setting: &CheckSetting,
    layers: [Option<&CheckSettings>; 2],
) -> Option<ConfigError> {
    setting.action.filter(|action| *action != Action::Off)?;
    let check = registry::find(&id.value)?;
    let required = check.options.iter().filter(|option| matches!(option, CheckOption::RequireOneOf(_)));
    let options: Vec<&str> = required.map(CheckOption::name).collect();
    let applying = layers.into_iter().flatten().flat_map(|settings| naming(settings, check));
    let mut set = applying.flat_map(|(_, setting)| setting.options.names());
    let is_set = set.any(|name| options.contains(&name));
    (!options.is_empty() && !is_set)
        .then(|| id.error(format!("{} finds nothing without `{}`", id.value, options.join("` or `"))))
}
