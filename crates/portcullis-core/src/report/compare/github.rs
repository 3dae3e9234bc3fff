//! A comparison as GitHub workflow commands, which annotate the lines of the rules that answer differently.

use super::super::github::line;
use super::{Compared, curl};
use crate::compare::{Difference, Verdict};
use crate::explain::Explanation;
use crate::field::FieldPath;
use crate::kinds::ObjectRef;
use crate::report::Source;

/// One workflow command for each difference, and for each host that is not compared; those that are certain come first. `before` and
/// `after` find a rule in the files before and after the change.
pub fn render(
    compared: &Compared<'_>,
    before: impl Fn(&ObjectRef, &FieldPath) -> Option<Source>,
    after: impl Fn(&ObjectRef, &FieldPath) -> Option<Source>,
) -> String {
    let rule =
        |answer: &Explanation| answer.winner.as_ref().map(|(_, winner)| (winner.object.clone(), winner.field.clone()));
    // The files before the change are not part of the checkout, but the object may be in those after it. If it is not, the message names
    // the file where it was.
    let of = |difference: &Difference| {
        let rules = [rule(&difference.after), rule(&difference.before)];
        let found = rules.iter().flatten().find_map(|(object, field)| after(object, field));
        let removed = rules[1].as_ref().filter(|_| found.is_none());
        let removed = removed.and_then(|(object, field)| Some((object, before(object, field)?)));
        let removed = removed.map(|(object, source)| {
            let line = source.position.map(|position| format!(", line {}", position.line)).unwrap_or_default();
            format!("{object} is removed (before, in {}{line}): ", source.file)
        });
        (found.unwrap_or_default(), removed.unwrap_or_default())
    };
    let mut lines: Vec<(bool, String)> = Vec::new();
    for (host, difference) in compared.differences().filter(|(_, difference)| difference.accepted.is_none()) {
        let is_known = matches!(difference.verdict, Verdict::Different(_));
        let (level, title) =
            if is_known { ("error", "answered differently") } else { ("warning", "perhaps answered differently") };
        let (source, removed) = of(difference);
        let reasons = difference.reasons().join("; ");
        let message = format!("{}: {removed}{reasons}: {}", host.host, curl(difference.example()));
        lines.push((!is_known, line(level, &source, title, &message)));
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
