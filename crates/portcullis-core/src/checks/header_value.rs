//! Values of headers, as routes match them and as filters write them.

use super::Context;
use crate::bundle::Enforced;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::names;

/// Where the schema itself wants visible characters.
pub const REFUSED: Enforced = Enforced::experimental(1, 5);

/// Says `message` of a value that is not visible ASCII: what could end a header is refused everywhere, the rest where the schema does.
pub fn judge(
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
    if !value.contains(['\r', '\n', '\0']) && !REFUSED.holds_in(cx.bundle()) {
        finding.only_warns();
    }
}
