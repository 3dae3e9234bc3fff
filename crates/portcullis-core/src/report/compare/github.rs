//! A comparison as GitHub workflow commands, which annotate the lines of the rules that answer differently.

use super::super::github::line;
use super::{Compared, curl};
use crate::compare::{Difference, Verdict};
use crate::explain::Explanation;
use crate::field::FieldPath;
use crate::kinds::ObjectRef;
use crate::report::Source;

/// One workflow command for each difference, and for each host that is not compared; those that are certain come first. `source` finds
/// a rule in the files after the change.
pub fn render(compared: &Compared<'_>, mut source: impl FnMut(&ObjectRef, &FieldPath) -> Option<Source>) -> String {
    let mut of = |difference: &Difference| {
        let mut place = |answer: &Explanation| {
            let (_, winner) = answer.winner.as_ref()?;
            source(&winner.object, &winner.field)
        };
        // The files before the change are not part of the checkout, but the object may be in those after it.
        place(&difference.after).or_else(|| place(&difference.before)).unwrap_or_default()
    };
    let mut lines: Vec<(bool, String)> = Vec::new();
    for (host, difference) in compared.differences().filter(|(_, difference)| difference.accepted.is_none()) {
        let is_known = matches!(difference.verdict, Verdict::Different(_));
        let (level, title) =
            if is_known { ("error", "answered differently") } else { ("warning", "perhaps answered differently") };
        let message = format!("{}: {}: {}", host.host, difference.reasons().join("; "), curl(difference.example()));
        lines.push((!is_known, line(level, &of(difference), title, &message)));
    }
    for host in compared.hosts {
        let message =
            |why: &String| line("warning", &Source::default(), "not compared", &format!("{}: {why}", host.host));
        lines.extend(host.not_compared.iter().map(|why| (true, message(why))));
    }
    lines.extend(compared.unread.iter().map(|unread| (true, line("warning", &Source::default(), "not read", unread))));
    lines.sort_by_key(|(is_later, _)| *is_later);
    lines.into_iter().map(|(_, line)| line).collect()
}
