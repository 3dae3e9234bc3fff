//! The enabled checks, grouped by kind, so that a review only iterates over the checks of its own kind.

use super::Check;
use crate::config::Options;
use crate::finding::Action;
use crate::kinds::Kind;

/// A check with the settings of one configuration.
#[derive(Debug)]
pub struct Enabled {
    /// The check.
    pub check: &'static Check,
    /// The position of the check in the registry.
    pub index: usize,
    /// The action of its findings where no layer says otherwise.
    pub action: Action,
    /// The strictest action that it can have for any write.
    pub strictest: Action,
    /// The options set for it.
    pub options: Options,
    /// The exemptions that name it, as positions in [`Config::exemptions`](crate::config::Config::exemptions).
    pub exemptions: Vec<usize>,
}

/// The enabled checks, ordered by id, with an index by kind.
#[derive(Debug)]
pub struct EnabledChecks {
    all: Vec<Enabled>,
    /// Positions in `all`, by kind in the order of [`Kind::ALL`], without the checks that find nothing.
    of_kind: [Vec<usize>; Kind::ALL.len()],
}

impl EnabledChecks {
    /// Groups the checks by the kinds that they apply to. Those for which `can_find` is false are listed, but no review
    /// runs them.
    pub fn new(all: Vec<Enabled>, can_find: impl Fn(&Enabled) -> bool) -> Self {
        let is_run: Vec<bool> = all.iter().map(can_find).collect();
        let is_of = |position: &usize, kind| is_run[*position] && all[*position].check.run.kinds().contains(kind);
        let positions = |kind| (0..all.len()).filter(|position| is_of(position, kind)).collect();
        Self { of_kind: Kind::ALL.map(positions), all }
    }

    /// All enabled checks, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Enabled> {
        self.all.iter()
    }

    /// The enabled checks that reviews of `kind` run, by id.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Enabled> {
        self.of_kind[kind as usize].iter().map(|position| &self.all[*position])
    }
}
