//! A comparison as one page that needs no other file and no network: how each request travels on both sides.

use super::{Compared, NotExpressed, curl, more, place};
use crate::compare::{Difference, HostResult, Overall, Verdict};
use crate::explain::{Explanation, Reply};
use crate::message::sanitize;
use crate::report::outcome;

const STYLE: &str = "
:root { color-scheme: light dark; --line: #8884; --bad: #c62828; --open: #b26a00; --good: #2e7d32 }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; border-bottom: 1px solid var(--line) }
code, pre { font: 13px/1.45 ui-monospace, monospace } pre { margin: .4rem 0; overflow-x: auto }
article { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 4px; margin: 1rem 0; padding: .6rem 1rem }
article.unknown { border-left-color: var(--open) } article.accepted { border-left-color: var(--good) }
ul { margin: 0; padding-left: 1.1rem } .sides { display: flex; gap: 1rem; flex-wrap: wrap }
.sides section { flex: 1 1 24rem; min-width: 0 } h3 { font-size: .9rem; margin: .6rem 0 .2rem }
ol { border-left: 2px solid var(--line); list-style: none; margin: 0; padding: 0 0 0 .8rem } li small { opacity: .75 }
li.differs { background: #b26a0022 }
";

/// The page.
pub fn html(compared: &Compared<'_>) -> String {
    let open = |host: &&HostResult| host.overall() != Overall::Same || !host.differences.is_empty();
    let hosts: String = compared.hosts.iter().filter(open).map(of_host).collect();
    let unread: String = compared.unread.iter().map(|unread| format!("<li>{}</li>", text(unread))).collect();
    let unread =
        if unread.is_empty() { unread } else { format!("<h2>Not read, and may change answers</h2><ul>{unread}</ul>") };
    let summary = text(&super::text::summary(compared));
    let title = match compared.overall() {
        Overall::Different => "Requests that are answered differently",
        Overall::Unknown => "Requests that are perhaps answered differently",
        Overall::Same => "No request is answered differently",
    };
    format!(
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>{title}</title><style>{STYLE}</style>\n\
         <h1>{title}</h1>\n<p>{summary}</p>\n{hosts}{}{unread}</html>\n",
        not_expressed(compared)
    )
}

fn of_host(host: &HostResult) -> String {
    let not_compared: String =
        host.not_compared.iter().map(|why| format!("<p>not compared: {}</p>\n", text(why))).collect();
    let differences: String = host.differences.iter().map(of_difference).collect();
    let (name, verdict) = (text(&host.host.to_string()), super::text::verdict(host));
    format!("<h2>{name}: {verdict}</h2>\n{not_compared}{differences}")
}

fn not_expressed(compared: &Compared<'_>) -> String {
    let item = |not_expressed: &NotExpressed<'_>| {
        let examples: String =
            not_expressed.examples.iter().map(|example| format!("<li>{}</li>", text(example))).collect();
        let about = match examples.is_empty() {
            true => format!(": {}", text(&super::text::hosts(compared, not_expressed))),
            false => format!("<ul>{examples}</ul>"),
        };
        format!("<li>{}{about}</li>\n", text(&not_expressed.what))
    };
    let all: String = compared.not_expressed().iter().map(item).collect();
    if all.is_empty() { all } else { format!("<h2>Not expressed</h2><ul>{all}</ul>\n") }
}

fn of_difference(difference: &Difference) -> String {
    let class = match (&difference.accepted, &difference.verdict) {
        (Some(_), _) => "accepted",
        (None, Verdict::Different(_)) => "different",
        (None, Verdict::Unknown(_) | Verdict::Same) => "unknown",
    };
    let accepted = difference.accepted.iter().map(|reason| format!("accepted: {reason}"));
    let lines: String =
        difference.reasons().into_iter().chain(accepted).map(|line| format!("<li>{}</li>", text(&line))).collect();
    let more: String = more(difference).iter().map(|line| format!("<p>{}</p>", text(line))).collect();
    let steps = [steps(&difference.before), steps(&difference.after)];
    let [before, after] = [0, 1].map(|own: usize| list(&steps[own], &steps[1 - own]));
    format!(
        "<article class=\"{class}\"><ul>{lines}</ul><pre>{}</pre><div class=\"sides\"><section><h3>before</h3>{before}</section>\
         <section><h3>after</h3>{after}</section></div>{more}</article>\n",
        text(&curl(difference.example()))
    )
}

/// A step of a request: where it is, and what happens there.
type Step = [String; 2];

/// The steps of one side.
fn steps(answer: &Explanation) -> Vec<Step> {
    let Some((_, winner)) = &answer.winner else { return vec![[place(answer), String::new()]] };
    let reply = &winner.outcome.reply;
    let chain = winner.chain.iter().map(|link| [format!("{} {}", link.object, link.field), link.message.clone()]);
    let shares = match reply {
        Reply::Forward(forward) if forward.backends.len() > 1 => {
            Some(forward.served(|backend| backend.label_with_port("")))
        }
        _ => None,
    };
    let replied = shares.into_iter().chain(outcome::headline(reply)).map(|line| [line, String::new()]);
    chain.chain(replied).chain(outcome::changes(reply, &answer.request, "")).collect()
}

/// The steps of one side as a list, in which those are marked that the other side has not, unless it has none of them.
fn list(own: &[Step], other: &[Step]) -> String {
    let is_alike = own.iter().any(|step| other.contains(step));
    let item = |step: &Step| {
        let class = if is_alike && !other.contains(step) { " class=\"differs\"" } else { "" };
        format!("<li{class}><code>{}</code> <small>{}</small></li>", text(&step[0]), text(&step[1]))
    };
    format!("<ol>{}</ol>", own.iter().map(item).collect::<String>())
}

/// A text in which nothing is markup.
fn text(text: &str) -> String {
    sanitize(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_steps_of_one_side_alone_are_marked() {
        let step = |what: &str| [what.to_owned(), String::new()];
        let (own, other) = ([step("Gateway"), step("a")], [step("Gateway"), step("b")]);
        let marked = list(&own, &other);
        assert!(marked.contains("<li><code>Gateway") && marked.contains("<li class=\"differs\"><code>a"), "{marked}");
        assert!(!list(&own[1..], &other[1..]).contains("differs"));
    }

    #[test]
    fn no_value_is_markup() {
        assert_eq!(text("<b a=\"x\">&amp;\u{1b}"), "&lt;b a=&quot;x&quot;&gt;&amp;amp;\\u{1b}");
        let unread = ["<script>".to_owned()];
        let page = html(&Compared { hosts: &[], unread: &unread });
        assert!(page.contains("&lt;script&gt;") && !page.contains("<script"), "{page}");
    }
}
