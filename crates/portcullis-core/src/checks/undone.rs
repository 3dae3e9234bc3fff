//! Parts of a configuration that a part in another file undoes. In one file that is deliberate; the authors of two files may not know of
//! each other.

use std::collections::BTreeMap;

use super::settings::{self, BaseStep, Settings};
use super::{Check, registry};
use crate::config::{ConfigError, Match, Override, Position};
use crate::finding::Action;

/// A part of the configuration and where it is written.
type Part = (String, Position);

/// What the second part does to the first: the checks, each with the action that the first part sets and the one that it gets.
type Undone = BTreeMap<(Part, Part), Vec<(&'static str, Action, Action)>>;

/// A warning for each part that a part in another file undoes: a milder setting for all writes, or a later override of the same writes.
pub fn undone(settings: &Settings) -> Vec<ConfigError> {
    let mut undone = Undone::new();
    for check in registry::all() {
        of_all_writes(check, settings, &mut undone);
    }
    let overrides = &settings.config.overrides;
    for (later, written) in overrides.iter().enumerate() {
        for (earlier, before) in overrides[..later].iter().enumerate() {
            if before.only.at.file != written.only.at.file && meet(&before.only, &written.only) {
                of_overrides((earlier, before), (later, written), settings, &mut undone);
            }
        }
    }
    undone.into_iter().map(|((earlier, later), checks)| warning(&earlier, &later, &checks)).collect()
}

/// Adds a setting for all writes that is stricter than the more specific one that counts.
fn of_all_writes(check: &'static Check, settings: &Settings, undone: &mut Undone) {
    // The first step is the profile of all writes.
    let steps: Vec<BaseStep> = settings::base_steps(check, settings.pinned, &settings.config).skip(1).collect();
    let Some((last, before)) = steps.split_last() else { return };
    for step in before.iter().filter(|step| step.at.file != last.at.file && step.action > last.action) {
        let parts = ((step.source.clone(), step.at.clone()), (last.source.clone(), last.at.clone()));
        undone.entry(parts).or_default().push((check.id, step.action, last.action));
    }
}

/// Adds the checks for which two overrides say different things, and their maximum actions if these differ.
fn of_overrides(earlier: (usize, &Override), later: (usize, &Override), settings: &Settings, undone: &mut Undone) {
    let part = |(position, written): (usize, &Override), check: &Check| {
        let profile = settings::override_profile(written, settings.pinned).ok()?;
        let (part, action) = settings::override_part(written, profile, check, settings.pinned)?;
        Some(((format!("overrides[{position}].{}", part.source()), part.at()), action))
    };
    for check in registry::all() {
        if let (Some((earlier, before)), Some((later, after))) = (part(earlier, check), part(later, check))
            && before != after
        {
            undone.entry((earlier, later)).or_default().push((check.id, before, after));
        }
    }
    let maximum = |(position, written): (usize, &Override)| {
        let max_action = written.max_action.as_ref()?;
        Some(((format!("overrides[{position}].maxAction"), max_action.at.clone()), max_action.action()))
    };
    if let (Some((earlier, before)), Some((later, after))) = (maximum(earlier), maximum(later))
        && before != after
    {
        undone.entry((earlier, later)).or_default().push(("maxAction", before, after));
    }
}

/// Whether it is certain, whatever the labels of namespaces are, that both match some write and differ in nothing but the names of
/// namespaces.
fn meet(one: &Match, other: &Match) -> bool {
    let without_namespaces = |only: &Match| Match { namespaces: None, ..only.clone() };
    let names = |only: &Match| only.namespaces.as_ref().and_then(|only| only.exact_names().map(<[String]>::to_vec));
    let have_common_name = || match (names(one), names(other)) {
        (Some(one), Some(other)) => one.iter().any(|name| other.contains(name)),
        _ => false,
    };
    one == other || without_namespaces(one) == without_namespaces(other) && have_common_name()
}

fn warning(earlier: &Part, later: &Part, checks: &[(&str, Action, Action)]) -> ConfigError {
    let ((source, at), (undoing, later_at)) = (earlier, later);
    let (id, before, after) = checks[0];
    let example = match checks.len() {
        1 => format!("{id} is {} here, and {} there", after.name(), before.name()),
        count => {
            format!("{count} checks differ, such as {id}, which is {} here, and {} there", after.name(), before.name())
        }
    };
    ConfigError::new(format!("{undoing} undoes {source} {}: {example}", at.seen_from(later_at)), later_at.clone())
}
