//! Why a check has its action for a write: every part of the configuration that had a say.

use jiff::Timestamp;

use super::effective::DecidedBy;
use super::enabled::Enabled;
use super::layers::{LayerOrigin, MatchedLayers};
use super::resolve::{self, BaseStep};
use super::settings::Settings;
use super::{Check, Profile, registry};
use crate::cluster::{Lookup, NamespaceFacts, Overlay, Subject};
use crate::config::{Config, Expiry, Position, Validity};
use crate::finding::Action;
use crate::kinds::ingress::Classes;

/// The action of a check for a write, and what decided it.
#[derive(Debug)]
pub struct Decision {
    /// The check.
    pub check: &'static Check,
    /// The parts of the configuration that set the action, in their order. The last one decides.
    pub steps: Vec<DecisionStep>,
    /// The exemption that applies, as a position in the configuration.
    pub exemption: Option<usize>,
}

/// A part of the configuration that set the action of a check.
#[derive(Debug, PartialEq, Eq)]
pub struct DecisionStep {
    /// The part, such as `profile baseline`, `checks.ingress/*` or `overrides[2].themes.policy`.
    pub source: String,
    /// Where it is written; no position for a default.
    pub at: Position,
    /// The action from then on.
    pub action: Action,
}

impl Decision {
    /// The step that decides.
    pub fn deciding(&self) -> Option<&DecisionStep> {
        self.steps.last()
    }

    /// The action of findings, unless an exemption applies.
    pub fn action(&self) -> Action {
        self.deciding().map_or(Action::Off, |step| step.action)
    }
}

/// The decisions of a configuration about one write.
#[derive(Debug)]
pub struct Decisions {
    /// The decision about each check, by id.
    pub checks: Vec<Decision>,
    /// Whether one depends on labels of the Namespace that are not known.
    pub is_uncertain: bool,
    /// What is wrong with the label by which the Namespace chooses a profile.
    pub label_error: Option<String>,
}

/// The decisions about a write of an object in the class of `subject`.
pub fn decide(settings: &Settings, subject: &Subject<'_>, cluster: &Overlay<'_>, now: Timestamp) -> Decisions {
    let classes = Classes::of(subject.class);
    let matched = settings.layers.matching(&classes, subject, cluster);
    let mut is_uncertain = matched.depends_on_unknown_labels();
    let checks = registry::all().enumerate().map(|(index, check)| {
        let steps = steps_of(check, index, settings, &matched);
        let exemption = exemption(check, settings, (subject, cluster), now, &mut is_uncertain);
        Decision { check, steps, exemption }
    });
    let checks = checks.collect();
    let label_error = match cluster.namespace(subject.namespace) {
        Lookup::Found(facts) => label_error(&settings.config, facts),
        Lookup::Absent | Lookup::Unknown => None,
    };
    Decisions { checks, is_uncertain, label_error }
}

fn steps_of(check: &'static Check, index: usize, settings: &Settings, matched: &MatchedLayers) -> Vec<DecisionStep> {
    let config = &settings.config;
    let base = resolve::base_steps(check, settings.pinned, config);
    let mut steps: Vec<_> = base.map(|BaseStep { source, at, action }| DecisionStep { source, at, action }).collect();
    let enabled = Enabled { index, ..resolve::resolve(check, settings.pinned, config) };
    settings.layers.effective_observed(&enabled, matched, |effective| {
        let (source, at) = match effective.decided_by {
            DecidedBy::Base => return,
            DecidedBy::Layer(layer) => origin(check, settings.layers.origin(layer), settings),
            DecidedBy::Label(profile) => of_label(profile, config),
        };
        steps.push(DecisionStep { source, at, action: effective.action });
    });
    add_maxima(&mut steps, settings, matched);
    steps
}

/// Adds a step for each maximum that changes the action.
fn add_maxima(steps: &mut Vec<DecisionStep>, settings: &Settings, matched: &MatchedLayers) {
    let Some(unlimited) = steps.last().map(|step| step.action) else { return };
    for (layer, max_action) in settings.layers.maxima(matched) {
        let action = unlimited.min(max_action);
        if steps.last().is_some_and(|step| step.action != action) {
            let (source, at) = of_maximum(layer.map(|layer| settings.layers.origin(layer)), &settings.config);
            steps.push(DecisionStep { source, at, action });
        }
    }
}

/// Where a maximum is written: in an override, or for all writes.
fn of_maximum(origin: Option<&LayerOrigin>, config: &Config) -> (String, Position) {
    let (written, source) = match origin {
        Some(LayerOrigin::Override(position)) => {
            (&config.overrides[*position].max_action, format!("overrides[{position}].maxAction"))
        }
        Some(LayerOrigin::Check(_)) | None => (&config.max_action, "maxAction".to_owned()),
    };
    (source, written.as_ref().map(|written| written.at.clone()).unwrap_or_default())
}

/// The part of a layer that sets the action of `check`.
fn origin(check: &Check, origin: &LayerOrigin, settings: &Settings) -> (String, Position) {
    let position = match origin {
        LayerOrigin::Check(pattern) => return (format!("checks.{} with its match", pattern.value), pattern.at.clone()),
        LayerOrigin::Override(position) => *position,
    };
    let written = &settings.config.overrides[position];
    let profile = resolve::override_profile(written, settings.pinned).ok().flatten();
    // Options alone: with unknown labels, they turn a denial into a warning.
    let of_options = || ("checks".to_owned(), written.only.at.clone());
    let part = resolve::override_part(written, profile, check, settings.pinned);
    let (part, at) = part.map_or_else(of_options, |(part, _)| (part.source(), part.at()));
    (format!("overrides[{position}].{part}"), at)
}

/// What is wrong with the label by which a Namespace chooses a profile; `None` without such a label.
pub fn label_error(config: &Config, namespace: &NamespaceFacts) -> Option<String> {
    let key = config.namespace_profile_label.as_ref()?;
    let value = namespace.label(key)?;
    let names = Profile::ALL.map(Profile::name);
    (!names.contains(&value)).then(|| {
        let label = format!("label {}={value} of Namespace {}", key.value, namespace.name);
        format!("{label} has no effect: `{value}` is not a profile; use {}", names.join(", "))
    })
}

fn of_label(profile: Profile, config: &Config) -> (String, Position) {
    let key = config.namespace_profile_label.as_ref();
    let (name, at) = key.map(|key| (key.as_str(), key.at.clone())).unwrap_or_default();
    (format!("label {name}={} of the Namespace", profile.name()), at)
}

/// The first exemption that applies.
fn exemption(
    check: &Check,
    settings: &Settings,
    (subject, cluster): (&Subject<'_>, &Overlay<'_>),
    now: Timestamp,
    is_uncertain: &mut bool,
) -> Option<usize> {
    resolve::exempted(check, &settings.config).into_iter().find(|position| {
        let exemption = &settings.config.exemptions[*position];
        let matches = cluster.matches(&exemption.only, subject);
        *is_uncertain |= matches.is_none();
        Expiry::validity(exemption.expires, now) != Validity::Over && matches == Some(true)
    })
}
