//! Counts of findings by check and by namespace.

use std::collections::BTreeMap;

use super::Report;
use crate::finding::Action;

/// The denials and warnings of a check or a namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of denials.
    pub denials: usize,
    /// The number of warnings.
    pub warnings: usize,
}

impl Totals {
    fn add(&mut self, action: Action, count: usize) {
        match action {
            Action::Deny => self.denials += count,
            Action::Warn => self.warnings += count,
            Action::Off | Action::Audit => {}
        }
    }
}

impl Report {
    /// The counts of each check with findings, by id.
    pub fn by_check(&self) -> BTreeMap<&'static str, Totals> {
        let mut all: BTreeMap<&'static str, Totals> = BTreeMap::new();
        for entry in &self.entries {
            for finding in &entry.findings {
                let evaluated = &finding.evaluated;
                all.entry(evaluated.finding.check).or_default().add(evaluated.action, 1);
            }
            for omitted in &entry.omitted_findings {
                all.entry(omitted.check).or_default().add(omitted.action, omitted.count);
            }
        }
        all
    }

    /// The counts of each namespace with findings, by name; the empty name is that of cluster-scoped objects.
    pub fn by_namespace(&self) -> BTreeMap<&str, Totals> {
        let mut all: BTreeMap<&str, Totals> = BTreeMap::new();
        for entry in self.with_findings() {
            let totals = all.entry(&entry.object.namespace).or_default();
            for action in [Action::Deny, Action::Warn] {
                totals.add(action, entry.count(action));
            }
        }
        all
    }
}
