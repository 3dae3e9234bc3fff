//! Header values, both those that routes match and those that filters set.

use super::Context;
use crate::bundle::Enforced;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::names;

/// The release and channel since which the schema requires visible characters.
pub const ENFORCED: Enforced = Enforced::experimental(1, 5);

/// Reports a value that is not visible ASCII with `message`. Characters that could end a header deny everywhere; others
/// deny only where the schema rejects them.
pub fn check(
    at: impl FnOnce() -> FieldPath,
    value: &str,
    message: &'static str,
    cx: &Context<'_>,
    found: &mut Findings<'_>,
) {
    if value.is_empty() || names::is_visible_words(value) {
        return;
    }
    let finding = found.invalid(at(), value, message);
    if !value.contains(['\r', '\n', '\0']) && !ENFORCED.holds_in(cx.bundle()) {
        finding.only_warns();
    }
}
