//! What could not be decoded of an object, or what an API server would reject in a manifest as written: its findings, and the doubt
//! that it casts on those of other checks.

use super::Evaluation;
use crate::checks::check_findings::CheckFindings;
use crate::checks::enabled::Enabled;
use crate::checks::{Input, Part};
use crate::config::Theme;
use crate::field::FieldPath;
use crate::finding::{Cause, Finding};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::{Kind, Object, Partial};

impl<'r> Evaluation<'r> {
    /// Runs the checks on a manifest as written (unknown fields, schema violations); `object` is the part that could be
    /// decoded. Skips unknown fields that another check reports, and violations at an address at or below which another
    /// check denies.
    pub fn run_manifest(&mut self, object: Option<&Object<'_>>, manifest: &ManifestErrors) {
        let manifest = self.unreported(manifest);
        self.turn(|evaluation, turn| {
            let input = Input::Manifest(&manifest, object.map(Object::classes).unwrap_or_default());
            for enabled in evaluation.settings.enabled.iter().filter(|enabled| enabled.check.run.is_of_manifest()) {
                evaluation.collect(enabled, &input, turn, &Part::default());
            }
        });
        // The schema check names the type that is wrong, so `object/unreadable` at the same addresses would repeat it.
        let mistyped = self.found.iter().filter(|found| found.enabled.check.run.is_of_manifest());
        let refused: Vec<FieldPath> =
            mistyped.flat_map(CheckFindings::refused).map(|finding| finding.at.clone()).collect();
        let is_repeated = |found: &CheckFindings<'_>| {
            is_object_unreadable(found) && found.findings().all(|finding| refused.contains(&finding.at))
        };
        self.found.retain(|found| !is_repeated(found));
    }

    /// The part of `manifest` that no check has reported yet.
    fn unreported(&self, manifest: &ManifestErrors) -> ManifestErrors {
        let mut unreported = manifest.clone();
        let reported = || self.found.iter().flat_map(CheckFindings::findings);
        let refused =
            || self.found.iter().filter(|found| !is_object_unreadable(found)).flat_map(CheckFindings::refused);
        unreported.unknown.retain(|field| !reported().any(|finding| finding.at == field.at));
        let is_refused = |at: &FieldPath| refused().any(|finding| finding.at.segments().starts_with(at.segments()));
        unreported.violations.retain(|violation| !is_refused(&violation.at));
        unreported
    }

    /// Runs the checks that report undecodable fields. Findings of other checks at, above or below such a field only
    /// warn from then on, since its value is unknown and not absent; `unread_by` makes an exception for tenancy
    /// and conflicts. Settings for a class apply as far as the class can be read.
    pub fn run_unreadable(&mut self, partial: &Partial<'_>) {
        self.turn(|evaluation, turn| {
            let (input, kind) = (Input::Unreadable(partial), evaluation.write.this.kind);
            let is_meant = |enabled: &&Enabled| enabled.check.run.is_of_unreadable(kind);
            for enabled in evaluation.settings.enabled.iter().filter(is_meant) {
                evaluation.collect(enabled, &input, turn, &Part::default());
            }
        });
        self.unread = partial.decode_errors.iter().map(|error| error.at.clone()).collect();
    }

    /// Drops the findings that exist only because a field or a list element could not be decoded.
    pub(super) fn drop_unread(&self, enabled: &Enabled, found: &mut Vec<Finding>) {
        // An undecodable field is not missing.
        let unread = self.unread_by(enabled);
        let is_unread = |finding: &Finding| unread.iter().any(|unread| finding.at.is_within(unread));
        found.retain(|finding| finding.cause != Cause::Required || !is_unread(finding));
        // A placeholder replaces an undecodable list element, and must not count as a duplicate of the other elements.
        let lists = || self.unread.iter().filter_map(FieldPath::list);
        let is_of_manifest = enabled.check.run.is_of_manifest();
        let may_be_unread =
            |finding: &Finding| finding.other.is_none() && lists().any(|list| finding.at.segments().starts_with(list));
        found.retain(|finding| finding.cause != Cause::Duplicate || is_of_manifest || !may_be_unread(finding));
    }

    /// The undecodable fields that cast doubt on the findings of a check. None for tenancy and conflicts, since the
    /// fields that decide those were decoded.
    pub(super) fn unread_by(&self, enabled: &Enabled) -> &[FieldPath] {
        match enabled.check.theme {
            Theme::Tenancy | Theme::Conflict => &[],
            // A manifest is compared with its schema as written.
            _ if enabled.check.run.is_of_manifest() => &[],
            _ => &self.unread,
        }
    }
}

/// Whether the check reports undecodable fields of every kind (`object/unreadable`); the schema of a kind is more
/// specific.
fn is_object_unreadable(found: &CheckFindings<'_>) -> bool {
    found.enabled.check.run.is_of_unreadable(Kind::Ingress)
}
