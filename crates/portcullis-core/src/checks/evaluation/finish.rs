//! Makes an outcome of the findings.

use super::{Evaluation, PartialFindings};
use crate::checks::outcome::{EvaluatedFinding, Outcome};
use crate::checks::shared::ObjectParts;
use crate::checks::{Part, When, ignore};
use crate::kinds::Object;
use crate::matching::claimed_host::CERTIFICATES;

impl<'r> Evaluation<'r> {
    /// The outcome, with the warnings marked that the ignore annotation of the object silences.
    pub fn finish(mut self, object: &Object<'_>) -> Outcome {
        if self.is_given_up {
            self.report_given_up(object);
        }
        let list = object.metadata().annotations.get(ignore::IGNORE_ANNOTATION);
        let patterns: Vec<&str> = list.into_iter().flat_map(|list| ignore::ignored(list)).collect();
        self.outcome(|id| patterns.iter().any(|pattern| ignore::names(pattern, id)))
    }

    /// Reports that the review took too long, so that not every check has run.
    fn report_given_up(&mut self, object: &Object<'_>) {
        let mut enabled = self.settings.enabled.of(object.kind());
        let Some(enabled) = enabled.find(|enabled| enabled.check.when == When::GivenUp) else { return };
        self.partial = PartialFindings::default();
        let object_parts = ObjectParts::of(object);
        self.turn(|evaluation, turn| {
            let input = evaluation.input(&object_parts, turn);
            evaluation.collect(enabled, &input, turn, &Part::default());
        });
    }

    /// The outcome, with the warnings of ignored checks marked.
    pub fn outcome(self, is_ignored: impl Fn(&str) -> bool) -> Outcome {
        let omitted_findings =
            self.found.iter().flat_map(|found| found.omitted_findings(is_ignored(found.enabled.check.id))).collect();
        let evaluated = self.found.into_iter().flat_map(|found| {
            let is_ignored = is_ignored(found.enabled.check.id);
            found.evaluated(is_ignored)
        });
        let mut findings: Vec<EvaluatedFinding> = evaluated.collect();
        findings.sort_by(|EvaluatedFinding { finding: left, .. }, EvaluatedFinding { finding: right, .. }| {
            (&left.at, left.check, &left.value).cmp(&(&right.at, right.check, &right.value))
        });
        let findings = without_repetitions(findings);
        let expiring = self.expiring.into_iter().collect();
        Outcome { findings, omitted_findings, waiting: self.waiting, expiring, assumed: self.assumed }
    }
}

/// The findings without those about a certificate for a host that say the same of its rule.
fn without_repetitions(findings: Vec<EvaluatedFinding>) -> Vec<EvaluatedFinding> {
    let is_of_certificate = |evaluated: &EvaluatedFinding| {
        evaluated.finding.claim.as_ref().is_some_and(|claim| claim.path.as_deref() == Some(CERTIFICATES))
    };
    if !findings.iter().any(is_of_certificate) {
        return findings;
    }
    let says = |evaluated: &EvaluatedFinding| {
        let EvaluatedFinding { finding, action, .. } = evaluated;
        (finding.check, *action, finding.message.clone(), finding.other.clone())
    };
    let of_others: Vec<_> = findings.iter().filter(|evaluated| !is_of_certificate(evaluated)).map(says).collect();
    let is_repeated =
        |evaluated: &EvaluatedFinding| is_of_certificate(evaluated) && of_others.contains(&says(evaluated));
    findings.into_iter().filter(|evaluated| !is_repeated(evaluated)).collect()
}
