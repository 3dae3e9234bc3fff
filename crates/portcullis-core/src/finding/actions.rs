//! The actions of a check in each profile.

use super::Action;

/// A named set of default actions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// Denies nothing.
    Audit,
    /// Denies objects that are invalid, or that conflict with objects of another team.
    Baseline,
    /// Prefers portability and tenancy to convenience.
    Restricted,
    /// Follows the design document (KEP-758) where the current API server differs from it.
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
    /// The object is invalid, or conflicts with an object of another team: denied in every profile except `audit`.
    pub const DENY: Self = Self::new(Action::Deny, Action::Deny, Action::Deny);
    /// Something is missing or doubtful: a warning in every profile.
    pub const WARN: Self = Self::new(Action::Warn, Action::Warn, Action::Warn);
    /// Objects conflict in a way that users of some controllers rely on: a warning, which `restricted` turns into a
    /// denial.
    pub const ACROSS: Self = Self::new(Action::Warn, Action::Deny, Action::Warn);
    /// A matter of policy: off until the configuration turns it on.
    pub const OFF: Self = Self::new(Action::Off, Action::Off, Action::Off);
    /// A matter of policy that only `restricted` enforces.
    pub const RESTRICTED: Self = Self::new(Action::Off, Action::Deny, Action::Off);

    /// The actions of `baseline`, `restricted` and `kep-758`. `audit` is derived: it warns if `baseline` is not off,
    /// and only audits if just `restricted` is not off.
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
