//! The enabled checks by what they judge, so that a review meets those of its kind and no others, however many there are.

use super::Run;
use super::settings::Enabled;
use crate::kinds::Kind;

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
        let positions = |kind| (0..all.len()).filter(|position| all[*position].check.run.judges(kind)).collect();
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

impl Run {
    /// Whether the check judges objects of `kind`, be it only in one of the operations.
    const fn judges(self, kind: Kind) -> bool {
        match self {
            Self::Ingress(_) | Self::IngressChange(_) | Self::IngressStatus(_) | Self::Claims(_) => {
                matches!(kind, Kind::Ingress)
            }
            Self::IngressClass(_) | Self::IngressClassChange(_) | Self::IngressClassDeletion(_) => {
                matches!(kind, Kind::IngressClass)
            }
            Self::Unreadable(_) | Self::Manifest(_) => false,
        }
    }
}
