//! `httpproxy/include-conditions`

use std::collections::HashMap;

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::http_proxy::Condition;
use crate::kinds::{HttpProxy, walk};

pub static CHECK: Check = Check {
    id: "httpproxy/include-conditions",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("include_conditions.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen: HashMap<Vec<String>, usize> = HashMap::new();
    for (index, block) in walk::http_proxy::blocks(proxy).filter(|block| block.is_include).enumerate() {
        for (position, condition) in block.conditions.iter().enumerate() {
            for (field, path) in condition.paths().filter(|(field, _)| *field != "prefix") {
                let sentence = "an include takes a prefix, and `{}` is {}: leave that to the routes of the object";
                let finding = found.not_supported(block.element(position).then(field), path, sentence);
                finding.shown([path, if field == "exact" { "an exact path" } else { "a pattern" }]);
            }
        }
        let asked = canonical(block.conditions);
        // What includes everything may share that with others, and the routes of each decide.
        if asked.is_empty() {
            continue;
        }
        let all = asked.join(", ");
        if let Some(first) = seen.get(&asked) {
            let sentence = "`{}` is what include {} asks for too: only one of the two can answer";
            found.duplicate(block.at(), &all, sentence).shown([&all, &first.to_string()]);
        } else {
            seen.insert(asked, index);
        }
    }
}

/// What conditions ask for, in an order and a spelling of its own; nothing where every request will do.
fn canonical(conditions: &[Condition<'_>]) -> Vec<String> {
    let mut asked = Vec::new();
    let path: String = conditions.iter().flat_map(Condition::paths).map(|(_, path)| &**path).collect();
    let path = collapsed(&path);
    if !matches!(path.as_str(), "" | "/") {
        asked.push(path);
    }
    for condition in conditions {
        // Contour takes the first that is asked of a header.
        if let Some((header, (test, value))) = condition.header.as_ref().and_then(|own| Some((own, own.tests().next()?))) {
            let (name, case) = (header.name.to_ascii_lowercase(), if header.ignore_case { " (any case)" } else { "" });
            let empty = if header.treat_missing_as_empty { " (or missing)" } else { "" };
            asked.push(format!("header {name} {test} {value}{case}{empty}"));
        }
        let query = condition.query_parameter.as_ref();
        if let Some((query, (test, value))) = query.and_then(|own| Some((own, own.tests().next()?))) {
            let case = if query.ignore_case { " (any case)" } else { "" };
            asked.push(format!("query {} {test} {value}{case}", query.name));
        }
    }
    asked.sort_unstable();
    asked
}

/// `path` with one slash for each run of them, as prefixes are joined.
fn collapsed(path: &str) -> String {
    let mut last = None;
    path.chars().filter(|character| *character != '/' || last.replace(*character) != Some('/') ).collect()
}
