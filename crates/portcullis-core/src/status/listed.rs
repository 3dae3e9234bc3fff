//! Lists of faults in messages.

use crate::finding::Finding;
use crate::message::render_with_path;

/// The maximum number of faults in a message.
const MAX_LISTED: usize = 8;

/// The first faults, each with its address.
pub(super) fn listed(faults: &[&Finding]) -> String {
    let mut shown: Vec<String> = faults.iter().take(MAX_LISTED).map(|finding| render_with_path(finding)).collect();
    if let Some(omitted) = faults.len().checked_sub(MAX_LISTED).filter(|omitted| *omitted > 0) {
        shown.push(format!("{omitted} more faults"));
    }
    shown.join("; ")
}
