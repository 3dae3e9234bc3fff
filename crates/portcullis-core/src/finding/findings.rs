//! Collects what one check finds: a bounded number of findings, the worst first, and of the others what decides.

use std::mem;

use hashbrown::HashMap;

use super::{Action, Arg, Cause, Finding, Invalid, Message, Value};
use crate::field::FieldPath;

/// How many findings of one check are kept, so that a hostile object cannot fill the memory with its faults.
pub const KEPT: usize = 200;

/// How many identities of findings that are not kept are remembered, with eight bytes each.
const REMEMBERED: usize = 1 << 18;

/// What is left of the findings of one check beyond those that are kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// How many may refuse. Where there is one, all that are kept may.
    pub refusals: usize,
    /// How many only warn.
    pub warnings: usize,
    /// The identities of both, if they were asked for.
    identities: Vec<u64>,
}

impl Omitted {
    /// Whether everything is kept.
    pub fn is_empty(&self) -> bool {
        self.refusals + self.warnings == 0
    }

    /// Lets all of it only warn.
    pub fn only_warn(&mut self) {
        self.warnings += mem::take(&mut self.refusals);
    }

    /// The identities that are remembered.
    pub fn identities(&self) -> impl Iterator<Item = u64> {
        self.identities.iter().copied()
    }
}

/// The faults that the object had before, as a multiset of their identities: each forgives one of now.
#[derive(Debug, Default)]
pub struct Earlier(HashMap<u64, usize>);

impl Earlier {
    /// Whether the object had the fault already; then it is taken away.
    pub fn take(&mut self, finding: &Finding) -> bool {
        let left = self.0.get_mut(&finding.identity()).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }
}

impl FromIterator<u64> for Earlier {
    fn from_iter<I: IntoIterator<Item = u64>>(identities: I) -> Self {
        let mut earlier = Self::default();
        identities.into_iter().for_each(|identity| *earlier.0.entry(identity).or_default() += 1);
        earlier
    }
}

/// Collects the findings of one check and signs each with its id.
#[derive(Debug)]
pub struct Findings<'f> {
    check: &'static str,
    all: &'f mut Vec<Finding>,
    /// What is not kept.
    omitted: Omitted,
    /// Whether identities of what is not kept are remembered.
    remembers: bool,
    /// What forgives, if it must be known before it is decided what is kept.
    earlier: Option<Earlier>,
    /// Where something is of which nothing was read, so that what is found above or below only warns.
    unread: &'f [FieldPath],
    /// The last finding, once there is no room for more: it is complete when the next one comes.
    spare: Option<Finding>,
    /// Whether the last finding is the last of `all`, and not looked at yet.
    is_last_new: bool,
}

impl<'f> Findings<'f> {
    /// A collector for the check `id` that appends to `all`.
    pub fn of(id: &'static str, all: &'f mut Vec<Finding>) -> Self {
        let (omitted, remembers, earlier, unread) = (Omitted::default(), false, None, Default::default());
        Self { check: id, all, omitted, remembers, earlier, unread, spare: None, is_last_new: false }
    }

    /// The same, but the identities of findings that are not kept are remembered.
    pub fn remembering(self) -> Self {
        Self { remembers: true, ..self }
    }

    /// The same, but what the object had `earlier` only warns.
    pub fn tolerating(self, earlier: Earlier) -> Self {
        Self { earlier: Some(earlier), ..self }
    }

    /// The same, but what is found above or below one of `unread` only warns.
    pub fn doubting(self, unread: &'f [FieldPath]) -> Self {
        Self { unread, ..self }
    }

    /// Adds a finding; `value` is its canonical value and stands in each `{}` unless [`Finding::args`] says otherwise.
    pub fn add(&mut self, cause: Cause, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.settle();
        let args = vec![Arg { text: value.to_owned(), instead: None }];
        let message = Message { template, args, suggestion: None };
        let value = value.to_owned();
        let at_most = Action::Deny;
        let finding = Finding { check: self.check, at: at.into(), cause, value, other: None, message, at_most };
        if self.all.len() >= KEPT {
            return self.spare.insert(finding);
        }
        self.is_last_new = true;
        self.all.push(finding);
        self.all.last_mut().expect("a finding was just pushed")
    }

    /// Adds what `validate` finds wrong with each of `values`, at the address of the value.
    pub fn each<A: Into<FieldPath>, V: Value>(
        &mut self,
        values: impl IntoIterator<Item = (A, V)>,
        validate: impl Fn(V) -> Result<(), Invalid>,
    ) {
        for (at, value) in values {
            if let Err(invalid) = validate(value) {
                let finding = self.add(invalid.cause, at, &value.text(), invalid.template);
                if let Some(args) = invalid.args {
                    finding.args(args);
                }
            }
        }
    }

    /// What is not kept, once all is added.
    pub fn finish(mut self) -> Omitted {
        self.settle();
        self.omitted
    }

    /// Looks at the last finding, to which the check adds nothing more; of one too many the mildest goes.
    fn settle(&mut self) {
        if mem::take(&mut self.is_last_new)
            && let Some(last) = self.all.last_mut()
        {
            weigh(last, &mut self.earlier, self.unread);
        }
        let Some(mut spare) = self.spare.take() else { return };
        weigh(&mut spare, &mut self.earlier, self.unread);
        if spare.at_most > Action::Warn
            && let Some(milder) = self.all.iter_mut().rev().find(|kept| kept.at_most <= Action::Warn)
        {
            mem::swap(milder, &mut spare);
        }
        self.omit(&spare);
    }

    fn omit(&mut self, finding: &Finding) {
        match finding.at_most {
            Action::Deny => self.omitted.refusals += 1,
            _ => self.omitted.warnings += 1,
        }
        if self.remembers && self.omitted.identities.len() < REMEMBERED {
            self.omitted.identities.push(finding.identity());
        }
    }

    /// The value is malformed or wrong here.
    pub fn invalid(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Invalid, at, value, template)
    }

    /// A value must be set.
    pub fn required(&mut self, at: impl Into<FieldPath>, template: &'static str) -> &mut Finding {
        self.add(Cause::Required, at, "", template)
    }

    /// The value stands elsewhere already.
    pub fn duplicate(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Duplicate, at, value, template)
    }

    /// The value is not one of the values allowed.
    pub fn not_supported(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::NotSupported, at, value, template)
    }

    /// The value is well formed and not permitted here.
    pub fn forbidden(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Forbidden, at, value, template)
    }

    /// What the value refers to does not exist.
    pub fn not_found(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::NotFound, at, value, template)
    }

    /// The value is too long.
    pub fn too_long(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::TooLong, at, value, template)
    }
}

/// Lets a finding only warn that was so `earlier`, or is above or below something `unread`.
fn weigh(finding: &mut Finding, earlier: &mut Option<Earlier>, unread: &[FieldPath]) {
    // What only warns needs no forgiveness, and must not take it from what refuses.
    if finding.at_most <= Action::Warn {
        return;
    }
    let was_so = earlier.as_mut().is_some_and(|earlier| earlier.take(finding));
    if was_so || unread.iter().any(|unread| finding.at.is_related(unread)) {
        finding.only_warns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::At;

    /// What is kept, as how many refuse and how many warn, and what is omitted.
    fn collect(earlier: Option<Earlier>, findings: &[(&str, Action)]) -> (usize, usize, Omitted) {
        let mut all = Vec::new();
        let mut found = Findings::of("host/path-conflict", &mut all);
        found.earlier = earlier;
        for (value, at_most) in findings {
            found.invalid(At::field("spec"), value, "").at_most = *at_most;
        }
        let omitted = found.finish();
        let refusals = all.iter().filter(|kept| kept.at_most == Action::Deny).count();
        (refusals, all.len() - refusals, omitted)
    }

    #[test]
    fn a_refusal_takes_the_place_of_a_warning() {
        let mut findings = vec![("w", Action::Warn); KEPT + 50];
        let omitted = |refusals, warnings| Omitted { refusals, warnings, identities: Vec::new() };
        assert_eq!(collect(None, &findings), (0, KEPT, omitted(0, 50)));
        findings.extend([("d", Action::Deny); 3]);
        assert_eq!(collect(None, &findings), (3, KEPT - 3, omitted(0, 53)));
        findings.extend([("d", Action::Deny); KEPT]);
        assert_eq!(collect(None, &findings), (KEPT, 0, omitted(3, KEPT + 50)));
        findings.extend([("w", Action::Warn); 7]);
        assert_eq!(collect(None, &findings), (KEPT, 0, omitted(3, KEPT + 57)));
    }

    #[test]
    fn what_was_so_earlier_gives_way_to_what_is_new() {
        let old: Vec<String> = (0..KEPT + 10).map(|number| number.to_string()).collect();
        let mut findings: Vec<(&str, Action)> = old.iter().map(|value| (&**value, Action::Deny)).collect();
        let mut all = Vec::new();
        let mut found = Findings::of("host/path-conflict", &mut all).remembering();
        for (value, _) in &findings {
            found.invalid(At::field("spec"), value, "");
        }
        let omitted = found.finish();
        assert_eq!((omitted.refusals, omitted.identities().count()), (10, 10));
        let earlier = || all.iter().map(Finding::identity).chain(omitted.identities()).collect();
        let kept = |findings: &[_]| {
            let (refusals, warnings, omitted) = collect(Some(earlier()), findings);
            (refusals, warnings, omitted.refusals)
        };
        assert_eq!(kept(&findings), (0, KEPT, 0));
        findings.push(("new", Action::Deny));
        assert_eq!(kept(&findings), (1, KEPT - 1, 0));
        findings[3].0 = "7";
        assert_eq!(kept(&findings), (2, KEPT - 2, 0), "each forgives one");
        findings[3] = ("3", Action::Deny);
        findings.insert(0, ("3", Action::Warn));
        assert_eq!(kept(&findings).0, 1, "what only warns is not forgiven in place of what refuses");
    }
}
