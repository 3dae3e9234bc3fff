//! What the findings of a rule do, by profile.

use super::Action;

/// A named set of actions to start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Nothing is refused.
    Audit,
    /// What is wrong in itself or contradicts another team's object is refused.
    Baseline,
    /// Portability and tenancy before convenience.
    Restricted,
    /// The side of the design document wherever today's API server took another.
    Kep758,
}

impl Profile {
    /// Every profile, in the order of the generated tables.
    pub const ALL: [Self; 4] = [Self::Audit, Self::Baseline, Self::Restricted, Self::Kep758];

    /// The profile's name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Audit => "audit",
            Self::Baseline => "baseline",
            Self::Restricted => "restricted",
            Self::Kep758 => "kep-758",
        }
    }
}

/// The action in each profile.
#[derive(Debug, Clone, Copy)]
pub struct Actions {
    /// In `audit`, never `Deny`.
    pub audit: Action,
    /// In `baseline`.
    pub baseline: Action,
    /// In `restricted`.
    pub restricted: Action,
    /// In `kep-758`.
    pub kep_758: Action,
}

impl Actions {
    /// Wrong in itself, or against another team's object: refused everywhere but in `audit`.
    pub const DENY: Self = Self::new(Action::Deny, Action::Deny, Action::Deny);
    /// Something is missing or doubtful: a warning everywhere.
    pub const WARN: Self = Self::new(Action::Warn, Action::Warn, Action::Warn);
    /// Objects that contradict each other where other controllers' users rely on it: a warning that `restricted` makes a refusal.
    pub const ACROSS: Self = Self::new(Action::Warn, Action::Deny, Action::Warn);
    /// A matter of policy: off until the configuration asks.
    pub const OFF: Self = Self::new(Action::Off, Action::Off, Action::Off);
    /// A matter of policy that `restricted` decides.
    pub const RESTRICTED: Self = Self::new(Action::Off, Action::Deny, Action::Off);

    /// The actions of `baseline`, `restricted` and `kep-758`; `audit` warns of what `baseline` acts on, and keeps what only `restricted`
    /// acts on to the audit log.
    pub const fn new(baseline: Action, restricted: Action, kep_758: Action) -> Self {
        let audit = match (baseline, restricted) {
            (Action::Off, Action::Off) => Action::Off,
            (Action::Off, _) => Action::Audit,
            _ => Action::Warn,
        };
        Self { audit, baseline, restricted, kep_758 }
    }

    /// The action in `profile`.
    pub const fn of(&self, profile: Profile) -> Action {
        match profile {
            Profile::Audit => self.audit,
            Profile::Baseline => self.baseline,
            Profile::Restricted => self.restricted,
            Profile::Kep758 => self.kep_758,
        }
    }
}
