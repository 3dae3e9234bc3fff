//! The enabled checks by what they judge, so that a review meets those of its kind and no others, however many there are.

use super::Check;
use crate::config::{Match, Options};
use crate::finding::Action;
use crate::kinds::Kind;

/// A check as one configuration has it.
#[derive(Debug)]
pub struct Enabled {
    /// The check.
    pub check: &'static Check,
    /// What its findings do.
    pub action: Action,
    /// Which writes it judges; empty for all.
    pub only: Match,
    /// Its options.
    pub options: Options,
    /// The exemptions of the configuration that name it, by position.
    pub exemptions: Vec<usize>,
}

/// The checks that run, by id, and by kind.
#[derive(Debug)]
pub struct EnabledChecks {
    all: Vec<Enabled>,
    /// Positions, by kind in the order of [`Kind::ALL`].
    of_kind: [Vec<usize>; Kind::ALL.len()],
}

impl EnabledChecks {
    /// These checks, grouped.
    pub fn new(all: Vec<Enabled>) -> Self {
        let positions =
            |kind| (0..all.len()).filter(|position| all[*position].check.run.kinds().contains(kind)).collect();
        Self { of_kind: Kind::ALL.map(positions), all }
    }

    /// All of them, by id.
    pub fn iter(&self) -> impl Iterator<Item = &Enabled> {
        self.all.iter()
    }

    /// Those that judge objects of `kind`, by id.
    pub fn of(&self, kind: Kind) -> impl Iterator<Item = &Enabled> {
        self.of_kind[kind as usize].iter().map(|position| &self.all[*position])
    }
}
