//! What a check is: an id, a page, an action for each profile, and a function.

use jiff::Timestamp;

use crate::bundle::{Bundle, Enforced};
use crate::cluster::{DataPlanes, Overlay, Ownership, Subject};
use crate::config::{Config, Options, Theme};
use crate::finding::{Actions, Profile};
use crate::validation::{Rule, Test};

use super::{Run, When};
use crate::kinds::{Kind, ObjectRef};
use crate::operation::Operation;
use crate::routing::delegation::NeighborVerdicts;

/// One thing that is checked. One file, one page beside it, one line in the folder's `mod.rs`.
#[derive(Debug)]
pub struct Check {
    /// `family/fault`; stands in messages, configuration and metrics, and is never used again once retired.
    pub id: &'static str,
    /// What it is about.
    pub theme: Theme,
    /// The release that it came with.
    pub since: Release,
    /// What it does in each profile.
    pub actions: Actions,
    /// The releases in which a profile's action became stricter, for profiles that are pinned to an older one.
    pub stricter: &'static [(Release, Profile)],
    /// Since when the schema of a CRD refuses the same, so that nobody need look again where it did; none where no schema can.
    pub enforced: Option<Enforced>,
    /// The kinds that it looks up; watches, RBAC and readiness follow from this.
    pub needs: &'static [Kind],
    /// The options that it takes.
    pub options: &'static [CheckOption],
    /// What it is, why, what to do, and examples that run as tests.
    pub page: &'static str,
    /// When it judges.
    pub when: When,
    /// What it does.
    pub run: Run,
}

impl Check {
    /// A check about the shape of one object. Its id, its page and what it does are to be written beside this.
    pub const fn shape(actions: Actions) -> Self {
        Self::new(Theme::Shape, actions)
    }

    /// A check about what an object refers to.
    pub const fn reference(actions: Actions) -> Self {
        Self::new(Theme::Reference, actions)
    }

    /// A check about objects that contradict each other.
    pub const fn conflict(actions: Actions) -> Self {
        Self::new(Theme::Conflict, actions)
    }

    /// A check about who may claim what.
    pub const fn tenancy(actions: Actions) -> Self {
        Self::new(Theme::Tenancy, actions)
    }

    /// A check that holds an object against what the platform decides.
    pub const fn policy(actions: Actions) -> Self {
        Self::new(Theme::Policy, actions)
    }

    /// The check of a rule about one object.
    pub const fn of_rule(rule: &Rule) -> Self {
        let (enforced, run) = (rule.enforced, Run::Rule(rule.test));
        let when = if matches!(rule.test, Test::IngressStatus(_)) { When::Stored } else { When::Exists };
        Self { id: rule.id, page: rule.page, enforced, when, run, ..Self::new(rule.theme, rule.actions) }
    }

    /// Of the first release, never made stricter, enforced by no schema, without look-ups and options.
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
            page: "",
            when: When::Exists,
            run: Run::Object(|_, context, _| unreachable!("a check of {} says what it does", context.this)),
        }
    }
}

/// An option that a check takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOption {
    /// By this name, if it is given, with what holds where it is not.
    Optional(&'static str, OptionDefault),
    /// By this name. Without any option of this sort there is nothing to judge.
    RequireOneOf(&'static str),
}

impl CheckOption {
    /// The option's name in the configuration.
    pub const fn name(self) -> &'static str {
        let (Self::Optional(name, _) | Self::RequireOneOf(name)) = self;
        name
    }
}

/// What holds where an option is not given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionDefault {
    /// This number.
    Number(u32),
    /// This value, as the configuration writes it, or what happens in words.
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

/// All that a check may ask besides its object.
#[derive(Debug)]
pub struct Context<'r> {
    /// What happens to the object.
    pub operation: Operation,
    /// The object's place.
    pub this: &'r ObjectRef,
    /// When the object was created, as far as it says so and the operation makes it matter: it does for what is stored.
    pub created: Option<Timestamp>,
    /// Who writes, and in which class and namespace.
    pub subject: Subject<'r>,
    /// The rest of the cluster, as if the write had happened.
    pub cluster: &'r Overlay<'r>,
    /// The options of this check.
    pub options: &'r Options,
    /// Who may claim which host.
    pub ownership: &'r Ownership,
    /// Which classes are served together.
    pub data_planes: &'r DataPlanes,
    /// The configuration.
    pub config: &'r Config,
    /// The time of the review.
    pub now: Timestamp,
    /// What the graph says of the objects around an IngressRoute, formed when the first check asks.
    pub neighbors: &'r NeighborVerdicts,
}

impl Context<'_> {
    /// The object's namespace.
    pub fn namespace(&self) -> &str {
        &self.this.namespace
    }

    /// The bundle that the schema of the object's kind comes from.
    pub fn bundle(&self) -> Bundle {
        self.cluster.schema(self.this.kind).bundle
    }
}
