//! The definition of a check: its id, its page, an action for each profile, and a function.

use super::{Run, When};
use crate::bundle::Enforced;
use crate::config::Theme;
use crate::finding::{Action, Actions, Profile};
use crate::kinds::Kind;
use crate::validation::{Rule, RuleFn};

/// One check. Each has one file, one page beside it, and one entry in the `mod.rs` of its folder.
#[derive(Debug)]
pub struct Check {
    /// `family/fault`. Messages, configuration and metrics use it, and a retired id is never used again.
    pub id: &'static str,
    /// The theme, by which the configuration can set the action of many checks at once.
    pub theme: Theme,
    /// The release that introduced the check.
    pub since: Release,
    /// The action in each profile.
    pub actions: Actions,
    /// The releases in which a profile's action became stricter, for profiles that are pinned to an older one.
    pub stricter: &'static [(Release, Profile)],
    /// The release and channel since which the schema of the CRD rejects the same fault. The check is skipped where the
    /// installed schema already does. `None` if no schema can express the rule.
    pub enforced: Option<Enforced>,
    /// The kinds that the check looks up. Watches, RBAC and readiness are derived from this.
    pub needs: &'static [Kind],
    /// The options that the check supports.
    pub options: &'static [CheckOption],
    /// Whether it requires HTTPS, so that it reports plain HTTP alone.
    pub requires_https: bool,
    /// Whether `portcullis export policies` prints a ValidatingAdmissionPolicy that denies the same.
    pub is_exported: bool,
    /// The Markdown page: what the check reports, why, what to do, and examples that run as tests.
    pub page: &'static str,
    /// On which operations the check runs.
    pub when: When,
    /// The function of the check, by the type of its input.
    pub run: Run,
}

impl Check {
    /// Whether it is off in every profile. Only its id in the configuration switches it on, since what it denies is right
    /// in most clusters.
    pub fn is_opt_in(&self) -> bool {
        Profile::ALL.into_iter().all(|profile| self.actions.of(profile) == Action::Off)
    }

    /// A check of the shape of one object. The id, the page and the function are set with struct update syntax.
    pub const fn shape(actions: Actions) -> Self {
        Self::new(Theme::Shape, actions)
    }

    /// A check of what an object refers to.
    pub const fn reference(actions: Actions) -> Self {
        Self::new(Theme::Reference, actions)
    }

    /// A check of objects that contradict each other.
    pub const fn conflict(actions: Actions) -> Self {
        Self::new(Theme::Conflict, actions)
    }

    /// A check of which namespace may claim what.
    pub const fn tenancy(actions: Actions) -> Self {
        Self::new(Theme::Tenancy, actions)
    }

    /// A check of an object against the policy of the platform.
    pub const fn policy(actions: Actions) -> Self {
        Self::new(Theme::Policy, actions)
    }

    /// The check that runs a rule about one object.
    pub const fn of_rule(rule: &Rule) -> Self {
        let (enforced, run) = (rule.enforced, Run::Rule(rule.test));
        let when = if matches!(rule.test, RuleFn::IngressStatus(_)) { When::Stored } else { When::Exists };
        Self { id: rule.id, page: rule.page, enforced, when, run, ..Self::new(rule.theme, rule.actions) }
    }

    /// Defaults: added in the first release, never made stricter, not enforced by a schema, without lookups and
    /// options.
    const fn new(theme: Theme, actions: Actions) -> Self {
        Self {
            id: "",
            theme,
            since: Release(0, 1),
            actions,
            stricter: &[],
            enforced: None,
            needs: &[],
            options: &[],
            requires_https: false,
            is_exported: false,
            page: "",
            when: When::Exists,
            run: Run::Object(|_, context, _| unreachable!("a check of {} says what it does", context.this)),
        }
    }
}

/// An option that a check supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOption {
    /// An option with this name, and its default.
    Optional(&'static str, OptionDefault),
    /// An option with this name. The check finds nothing unless at least one of its options of this sort is set.
    RequireOneOf(&'static str),
}

impl CheckOption {
    /// The name of the option in the configuration.
    pub const fn name(&self) -> &'static str {
        let (Self::Optional(name, _) | Self::RequireOneOf(name)) = self;
        name
    }
}

/// The default of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionDefault {
    /// A number.
    Number(u32),
    /// A value in the syntax of the configuration, or a description such as `every namespace`.
    Text(&'static str),
}

impl std::fmt::Display for OptionDefault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// A release, such as 0.1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release(pub u16, pub u16);

impl std::fmt::Display for Release {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.0, self.1)
    }
}
