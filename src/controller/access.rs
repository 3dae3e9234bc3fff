//! Whether the status of a kind may be written in a namespace (RBAC), as far as writes have shown.

use std::time::{Duration, Instant};

/// How long the objects of a kind and a namespace are left alone if their status may not be written.
pub const FORBIDDEN_RETRY: Duration = Duration::from_secs(180);

/// What is known of the right to write one kind in one namespace, or one cluster-scoped kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Access {
    /// Nothing. The next write will show it.
    #[default]
    Unknown,
    /// One write is under way that will show it.
    Probed,
    /// The last write was not forbidden.
    Allowed,
    /// The last write was forbidden, and the next one will be made at this time.
    Forbidden(Instant),
    /// The last write was forbidden, and another one is under way that will show whether this has changed.
    ProbedAgain,
}

impl Access {
    /// Whether the last write was forbidden.
    pub fn is_forbidden(self) -> bool {
        matches!(self, Self::Forbidden(_) | Self::ProbedAgain)
    }

    /// Records that a write is under way.
    pub fn probe(&mut self) {
        *self = match self {
            Self::Unknown | Self::Probed => Self::Probed,
            Self::Allowed => Self::Allowed,
            Self::Forbidden(_) | Self::ProbedAgain => Self::ProbedAgain,
        };
    }

    /// Records that a write is not made after all.
    pub fn skip(&mut self, now: Instant) {
        *self = match self {
            Self::Unknown | Self::Probed => Self::Unknown,
            Self::Allowed => Self::Allowed,
            Self::Forbidden(until) => Self::Forbidden(*until),
            Self::ProbedAgain => Self::Forbidden(now),
        };
    }

    /// Records that a write was not forbidden. Returns whether this ends a time in which writes were. A write that began before one was
    /// forbidden and ends after it says nothing about the next one.
    pub fn allow(&mut self) -> bool {
        let is_again = *self == Self::ProbedAgain;
        if !matches!(self, Self::Forbidden(_)) {
            *self = Self::Allowed;
        }
        is_again
    }

    /// Records that a write was forbidden. Returns whether none was before.
    pub fn forbid(&mut self, now: Instant) -> bool {
        let before = std::mem::replace(self, Self::Forbidden(now + FORBIDDEN_RETRY));
        !before.is_forbidden()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_write_shows_whether_a_kind_may_be_written() {
        let (mut access, now) = (Access::default(), Instant::now());
        access.probe();
        assert_eq!(access, Access::Probed);
        assert!(access.forbid(now) && !access.forbid(now));
        let until = now + FORBIDDEN_RETRY;
        assert_eq!(access, Access::Forbidden(until));
        access.probe();
        assert_eq!(access, Access::ProbedAgain);
        access.skip(until);
        assert_eq!(access, Access::Forbidden(until), "the write was not made, so that another one shows it");
        access.probe();
        assert!(access.allow() && !access.allow());
        access.probe();
        assert_eq!(access, Access::Allowed, "a kind that may be written needs no probe");
    }

    #[test]
    fn late_success_does_not_reopen_a_forbidden_kind() {
        let (mut access, now) = (Access::Allowed, Instant::now());
        // Of two writes under way, the later one is forbidden and ends first.
        assert!(access.forbid(now) && !access.allow());
        assert_eq!(access, Access::Forbidden(now + FORBIDDEN_RETRY));
        access.probe();
        assert!(access.allow());
        assert_eq!(access, Access::Allowed);
    }
}
