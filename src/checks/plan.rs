//! Which checks run with which action, resolved from the configuration once; runs them; and compares with the object as it was.

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};

use jiff::Timestamp;

use super::settings::{self, Enabled};
use super::validate::validate;
use super::{Check, Context, Operation, Run, registry};
use crate::cluster::{Overlay, Ownership, Subject};
use crate::config::{Config, ConfigError, Expiry, Match, Theme, Validity};
use crate::defaults::Defaults;
use crate::finding::{Action, Finding, Findings, Identity};
use crate::kinds::{Kind, KindSet, Object, ObjectRef};
use crate::matching::Claims;

/// The checks of one configuration.
#[derive(Debug)]
pub struct Plan {
    config: Config,
    enabled: Vec<Enabled>,
    ownership: Ownership,
    defaults: Defaults,
    needs: KindSet,
}

/// A finding and what it does to the write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// What was found.
    pub finding: Finding,
    /// What it does: the check's action, or a warning where the object was so already.
    pub action: Action,
    /// What the check is about.
    pub theme: Theme,
}

/// What the checks say of one write.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Judgement {
    /// The findings, by address, then id.
    pub findings: Vec<Judged>,
    /// The kinds that a check which may refuse asked for and that are not synced yet: without them this is no verdict.
    pub waiting: KindSet,
    /// Exemptions that were used and end soon: positions in the configuration.
    pub ending: Vec<usize>,
}

/// One write, as the checks see it.
#[derive(Debug, Clone, Copy)]
pub struct Write<'r> {
    /// What happens.
    pub operation: Operation,
    /// The object's place.
    pub this: &'r ObjectRef,
    /// The user who writes; nobody in the offline doors.
    pub user: Option<&'r str>,
    /// The user's groups, if the plan [asks for them](Plan::needs_groups).
    pub groups: &'r [String],
    /// The time of the review.
    pub now: Timestamp,
}

impl Plan {
    /// The plan of a configuration, or all that is wrong with it.
    pub fn new(config: Config) -> Result<Self, Vec<ConfigError>> {
        validate(&config)?;
        let pinned = settings::pinned(config.profile.as_ref()).map_err(|error| vec![error])?;
        let resolved = registry::all().map(|check| settings::resolve(check, pinned, &config));
        let enabled: Vec<_> = resolved.filter(|enabled| enabled.action != Action::Off).collect();
        let ownership = Ownership::new(&config.host_ownership)?;
        let defaults = Defaults::new(&config);
        let needs = needs(&config, &enabled, &ownership).union(defaults.needs());
        Ok(Self { config, enabled, ownership, defaults, needs })
    }

    /// The kinds that enabled checks, defaulters and configured selectors ask for.
    pub fn needs(&self) -> KindSet {
        self.needs
    }

    /// Whether groups decide anything; only then are they read.
    pub fn needs_groups(&self) -> bool {
        let exemptions = self.config.exemptions.iter().map(|exemption| &exemption.only);
        self.enabled.iter().map(|enabled| &enabled.only).chain(exemptions).any(|only| !only.groups.is_empty())
    }

    /// The defaulters of the same configuration.
    pub fn defaults(&self) -> &Defaults {
        &self.defaults
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The checks that run, each with its action, by id.
    pub fn checks(&self) -> impl Iterator<Item = (&'static Check, Action)> {
        self.enabled.iter().map(|enabled| (enabled.check, enabled.action))
    }

    /// What the checks say of `object` (for a deletion, of the object that goes). What they said of `old` already only warns; `old` is
    /// read only when there is something to compare.
    pub fn check<'o>(
        &self,
        object: &Object<'_>,
        old: impl FnOnce() -> Option<Object<'o>>,
        cluster: &Overlay<'_>,
        write: &Write<'_>,
    ) -> Judgement {
        let mut round = Round::new(self, cluster, write);
        round.run(object);
        let compares = |enabled: &Enabled| enabled.check.run.compares(object);
        let wants_old = !round.found.is_empty() || !round.waiting.is_empty() || self.enabled.iter().any(compares);
        if write.operation == Operation::Update
            && wants_old
            && let Some(old) = old()
        {
            round.run_changes(object, &old);
            round.forgive(object, &old);
        }
        round.finish(object)
    }

    /// What the checks say of an object that could not be read, in the reader's words.
    pub fn check_unreadable(&self, words: &str, cluster: &Overlay<'_>, write: &Write<'_>) -> Judgement {
        let mut round = Round::new(self, cluster, write);
        for enabled in &self.enabled {
            if let Run::Unreadable(check) = enabled.check.run {
                round.collect(enabled, None, |context, found| check(words, context, found));
            }
        }
        round.judgement(|_| false)
    }
}

/// The annotation by which an author silences warnings: ids, `family/*` or `*`, separated by commas.
pub const IGNORE_ANNOTATION: &str = "portcullis.dev/ignore";

/// The kinds that the enabled checks and the configured selectors ask for.
fn needs(config: &Config, enabled: &[Enabled], ownership: &Ownership) -> KindSet {
    let checks = enabled.iter().fold(KindSet::EMPTY, |set, enabled| set.union(KindSet::of(enabled.check.needs)));
    let exemptions = config.exemptions.iter().map(|exemption| &exemption.only);
    let selectors = enabled.iter().map(|enabled| &enabled.only).chain(exemptions).any(Match::needs_labels);
    let options = enabled.iter().any(|enabled| enabled.options.needs_labels());
    match selectors || options || ownership.needs_labels() {
        true => checks.union(KindSet::of(&[Kind::Namespace])),
        false => checks,
    }
}

/// One review on its way through the checks.
struct Round<'r> {
    plan: &'r Plan,
    cluster: &'r Overlay<'r>,
    write: &'r Write<'r>,
    found: Vec<(&'r Enabled, Finding, bool)>,
    waiting: KindSet,
    ending: BTreeSet<usize>,
}

impl<'r> Round<'r> {
    fn new(plan: &'r Plan, cluster: &'r Overlay<'r>, write: &'r Write<'r>) -> Self {
        Self { plan, cluster, write, found: Vec::new(), waiting: KindSet::EMPTY, ending: BTreeSet::new() }
    }

    /// Runs every check that judges `object` by itself.
    fn run(&mut self, object: &Object<'_>) {
        let judged = Shared::of(object);
        for enabled in &self.plan.enabled {
            self.run_one(enabled, &judged);
        }
    }

    fn run_one(&mut self, enabled: &'r Enabled, judged: &Shared<'_, '_>) {
        let operation = self.write.operation;
        let class = judged.class;
        match (enabled.check.run, judged.object) {
            (Run::Ingress(check), Object::Ingress(ingress)) if operation != Operation::Delete => {
                self.collect(enabled, class, |context, found| check(ingress, context, found));
            }
            (Run::IngressStatus(check), Object::Ingress(ingress)) if operation == Operation::Stored => {
                self.collect(enabled, class, |context, found| check(ingress, context, found));
            }
            (Run::IngressClass(check), Object::IngressClass(own)) if operation != Operation::Delete => {
                self.collect(enabled, class, |context, found| check(own, context, found));
            }
            (Run::IngressClassDeletion(check), Object::IngressClass(own)) if operation == Operation::Delete => {
                self.collect(enabled, class, |context, found| check(own, context, found));
            }
            (Run::Claims(check), Object::Ingress(ingress)) if operation != Operation::Delete => {
                let claims = judged.claims.get_or_init(|| Claims::of_ingress(ingress));
                self.collect(enabled, class, |context, found| check(claims, context, found));
            }
            _ => {}
        }
    }

    /// Runs the checks that judge the step from `old` to `object`.
    fn run_changes(&mut self, object: &Object<'_>, old: &Object<'_>) {
        for enabled in &self.plan.enabled {
            match (enabled.check.run, object, old) {
                (Run::IngressChange(check), Object::Ingress(new), Object::Ingress(old)) => {
                    self.collect(enabled, new.class(), |context, found| check(new, old, context, found));
                }
                (Run::IngressClassChange(check), Object::IngressClass(new), Object::IngressClass(old)) => {
                    self.collect(enabled, None, |context, found| check(new, old, context, found));
                }
                _ => {}
            }
        }
    }

    /// Runs one check, drops what the configuration does not mean, and notes whether the answer hangs on a first list.
    fn collect(
        &mut self,
        enabled: &'r Enabled,
        class: Option<&str>,
        check: impl FnOnce(&Context<'_>, &mut Findings<'_>),
    ) {
        let write = self.write;
        let subject = Subject { class, namespace: &write.this.namespace, user: write.user, groups: write.groups };
        let context = Context {
            operation: write.operation,
            this: write.this,
            subject,
            cluster: self.cluster,
            options: &enabled.options,
            ownership: &self.plan.ownership,
            config: &self.plan.config,
            now: write.now,
        };
        let mut found = Vec::new();
        check(&context, &mut Findings::of(enabled.check.id, &mut found));
        if !found.is_empty() && self.is_meant(enabled, &subject) {
            self.found.extend(found.into_iter().map(|finding| (enabled, finding, false)));
        }
        let asked = self.cluster.take_asked();
        if enabled.action == Action::Deny {
            self.waiting = self.waiting.union(self.cluster.not_synced(asked));
        }
    }

    /// Whether the configuration means this write: it is matched, and not exempted. What hangs on unknown labels is not meant.
    fn is_meant(&mut self, enabled: &Enabled, subject: &Subject<'_>) -> bool {
        if self.cluster.matches(&enabled.only, subject) != Some(true) {
            return false;
        }
        for position in &enabled.exemptions {
            let exemption = &self.plan.config.exemptions[*position];
            let validity = Expiry::validity(exemption.expires, self.write.now);
            if validity == Validity::Over || self.cluster.matches(&exemption.only, subject) == Some(false) {
                continue;
            }
            if validity == Validity::EndsSoon {
                self.ending.insert(*position);
            }
            return false;
        }
        true
    }

    /// Marks what was already so: for each finding one of the same identity in the old object, as a multiset.
    fn forgive(&mut self, object: &Object<'_>, old: &Object<'_>) {
        if is_unchanged(object, old) {
            self.waiting = KindSet::EMPTY;
        }
        let mut before = Round::new(self.plan, self.cluster, self.write);
        let judged = Shared::of(old);
        for enabled in &self.plan.enabled {
            if self.found.iter().any(|(of, ..)| std::ptr::eq(*of, enabled)) {
                before.run_one(enabled, &judged);
            }
        }
        let mut was: HashMap<Identity<'_>, usize> = HashMap::new();
        for (_, finding, _) in &before.found {
            *was.entry(finding.identity()).or_default() += 1;
        }
        for (_, finding, forgiven) in &mut self.found {
            let Some(left) = was.get_mut(&finding.identity()).filter(|left| **left > 0) else { continue };
            *left -= 1;
            *forgiven = true;
        }
    }

    fn finish(self, object: &Object<'_>) -> Judgement {
        let ignored = object.metadata().annotations.get(IGNORE_ANNOTATION);
        let ignored = ignored.map(|list| &**list).unwrap_or_default();
        self.judgement(|id| ignored.split(',').any(|pattern| settings::names(pattern.trim(), id)))
    }

    fn judgement(self, is_ignored: impl Fn(&str) -> bool) -> Judgement {
        let judged = |(enabled, finding, forgiven): (&Enabled, Finding, bool)| {
            let own = enabled.action.min(finding.at_most);
            let action = if forgiven { own.min(Action::Warn) } else { own };
            let silenced = own == Action::Warn && is_ignored(finding.check);
            (!silenced).then_some(Judged { finding, action, theme: enabled.check.theme })
        };
        let mut findings: Vec<_> = self.found.into_iter().filter_map(judged).collect();
        findings.sort_by(|Judged { finding: left, .. }, Judged { finding: right, .. }| {
            (&left.at, left.check, &left.value).cmp(&(&right.at, right.check, &right.value))
        });
        Judgement { findings, waiting: self.waiting, ending: self.ending.into_iter().collect() }
    }
}

impl Run {
    /// Whether the check compares an object of this kind with what it was.
    fn compares(self, object: &Object<'_>) -> bool {
        match object {
            Object::Ingress(_) => matches!(self, Self::IngressChange(_)),
            Object::IngressClass(_) => matches!(self, Self::IngressClassChange(_)),
            Object::Service(_) | Object::Namespace(_) => false,
        }
    }
}

/// An object, with what many checks ask of it.
struct Shared<'o, 'a> {
    object: &'o Object<'a>,
    class: Option<&'o str>,
    /// Made when the first check asks.
    claims: OnceCell<Claims<'o>>,
}

impl<'o, 'a> Shared<'o, 'a> {
    fn of(object: &'o Object<'a>) -> Self {
        let class = match object {
            Object::Ingress(ingress) => ingress.class(),
            _ => None,
        };
        Self { object, class, claims: OnceCell::new() }
    }
}

/// Whether a write leaves everything alone that any check judges: a status, a finalizer, a managed field.
fn is_unchanged(object: &Object<'_>, old: &Object<'_>) -> bool {
    let (new, before) = (object.metadata(), old.metadata());
    let same_spec = match (object, old) {
        (Object::Ingress(new), Object::Ingress(old)) => new.spec == old.spec,
        (Object::IngressClass(new), Object::IngressClass(old)) => new.spec == old.spec,
        _ => false,
    };
    same_spec && new.labels == before.labels && new.annotations == before.annotations
}
