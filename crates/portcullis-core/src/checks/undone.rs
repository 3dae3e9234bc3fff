//! Parts of a configuration that a part in another file undoes. In one file that is deliberate; the authors of two files may not know of
//! each other.

use std::collections::BTreeMap;

use super::resolve::{self, BaseStep};
use super::settings::Settings;
use super::{Check, registry};
use crate::config::{ConfigError, Match, Override, Position};
use crate::finding::Action;

/// A part of the configuration and where it is written.
type Part = (String, Position);

/// What the second part does to the first: the checks, each with the action that the first part sets and the one that it gets.
type Undone = BTreeMap<(Part, Part), Vec<(&'static str, Action, Action)>>;

/// A warning for each part that a part in another file undoes: a milder setting or maximum for all writes, or a later override of the
/// same writes.
pub fn undone(settings: &Settings) -> Vec<ConfigError> {
    let mut undone = Undone::new();
    for check in registry::all() {
        of_all_writes(check, settings, &mut undone);
    }
    let positions = settings.config.overrides.iter().enumerate();
    let layers: Vec<WrittenLayer<'_>> = positions.map(|written| WrittenLayer::of(written, settings)).collect();
    of_maximum(&layers, settings, &mut undone);
    for (position, earlier) in layers.iter().enumerate() {
        of_wide_override(earlier, settings, &mut undone);
        of_override(earlier, &layers[position + 1..], &mut undone);
    }
    undone.into_iter().map(|((earlier, later), checks)| warning(&earlier, &later, &checks)).collect()
}

/// An override with what it says of each check and, under [`MAX_ACTION`], as its maximum.
struct WrittenLayer<'c> {
    only: &'c Match,
    says: BTreeMap<&'static str, (Part, Action)>,
}

const MAX_ACTION: &str = "maxAction";

impl<'c> WrittenLayer<'c> {
    fn of((position, written): (usize, &'c Override), settings: &Settings) -> Self {
        let named = |part: &str, at: Position| (format!("overrides[{position}].{part}"), at);
        let profile = resolve::override_profile(written, settings.pinned).ok().flatten();
        let says = registry::all().filter_map(|check| {
            let (part, action) = resolve::override_part(written, profile, check, settings.pinned)?;
            Some((check.id, (named(&part.source(), part.at()), action)))
        });
        let maximum = written.max_action.as_ref();
        let maximum = maximum.map(|maximum| (MAX_ACTION, (named(MAX_ACTION, maximum.at.clone()), maximum.action())));
        Self { only: &written.only, says: says.chain(maximum).collect() }
    }
}

/// Adds what the maximum for all writes limits: the settings for all writes, and those of overrides without a maximum of their own. If an
/// override lifts it, the maximum is a level of a roll-out, and limits what it is meant to limit.
fn of_maximum(layers: &[WrittenLayer<'_>], settings: &Settings, undone: &mut Undone) {
    let Some(written) = &settings.config.max_action else { return };
    let (maximum, limit) = ((MAX_ACTION.to_owned(), written.at.clone()), written.action());
    let lifts = |layer: &WrittenLayer<'_>| layer.says.get(MAX_ACTION).is_some_and(|(_, action)| *action > limit);
    if layers.iter().any(lifts) {
        return;
    }
    let limited = layers.iter().filter(|layer| !layer.says.contains_key(MAX_ACTION));
    let of_layers = limited.flat_map(|layer| layer.says.iter().map(|(id, said)| (*id, said.clone())));
    for (id, (part, action)) in for_all_writes(settings).chain(of_layers) {
        add_milder((part, action), (&maximum, limit), id, undone);
    }
}

/// Adds what an override for all namespaces, or for all but some, says more mildly than the settings for all writes.
fn of_wide_override(layer: &WrittenLayer<'_>, settings: &Settings, undone: &mut Undone) {
    let is_wide = matches!(Names::of(layer.only), Some(Names::AllBut(_)));
    if !is_wide || (Match { namespaces: None, ..layer.only.clone() }) != Match::default() {
        return;
    }
    let maximum = layer.says.get(MAX_ACTION);
    for (id, before) in for_all_writes(settings) {
        for (part, action) in layer.says.get(id).into_iter().chain(maximum) {
            add_milder(before.clone(), (part, *action), id, undone);
        }
    }
}

/// The part that says which action each check has for all writes, and the action.
fn for_all_writes(settings: &Settings) -> impl Iterator<Item = (&'static str, (Part, Action))> {
    registry::all().filter_map(|check| {
        let step = resolve::base_steps(check, settings.pinned, &settings.config).last()?;
        Some((check.id, ((step.source, step.at), step.action)))
    })
}

/// Adds a part that another part, which is in another file, makes milder.
fn add_milder((part, before): (Part, Action), (by, after): (&Part, Action), id: &'static str, undone: &mut Undone) {
    if before > after && part.1.file.is_some() && part.1.file != by.1.file {
        undone.entry((part, by.clone())).or_default().push((id, before, after));
    }
}

/// Adds what the last of the `later` overrides of the same writes says differently.
fn of_override(earlier: &WrittenLayer<'_>, later: &[WrittenLayer<'_>], undone: &mut Undone) {
    let overlapping: Vec<(&WrittenLayer<'_>, MatchOverlap)> =
        later.iter().filter_map(|later| Some((later, overlap(earlier.only, later.only)?))).collect();
    for (id, (part, before)) in &earlier.says {
        let mut last = overlapping.iter().rev().filter_map(|(later, overlap)| Some((later.says.get(id)?, *overlap)));
        let Some(((undoing, after), overlap)) = last.next() else { continue };
        let is_undone = match overlap {
            MatchOverlap::Same => after != before,
            MatchOverlap::Wide => after < before,
        };
        if is_undone && part.1.file != undoing.1.file {
            undone.entry((part.clone(), undoing.clone())).or_default().push((*id, *before, *after));
        }
    }
}

/// Adds a setting for all writes that is stricter than the more specific one that counts.
fn of_all_writes(check: &'static Check, settings: &Settings, undone: &mut Undone) {
    // The first step is the profile of all writes.
    let steps: Vec<BaseStep> = resolve::base_steps(check, settings.pinned, &settings.config).skip(1).collect();
    let Some((last, before)) = steps.split_last() else { return };
    for step in before.iter().filter(|step| step.at.file != last.at.file && step.action > last.action) {
        let parts = ((step.source.clone(), step.at.clone()), (last.source.clone(), last.at.clone()));
        undone.entry(parts).or_default().push((check.id, step.action, last.action));
    }
}

/// How the writes of two overrides overlap.
#[derive(Clone, Copy)]
enum MatchOverlap {
    /// Both name the same namespaces, or some of them.
    Same,
    /// One is for all namespaces, or for all but some, so that the other may be meant as an exception, unless it is milder.
    Wide,
}

/// The namespaces of a match, whatever their labels are.
enum Names<'c> {
    /// Those with these names.
    Exact(&'c [String]),
    /// All except those with these names.
    AllBut(&'c [String]),
}

impl<'c> Names<'c> {
    /// `None` if they depend on labels, or on patterns of names.
    fn of(only: &'c Match) -> Option<Self> {
        let Some(namespaces) = &only.namespaces else { return Some(Self::AllBut(&[])) };
        let is_exact = |names: &[String]| names.iter().all(|name| !name.ends_with('*'));
        let is_all = namespaces.names.is_empty() || namespaces.names.iter().any(|name| name == "*");
        match namespaces.exact_names() {
            Some(names) if !names.is_empty() => Some(Self::Exact(names)),
            _ if is_all && !namespaces.needs_labels() && is_exact(&namespaces.not_names) => {
                Some(Self::AllBut(&namespaces.not_names))
            }
            _ => None,
        }
    }
}

/// How both match, if it is certain that they match some write and differ in nothing but the names of namespaces.
fn overlap(one: &Match, other: &Match) -> Option<MatchOverlap> {
    if one == other {
        return Some(MatchOverlap::Same);
    }
    let without_namespaces = |only: &Match| Match { namespaces: None, ..only.clone() };
    let names = (Names::of(one)?, Names::of(other)?);
    if without_namespaces(one) != without_namespaces(other) {
        return None;
    }
    match names {
        (Names::Exact(one), Names::Exact(other)) => {
            one.iter().any(|name| other.contains(name)).then_some(MatchOverlap::Same)
        }
        (Names::Exact(named), Names::AllBut(others)) | (Names::AllBut(others), Names::Exact(named)) => {
            named.iter().any(|name| !others.contains(name)).then_some(MatchOverlap::Wide)
        }
        (Names::AllBut(_), Names::AllBut(_)) => Some(MatchOverlap::Wide),
    }
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
