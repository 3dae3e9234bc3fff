//! The settings of one check for one write, after all layers.

use std::ops::Deref;

use super::Profile;
use super::enabled::Enabled;
use super::maximum::Maximum;
use crate::config::Options;
use crate::finding::Action;
use crate::kinds::KindSet;

/// The settings of one check for one write.
#[derive(Debug, Clone)]
pub struct EffectiveSetting<'r> {
    /// The action.
    pub action: Action,
    /// The options.
    pub options: EffectiveOptions<'r>,
    /// Which layer decided the action, before the maximum.
    pub decided_by: DecidedBy,
    /// The kinds that are not synced yet, if the check might deny the write once they are.
    pub waiting: KindSet,
}

/// The layer that decided an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// The settings for all writes.
    Base,
    /// The layer at this position.
    Layer(usize),
    /// The label of the Namespace.
    Label(Profile),
}

/// The options of a check for one write. A review has one for each check, and hardly any is layered, so those are boxed.
#[derive(Debug, Clone)]
pub enum EffectiveOptions<'r> {
    /// Those for all writes.
    Base(&'r Options),
    /// Those for all writes with what layers set.
    Layered(Box<Options>),
}

impl<'r> EffectiveSetting<'r> {
    /// The settings for all writes.
    #[inline]
    pub fn of(enabled: &'r Enabled) -> Self {
        let options = EffectiveOptions::Base(&enabled.options);
        Self { action: enabled.action, options, decided_by: DecidedBy::Base, waiting: KindSet::EMPTY }
    }

    /// Makes the action at least as strict as that of another check.
    pub fn raise_to(&mut self, other: &Self) {
        self.action = self.action.max(other.action);
        self.waiting = self.waiting.union(other.waiting);
    }

    /// Limits the action. If the labels that may raise the maximum have not arrived yet, `waiting` has their kind.
    pub fn limit(&mut self, maximum: Maximum, waiting: KindSet) {
        if maximum.action == Action::Deny {
            return;
        }
        self.waiting = match maximum.may_rise {
            true if self.action == Action::Deny => self.waiting.union(waiting),
            true => self.waiting,
            false => KindSet::EMPTY,
        };
        self.action = self.action.min(maximum.action);
    }
}

impl EffectiveOptions<'_> {
    /// Overrides the options that `options` sets.
    pub fn overlay(&mut self, options: &Options) {
        *self = Self::Layered(Box::new(self.overlaid(options)));
    }

    /// A copy in which the options that `options` sets are overridden.
    pub fn overlaid(&self, options: &Options) -> Options {
        let mut layered = Options::clone(self);
        layered.overlay(options);
        layered
    }
}

impl Deref for EffectiveOptions<'_> {
    type Target = Options;

    fn deref(&self) -> &Options {
        match self {
            Self::Base(options) => options,
            Self::Layered(options) => options,
        }
    }
}
