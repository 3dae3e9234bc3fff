//! `httpproxy/include-conditions`

use std::collections::HashMap;
use std::fmt;

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
    let mut seen: HashMap<Vec<Asked<'_>>, usize> = HashMap::new();
    for (index, block) in walk::http_proxy::blocks(proxy).filter(|block| block.is_include).enumerate() {
        for (position, condition) in block.conditions.iter().enumerate() {
            for (field, path) in condition.paths().filter(|(field, _)| *field != "prefix") {
                let sentence = match field {
                    "exact" => "an include takes no exact path: leave `{}` to the routes of the object",
                    _ => "an include takes no pattern: leave `{}` to the routes of the object",
                };
                found.not_supported(block.element(position).then(field), path, sentence);
            }
        }
        let asked = canonical(block.conditions);
        // What includes everything may share that with others, and the routes of each decide.
        if asked.is_empty() {
            continue;
        }
        if let Some(first) = seen.get(&asked) {
            let all = asked.iter().map(Asked::to_string).collect::<Vec<_>>().join(", ");
            let sentence = "`{}` is asked for by spec.includes[{}] too";
            found.duplicate(block.at(), &all, sentence).shown([&all, &first.to_string()]);
        } else {
            seen.insert(asked, index);
        }
    }
}

/// One thing that is asked of a request.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Asked<'c> {
    Path(String),
    /// A name in lower case, a test and its value; whether case counts, and whether a header that is missing is an empty one.
    Header(String, &'static str, &'c str, bool, bool),
    /// The same of a query parameter, whose name is taken as it is.
    Query(&'c str, &'static str, &'c str, bool),
}

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => f.write_str(path),
            Self::Header(name, test, value, ..) => write!(f, "header {name} {test} {value}"),
            Self::Query(name, test, value, _) => write!(f, "query {name} {test} {value}"),
        }
    }
}

/// What conditions ask for, in an order and a spelling of its own; nothing where every request will do.
fn canonical<'c>(conditions: &'c [Condition<'_>]) -> Vec<Asked<'c>> {
    let paths = conditions.iter().flat_map(Condition::paths).flat_map(|(_, path)| path.chars());
    let path = collapsed(paths);
    let mut asked = Vec::new();
    if !matches!(path.as_str(), "" | "/") {
        asked.push(Asked::Path(path));
    }
    for condition in conditions {
        // Contour takes the first that is asked of a header.
        let header = condition.header.as_ref().and_then(|own| Some((own, own.tests().next()?)));
        asked.extend(header.map(|(header, (test, value))| {
            let name = header.name.to_ascii_lowercase();
            Asked::Header(name, test, value, header.ignore_case, header.treat_missing_as_empty)
        }));
        let query = condition.query_parameter.as_ref().and_then(|own| Some((own, own.tests().next()?)));
        asked.extend(query.map(|(query, (test, value))| Asked::Query(&query.name, test, value, query.ignore_case)));
    }
    asked.sort_unstable();
    asked
}

/// `path` with one slash for each run of them, as prefixes are joined.
fn collapsed(path: impl Iterator<Item = char>) -> String {
    let mut collapsed = String::new();
    for character in path {
        if character != '/' || !collapsed.ends_with('/') {
            collapsed.push(character);
        }
    }
    collapsed
}
