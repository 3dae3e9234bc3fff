//! Collects the findings of one check. A limited number is kept, the worst ones first; of the others only counts and
//! identities are. A denial displaces a warning, and a finding that the old object has, too, only warns on an update. So the limit hides no
//! denial, and what is omitted still decides.

use std::mem;

use hashbrown::HashMap;

use super::{Action, Arg, Cause, Finding, Invalid, Message, Value};
use crate::field::FieldPath;

/// The maximum number of findings of one check that are kept, so that a hostile object cannot exhaust memory.
pub const KEPT: usize = 200;

/// The maximum number of identities of omitted findings, of eight bytes each.
const REMEMBERED: usize = 1 << 18;

/// A summary of the findings of one check beyond [`KEPT`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omitted {
    /// How many may deny. If there is one, all kept findings may deny as well, since denials displace warnings.
    pub refusals: usize,
    /// How many only warn.
    pub warnings: usize,
    /// The identities of all of them, if requested.
    identities: Vec<u64>,
}

impl Omitted {
    /// Whether no finding was omitted.
    pub fn is_empty(&self) -> bool {
        self.refusals + self.warnings == 0
    }

    /// Turns the denials among them into warnings.
    pub fn only_warn(&mut self) {
        self.warnings += mem::take(&mut self.refusals);
    }

    /// The identities that were collected.
    pub fn identities(&self) -> impl Iterator<Item = u64> {
        self.identities.iter().copied()
    }
}

/// The findings in the old object, as a multiset of identities. Each excuses one finding of the same identity in the
/// new object.
#[derive(Debug, Default)]
pub struct EarlierFindings(HashMap<u64, usize>);

impl EarlierFindings {
    /// Whether the old object has this finding too. If so, one occurrence is removed from the multiset.
    pub fn take(&mut self, finding: &Finding) -> bool {
        let left = self.0.get_mut(&finding.identity()).filter(|left| **left > 0);
        left.map(|left| *left -= 1).is_some()
    }
}

impl FromIterator<u64> for EarlierFindings {
    fn from_iter<I: IntoIterator<Item = u64>>(identities: I) -> Self {
        let mut earlier = Self::default();
        identities.into_iter().for_each(|identity| *earlier.0.entry(identity).or_default() += 1);
        earlier
    }
}

/// Collects the findings of one check and marks each with its id.
pub struct Findings<'f> {
    check: &'static str,
    all: &'f mut Vec<Finding>,
    /// The summary of the findings that are not kept.
    omitted: Omitted,
    /// Whether to collect the identities of omitted findings.
    remembers: bool,
    /// Whether findings say which objects lose requests.
    finds_losers: bool,
    /// The findings in the old object, if they must be excused before it is decided which findings are kept.
    earlier: Option<EarlierFindings>,
    /// Whether a finding is about a claim to which the update adds, so that no earlier finding excuses it.
    is_new: &'f dyn Fn(&Finding) -> bool,
    /// The addresses of undecodable fields. Findings above or below them only warn.
    unread: &'f [FieldPath],
    /// The latest finding, if `all` is full. The check may still change it until it adds the next one.
    spare: Option<Finding>,
    /// Whether the last element of `all` is the latest finding, and has not been weighed yet.
    is_last_new: bool,
}

impl<'f> Findings<'f> {
    /// A collector that appends findings of the check `id` to `all`.
    pub fn of(id: &'static str, all: &'f mut Vec<Finding>) -> Self {
        let (omitted, remembers, earlier, unread) = (Omitted::default(), false, None, Default::default());
        Self {
            check: id,
            all,
            omitted,
            remembers,
            finds_losers: false,
            earlier,
            is_new: &|_| false,
            unread,
            spare: None,
            is_last_new: false,
        }
    }

    /// Continues where a collector ended that appended to the same list and omitted these findings.
    pub fn continuing(self, omitted: Omitted) -> Self {
        Self { omitted, ..self }
    }

    /// Also collects the identities of findings that are not kept.
    pub fn remembering(self) -> Self {
        Self { remembers: true, ..self }
    }

    /// Findings also say which objects lose requests.
    pub fn finding_losers(self, finds_losers: bool) -> Self {
        Self { finds_losers, ..self }
    }

    /// Findings that the object also had `earlier` only warn, unless `is_new` says that they are about a claim to which
    /// the update adds.
    pub fn tolerating(self, earlier: EarlierFindings, is_new: &'f dyn Fn(&Finding) -> bool) -> Self {
        Self { earlier: Some(earlier), is_new, ..self }
    }

    /// Findings above or below one of the addresses in `unread` only warn.
    pub fn doubting(self, unread: &'f [FieldPath]) -> Self {
        Self { unread, ..self }
    }

    /// Adds a finding. `value` is its canonical value, and also the argument of each `{}` unless [`Finding::args`] sets
    /// others.
    pub fn add(&mut self, cause: Cause, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.settle();
        let args = vec![Arg { text: value.to_owned(), instead: None }];
        let message = Message { template, args, suggestion: None };
        let value = value.to_owned();
        let at_most = Action::Deny;
        let (other, claim) = (None, None);
        let (loses, takings) = (false, self.finds_losers.then(Vec::new));
        let (check, at) = (self.check, at.into());
        let finding = Finding { check, at, cause, value, other, claim, message, at_most, loses, takings };
        if self.all.len() >= KEPT {
            return self.spare.insert(finding);
        }
        self.is_last_new = true;
        self.all.push(finding);
        self.all.last_mut().expect("a finding was just pushed")
    }

    /// Whether there is a finding at this address.
    pub fn has_at(&self, at: &FieldPath) -> bool {
        self.all.iter().any(|finding| finding.at == *at)
    }

    /// Validates each of `values`, and adds a finding at the address of each value that `validate` rejects.
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

    /// Like [`finish`](Self::finish), and also returns the earlier findings that have not excused one.
    pub fn finish_tolerating(mut self) -> (Omitted, EarlierFindings) {
        self.settle();
        (self.omitted, self.earlier.unwrap_or_default())
    }

    /// Completes the last finding, and returns the summary of the omitted ones.
    pub fn finish(mut self) -> Omitted {
        self.settle();
        self.omitted
    }

    /// Weighs the latest finding, which the check does not change any more. If there are too many, the mildest one is
    /// omitted.
    fn settle(&mut self) {
        if mem::take(&mut self.is_last_new)
            && let Some(last) = self.all.last_mut()
        {
            weigh(last, &mut self.earlier, self.is_new, self.unread);
        }
        let Some(mut spare) = self.spare.take() else { return };
        weigh(&mut spare, &mut self.earlier, self.is_new, self.unread);
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

    /// Adds a finding with [`Cause::Invalid`]: the value is malformed or wrong here.
    pub fn invalid(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Invalid, at, value, template)
    }

    /// Adds a finding with [`Cause::Required`]: a value must be set.
    pub fn required(&mut self, at: impl Into<FieldPath>, template: &'static str) -> &mut Finding {
        self.add(Cause::Required, at, "", template)
    }

    /// Adds a finding with [`Cause::Duplicate`]: the value already exists elsewhere.
    pub fn duplicate(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Duplicate, at, value, template)
    }

    /// Adds a finding with [`Cause::NotSupported`]: the value is not one of the values allowed.
    pub fn not_supported(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::NotSupported, at, value, template)
    }

    /// Adds a finding with [`Cause::Forbidden`]: the value is well formed but not permitted here.
    pub fn forbidden(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::Forbidden, at, value, template)
    }

    /// Adds a finding with [`Cause::NotFound`]: the object that the value refers to does not exist.
    pub fn not_found(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::NotFound, at, value, template)
    }

    /// Adds a finding with [`Cause::TooLong`]: the value is too long.
    pub fn too_long(&mut self, at: impl Into<FieldPath>, value: &str, template: &'static str) -> &mut Finding {
        self.add(Cause::TooLong, at, value, template)
    }
}

/// Reduces a finding to a warning if the object also had it `earlier`, or if it is above or below an `unread` address.
fn weigh(
    finding: &mut Finding,
    earlier: &mut Option<EarlierFindings>,
    is_new: &dyn Fn(&Finding) -> bool,
    unread: &[FieldPath],
) {
    // A warning needs no excuse, and must not use up one that a denial needs.
    if finding.at_most <= Action::Warn {
        return;
    }
    let was_so = !is_new(finding) && earlier.as_mut().is_some_and(|earlier| earlier.take(finding));
    if was_so || unread.iter().any(|unread| finding.at.is_related(unread)) {
        finding.only_warns();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::At;

    /// The number of kept findings that deny, the number of those that warn, and the summary of the omitted ones.
    fn collect(earlier: Option<EarlierFindings>, findings: &[(&str, Action)]) -> (usize, usize, Omitted) {
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
    fn new_findings_displace_preexisting_ones() {
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
