//! A layer: the settings of a check with a `match`, or of an override, compiled into one action for each check.

use std::collections::BTreeMap;

use super::check_set::CheckSet;
use super::ignore::names;
use super::pinned_profile::PinnedProfile;
use super::{registry, resolve};
use crate::config::{CheckSetting, Config, Match, Options, Override, Spanned};
use crate::finding::Action;

/// Settings that apply to the writes that match.
#[derive(Debug)]
pub struct Layer {
    /// The writes.
    pub only: Match,
    /// Where it comes from.
    pub origin: LayerOrigin,
    /// The actions of all checks, in the order of the registry; `None` where the layer leaves the action as it is.
    pub actions: Box<[Option<Action>]>,
    /// The maximum action that it sets.
    pub max_action: Option<Action>,
    /// The options, by the position of the check in the registry.
    pub options: BTreeMap<usize, Options>,
    /// The checks of which it sets the action or options.
    pub sets: CheckSet,
}

/// Where a layer comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LayerOrigin {
    /// An entry of `checks` with a `match`.
    Check(Spanned<String>),
    /// An entry of `overrides`, by its position.
    Override(usize),
}

impl Layer {
    /// A setting with a `match` in `checks`. What a more specific setting says about a check for all writes has precedence.
    pub fn of_check(
        pattern: &Spanned<String>,
        (setting, only): (&CheckSetting, &Match),
        config: &Config,
        pinned: PinnedProfile,
    ) -> Self {
        let mut layer = Self::empty(only.clone(), LayerOrigin::Check(pattern.clone()));
        for (index, check) in registry::all().enumerate().filter(|(_, check)| names(pattern, check.id)) {
            let mut action = resolve::action_of(setting, pattern, check, pinned);
            let mut options = setting.options.clone();
            let later = resolve::naming(&config.checks, check).skip_while(|(own, _)| *own != pattern).skip(1);
            for (_, setting) in later.filter(|(_, setting)| setting.only.is_none()) {
                action = action.filter(|_| setting.action.is_none());
                options.overlay(&setting.options);
            }
            layer.set(index, action, (setting.options.names().next().is_some()).then_some(options));
        }
        layer
    }

    /// An override, whose profile is `profile`.
    pub fn of_override(
        position: usize,
        written: &Override,
        profile: Option<PinnedProfile>,
        pinned: PinnedProfile,
    ) -> Self {
        let mut layer = Self::empty(written.only.value.clone(), LayerOrigin::Override(position));
        layer.max_action = written.max_action.as_ref().map(|written| written.action());
        for (index, check) in registry::all().enumerate() {
            let action = resolve::override_part(written, profile, check, pinned).map(|(_, action)| action);
            let mut options = None::<Options>;
            for (_, setting) in resolve::naming(&written.checks, check) {
                if setting.options.names().next().is_some() {
                    options.get_or_insert_default().overlay(&setting.options);
                }
            }
            layer.set(index, action, options);
        }
        layer
    }

    fn empty(only: Match, origin: LayerOrigin) -> Self {
        let actions = registry::all().map(|_| None).collect();
        Self { only, origin, actions, max_action: None, options: BTreeMap::new(), sets: CheckSet::default() }
    }

    fn set(&mut self, index: usize, action: Option<Action>, options: Option<Options>) {
        self.actions[index] = action;
        if action.is_some() || options.is_some() {
            self.sets.insert(index);
        }
        self.options.extend(options.map(|options| (index, options)));
    }
}
