//! The settings that apply to some of the writes: those of checks with a `match`, the overrides, and the profile that a label of the
//! Namespace chooses. The maximum action is the last of them, also where it is the same for all writes.
//!
//! Each is compiled into a table with one action for each check, so that a review compares only the selectors, and those of other
//! namespaces not even that.

use hashbrown::HashMap;

use super::check_set::CheckSet;
use super::effective::{DecidedBy, EffectiveSetting};
use super::enabled::Enabled;
use super::layer::Layer;
pub use super::layer::LayerOrigin;
use super::maximum::Maximum;
use super::pinned_profile::PinnedProfile;
use super::{Check, Profile, registry, resolve};
use crate::cluster::{Lookup, Overlay, Subject};
use crate::config::{Config, ConfigError, Match, MaxAction, NamespaceSelector, Options};
use crate::finding::Action;
use crate::kinds::KindSet;
use crate::kinds::ingress::Classes;
use crate::kinds::label_selector::NAMESPACE_NAME;

/// All settings that apply to some of the writes, in their order: a later one overrides the ones before.
#[derive(Debug, Default)]
pub struct Layers {
    all: Vec<Layer>,
    /// The layers that select namespaces by complete names alone, by name.
    by_name: HashMap<String, Vec<usize>>,
    /// The layers that select namespaces by labels alone, by the key and the value of one label that the Namespace must have.
    by_label: HashMap<String, HashMap<String, Vec<usize>>>,
    /// The same layers, all of which may match if the labels are not known.
    labeled: Vec<usize>,
    /// The other layers.
    others: Vec<usize>,
    label: Option<LabelLayer>,
    /// The maximum action where no layer sets one; `None` if nothing sets one for any write.
    max_action: Option<Action>,
}

/// The profile that a label of the Namespace chooses.
#[derive(Debug)]
struct LabelLayer {
    key: String,
    /// The actions of each profile, in the order of [`Profile::ALL`] and of the registry.
    actions: [Box<[Action]>; Profile::ALL.len()],
}

/// What applies to one write.
#[derive(Debug, Default)]
pub struct MatchedLayers {
    layers: Vec<MatchedLayer>,
    /// The checks that these layers set.
    sets: CheckSet,
    label: MatchedLabel,
    /// The maximum action; `None` if nothing sets one.
    maximum: Option<Maximum>,
    /// The kinds that are not synced yet and may decide what applies.
    waiting: KindSet,
}

#[derive(Debug)]
struct MatchedLayer {
    layer: usize,
    /// Whether it matches in at least one class; `None` if unknown labels decide.
    in_any: Option<bool>,
    /// Whether it matches in every class.
    in_all: Option<bool>,
}

/// What the label of the Namespace says.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum MatchedLabel {
    /// No profile, or a value that is not the name of one.
    #[default]
    None,
    /// The profile at this position of [`Profile::ALL`].
    Profile(usize),
    /// The labels are not known.
    Unknown,
}

impl Layers {
    /// Compiles the layers of a configuration, whose profile is `pinned`. The errors are in the profiles of overrides.
    pub fn new(config: &Config, pinned: PinnedProfile) -> Result<Self, Vec<ConfigError>> {
        let mut layers = Self::default();
        for (pattern, setting) in resolve::by_specificity(&config.checks) {
            if let Some(only) = &setting.only {
                layers.add(Layer::of_check(pattern, (setting, only), config, pinned));
            }
        }
        let mut errors = Vec::new();
        for (position, written) in config.overrides.iter().enumerate() {
            match resolve::override_profile(written, pinned) {
                Ok(profile) => layers.add(Layer::of_override(position, written, profile, pinned)),
                Err(error) => errors.push(error),
            }
        }
        layers.label = config.namespace_profile_label.as_ref().map(|key| LabelLayer::new(key, pinned));
        let is_limited = config.max_action.is_some() || layers.all.iter().any(|layer| layer.max_action.is_some());
        let max_action = config.max_action.as_ref().map_or(MaxAction::Deny, |written| written.value);
        layers.max_action = is_limited.then(|| max_action.action());
        if errors.is_empty() { Ok(layers) } else { Err(errors) }
    }

    fn add(&mut self, layer: Layer) {
        let position = self.all.len();
        let namespaces = layer.only.namespaces.as_ref();
        let names = namespaces.and_then(NamespaceSelector::exact_names);
        let by_labels = namespaces.filter(|namespaces| namespaces.names.is_empty());
        // The label with the name is not in every manifest of a Namespace.
        let label = by_labels.and_then(|only| only.labels.iter().find(|(key, _)| *key != NAMESPACE_NAME));
        match (names, label) {
            (Some(names), _) => {
                for name in names {
                    self.by_name.entry(name.clone()).or_default().push(position);
                }
            }
            (None, Some((key, value))) => {
                self.by_label.entry(key.clone()).or_default().entry(value.clone()).or_default().push(position);
                self.labeled.push(position);
            }
            (None, None) => self.others.push(position),
        }
        self.all.push(layer);
    }

    /// The names of the options that layers set for the check at this position of the registry.
    pub fn option_names(&self, index: usize) -> impl Iterator<Item = &'static str> {
        self.options(index).flat_map(Options::names)
    }

    /// The options that layers set for the check at this position of the registry.
    pub fn options(&self, index: usize) -> impl Iterator<Item = &Options> {
        self.all.iter().filter_map(move |layer| layer.options.get(&index))
    }

    /// Whether every write gets the same settings.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty() && self.label.is_none() && self.max_action.is_none()
    }

    /// The selectors of the layers.
    pub fn selectors(&self) -> impl Iterator<Item = &Match> {
        self.all.iter().map(|layer| &layer.only)
    }

    /// Whether a label of the Namespace names a profile.
    pub fn has_label(&self) -> bool {
        self.label.is_some()
    }

    /// Where the layer at this position comes from.
    pub fn origin(&self, position: usize) -> &LayerOrigin {
        &self.all[position].origin
    }

    /// The strictest action that the check at `index` of the registry can have; `base` is its action for all writes.
    pub fn strictest(&self, index: usize, base: Action) -> Action {
        let of_layers = self.all.iter().filter_map(|layer| layer.actions[index]);
        let of_label = self.label.iter().flat_map(|label| label.actions.iter().map(|actions| actions[index]));
        let strictest = of_layers.chain(of_label).fold(base, Action::max);
        let Some(max_action) = self.max_action else { return strictest };
        let of_layers = self.all.iter().filter_map(|layer| layer.max_action);
        strictest.min(of_layers.fold(max_action, Action::max))
    }

    /// `action`, limited to the maximum where no layer sets one.
    pub fn limited(&self, action: Action) -> Action {
        self.max_action.map_or(action, |max_action| action.min(max_action))
    }

    /// What applies to a write of an object in `classes`. Labels that are read are not recorded as dependencies of a check.
    pub fn matching(&self, classes: &Classes<'_>, subject: &Subject<'_>, cluster: &Overlay<'_>) -> MatchedLayers {
        if self.is_empty() {
            return MatchedLayers::default();
        }
        let candidates = self.candidates(subject.namespace, cluster);
        let has_more = classes.iter().nth(1).is_some();
        let layers = candidates.into_iter().filter_map(|layer| {
            let only = &self.all[layer].only;
            let in_any = cluster.matches_in_any(classes, only, subject);
            let in_all = || if has_more { cluster.matches_in_all(classes, only, subject) } else { in_any };
            (in_any != Some(false)).then(|| MatchedLayer { layer, in_any, in_all: in_all() })
        });
        let layers: Vec<MatchedLayer> = layers.collect();
        let mut sets = CheckSet::default();
        layers.iter().for_each(|matched| sets.extend(&self.all[matched.layer].sets));
        let label = self.label.as_ref().map_or(MatchedLabel::None, |label| label.of(subject.namespace, cluster));
        let maximum = self.maximum_observed(&layers, |_, _| {});
        MatchedLayers { layers, sets, label, maximum, waiting: KindSet::EMPTY }
    }

    /// The maximum action that applies, after each layer that sets it; the first one is that for all writes.
    pub fn maxima(&self, matched: &MatchedLayers) -> Vec<(Option<usize>, Action)> {
        let mut maxima = Vec::new();
        self.maximum_observed(&matched.layers, |layer, action| maxima.push((layer, action)));
        maxima
    }

    /// The maximum action; `observe` sees it after each layer that sets it, with the position of the layer.
    fn maximum_observed(
        &self,
        layers: &[MatchedLayer],
        mut observe: impl FnMut(Option<usize>, Action),
    ) -> Option<Maximum> {
        let mut maximum = Maximum::of(self.max_action?);
        observe(None, maximum.action);
        for matched in layers {
            if let Some(action) = self.all[matched.layer].max_action
                && maximum.replace(action, matched.in_any, matched.in_all)
            {
                observe(Some(matched.layer), action);
            }
        }
        Some(maximum)
    }

    /// The layers that may match a write in the namespace, in their order.
    fn candidates(&self, namespace: &str, cluster: &Overlay<'_>) -> Vec<usize> {
        // Few layers select one namespace.
        let mut candidates = Vec::with_capacity(self.others.len() + 8);
        candidates.extend(&self.others);
        candidates.extend(self.by_name.get(namespace).into_iter().flatten());
        if !self.labeled.is_empty() && !namespace.is_empty() {
            match cluster.namespace(namespace) {
                Lookup::Found(facts) => candidates.extend(facts.labels.iter().flat_map(|(key, value)| {
                    self.by_label.get(&**key).and_then(|values| values.get(&**value)).into_iter().flatten()
                })),
                // A namespace that is not there yet will have labels.
                Lookup::Absent | Lookup::Unknown => candidates.extend(&self.labeled),
            }
        }
        candidates.sort_unstable();
        candidates.dedup();
        candidates
    }

    /// The settings of a check for a write to which `matched` applies.
    ///
    /// A layer that tightens applies if it matches in one class of the object, and one that relaxes only if it matches in all. If
    /// unknown labels decide whether it matches, it is not applied, except that what it would relax no longer denies: an
    /// unknown label neither refuses a write nor silences a finding. The maximum action limits the result.
    #[inline]
    pub fn effective<'r>(&self, enabled: &'r Enabled, matched: &MatchedLayers) -> EffectiveSetting<'r> {
        // Most checks are set by no layer that matches.
        match matched.sets.contains(enabled.index) || matched.label != MatchedLabel::None || matched.maximum.is_some() {
            true => self.effective_observed(enabled, matched, |_| {}),
            false => EffectiveSetting::of(enabled),
        }
    }

    /// The same; `observe` sees the settings after each layer that decided the action, before the maximum.
    #[inline(never)]
    pub fn effective_observed<'r>(
        &self,
        enabled: &'r Enabled,
        matched: &MatchedLayers,
        mut observe: impl FnMut(&EffectiveSetting<'r>),
    ) -> EffectiveSetting<'r> {
        let mut effective = EffectiveSetting::of(enabled);
        for matched_layer in &matched.layers {
            let layer = &self.all[matched_layer.layer];
            let (action, options) = (layer.actions[enabled.index], layer.options.get(&enabled.index));
            if action.is_some() || options.is_some() {
                effective.apply((action, options), matched_layer, matched.waiting);
                if effective.decided_by == DecidedBy::Layer(matched_layer.layer) {
                    observe(&effective);
                }
            }
        }
        if let Some(label) = &self.label {
            effective.tighten(label, enabled.index, matched);
            if matches!(effective.decided_by, DecidedBy::Label(_)) {
                observe(&effective);
            }
        }
        if let Some(maximum) = matched.maximum {
            effective.limit(maximum, matched.waiting);
        }
        effective
    }
}

impl MatchedLayers {
    /// The same, where kinds are not synced yet that may decide.
    pub fn waiting_for(self, waiting: KindSet) -> Self {
        Self { waiting, ..self }
    }

    /// Whether it depends on labels that are not known.
    pub fn depends_on_unknown_labels(&self) -> bool {
        self.label == MatchedLabel::Unknown || self.layers.iter().any(|layer| layer.in_any.is_none())
    }
}

impl EffectiveSetting<'_> {
    fn apply(
        &mut self,
        (action, options): (Option<Action>, Option<&Options>),
        matched: &MatchedLayer,
        waiting: KindSet,
    ) {
        // Options may relax a check that keeps its action, so a second class is not enough for them.
        let tightens =
            action.is_some_and(|action| action > self.action || (action == self.action && options.is_none()));
        match if tightens { matched.in_any } else { matched.in_all } {
            Some(true) => {
                if let Some(action) = action {
                    (self.action, self.decided_by) = (action, DecidedBy::Layer(matched.layer));
                    self.waiting = KindSet::EMPTY;
                }
                if let Some(options) = options {
                    self.options.overlay(options);
                }
            }
            Some(false) => {}
            None => {
                let relaxed = action.is_some_and(|action| action < self.action)
                    || options.is_some_and(|options| self.options.overlaid(options) != *self.options);
                if self.action == Action::Deny || action == Some(Action::Deny) {
                    self.waiting = waiting;
                }
                if relaxed && self.action == Action::Deny {
                    (self.action, self.decided_by) = (Action::Warn, DecidedBy::Layer(matched.layer));
                }
            }
        }
    }

    fn tighten(&mut self, label: &LabelLayer, index: usize, matched: &MatchedLayers) {
        match &matched.label {
            MatchedLabel::Profile(profile) if label.actions[*profile][index] > self.action => {
                self.action = label.actions[*profile][index];
                self.decided_by = DecidedBy::Label(Profile::ALL[*profile]);
            }
            MatchedLabel::Unknown if label.actions.iter().any(|actions| actions[index] == Action::Deny) => {
                self.waiting = matched.waiting;
            }
            _ => {}
        }
    }
}

impl LabelLayer {
    fn new(key: &str, pinned: PinnedProfile) -> Self {
        let actions = |profile| {
            let profile = PinnedProfile { profile, ..pinned };
            registry::all().map(|check: &Check| profile.action(check)).collect()
        };
        Self { key: key.to_owned(), actions: Profile::ALL.map(actions) }
    }

    fn of(&self, namespace: &str, cluster: &Overlay<'_>) -> MatchedLabel {
        if namespace.is_empty() {
            return MatchedLabel::None;
        }
        let facts = match cluster.namespace(namespace) {
            Lookup::Found(facts) => facts,
            Lookup::Absent | Lookup::Unknown => return MatchedLabel::Unknown,
        };
        let value = facts.label(&self.key);
        let profile = value.and_then(|value| Profile::ALL.iter().position(|profile| profile.name() == value));
        profile.map_or(MatchedLabel::None, MatchedLabel::Profile)
    }
}
