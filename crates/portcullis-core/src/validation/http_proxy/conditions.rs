//! Rules for the conditions of routes and includes. A request must meet all conditions of a list.

use hashbrown::HashMap;

use crate::field::At;
use crate::finding::{Action, Finding, Findings};
use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::{HeaderCondition, MatchCondition, QueryCondition};
use crate::kinds::walk::http_proxy as walk;
use crate::matching::conditions::{HeaderConflict, HeaderTest, HeaderTests, MatchKey, canonical};
use crate::matching::pattern::Faults;
use crate::validation::validators as must;

pub(super) fn paths(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    for block in walk::blocks(proxy) {
        let conditions = block.conditions.iter().enumerate();
        let paths =
            conditions.flat_map(|(at, condition)| condition.paths().map(move |(field, path)| (at, field, path)));
        let mut first: Option<&str> = None;
        for (position, field, path) in paths {
            let at = block.element(position).child(field);
            found.each([(at, &**path)], must::absolute_path);
            match first {
                None => first = Some(path),
                Some(first) => {
                    let template = "`{}` is a second path condition beside `{}`: use one prefix, exact or regex";
                    found.duplicate(at, path, template).args([&**path, first]);
                }
            }
        }
    }
}

pub(super) fn of_includes(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let mut seen: HashMap<Vec<MatchKey<'_>>, usize> = HashMap::new();
    for (index, block) in walk::blocks(proxy).filter(|block| block.is_include).enumerate() {
        for (position, condition) in block.conditions.iter().enumerate() {
            for (field, path) in condition.paths().filter(|(field, _)| *field != "prefix") {
                let template = "exact and regex are not supported in an include (`{}`): use prefix, and match the rest in the \
                                included object";
                found.not_supported(block.element(position).then(field), path, template);
            }
        }
        let keys = canonical(block.conditions);
        // Includes without conditions may match the same requests; then the routes of the included objects decide.
        if keys.is_empty() {
            continue;
        }
        if let Some(first) = seen.get(&keys) {
            let all = keys.iter().map(MatchKey::to_string).collect::<Vec<_>>().join(", ");
            let template = "`{}` is already the condition of spec.includes[{}]";
            found.duplicate(block.at(), &all, template).args([&all, &first.to_string()]);
        } else {
            seen.insert(keys, index);
        }
    }
}

pub(super) fn headers(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    walk::blocks(proxy).for_each(|block| headers_of(block.headers(), found));
}

/// Reports header conditions of one list that contradict each other.
fn headers_of<'o, 'a: 'o>(headers: impl Iterator<Item = (At, &'o HeaderCondition<'a>)>, found: &mut Findings<'_>) {
    let mut before = HeaderTests::none();
    for (at, header) in headers {
        let Some(condition) = HeaderTest::of(header) else {
            let template = "the condition on header `{}` has no operator, so it matches every request";
            found.required(at, template).args([&*header.name]).only_warns();
            continue;
        };
        let (name, test) = (condition.name, condition.test);
        match before.conflict(condition) {
            Some(HeaderConflict::Contradiction(other, ())) => {
                let template = "header `{}` cannot be both {} and {}";
                let finding = found.invalid(at.then(test), &condition.canonical(), template);
                finding.args([name, &*other.words(), &*condition.words()]);
            }
            Some(HeaderConflict::SecondValue(_, ())) => {
                let template = "header `{}` already has an exact value; `{}` is a second one";
                let value = format!("{} {}", name.to_ascii_lowercase(), condition.value);
                found.duplicate(at.then(test), &value, template).args([name, condition.value]);
            }
            None => {}
        }
        before.add(condition, ());
    }
}

pub(super) fn query(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    for block in walk::blocks(proxy) {
        let conditions = block.conditions.iter().enumerate();
        let parameters =
            conditions.filter_map(|(at, condition)| Some((block.query(at), condition.query_parameter.as_ref()?)));
        query_of(parameters, found);
    }
}

/// Reports query conditions of one list that have no operator or several operators, or that contradict each other.
fn query_of<'o, 'a: 'o>(parameters: impl Iterator<Item = (At, &'o QueryCondition<'a>)>, found: &mut Findings<'_>) {
    let mut exact: HashMap<String, &str> = HashMap::new();
    for (at, parameter) in parameters {
        let (name, tests) = (&*parameter.name, parameter.tests().collect::<Vec<(&str, &str)>>());
        match tests[..] {
            [] => {
                let template =
                    "query parameter `{}` requires one of exact, prefix, suffix, contains, regex and present";
                found.required(at, template).args([name]);
            }
            [("exact", value)] => {
                // Contour compares the names case-insensitively here, although the names of query parameters are
                // case-sensitive.
                if let Some(first) = exact.insert(name.to_ascii_lowercase(), value) {
                    let template = "query parameter `{}` already has the exact value `{}`; `{}` is a second one";
                    found.duplicate(at.then("exact"), value, template).args([name, first, value]);
                }
            }
            [_] => {}
            [(first, _), (second, _), ..] => {
                let template = "the condition on query parameter `{}` has both {} and {}: use one operator";
                found.forbidden(at, name, template).args([name, first, second]);
            }
        }
    }
}

pub(super) fn expressions(proxy: &HttpProxy<'_>, found: &mut Findings<'_>) {
    let mut faults = Faults::default();
    for block in walk::blocks(proxy) {
        block.headers().for_each(|(at, header)| expression(at, header.regex.as_deref(), &mut faults, found));
        for (position, condition) in block.conditions.iter().enumerate() {
            // A regular expression for the path is never valid in an include, which
            // http-proxy/include-conditions-invalid reports.
            if !block.is_include {
                expression(block.element(position), condition.regex.as_deref(), &mut faults, found);
            }
            if let Some(query) = &condition.query_parameter {
                expression(block.query(position), query.regex.as_deref(), &mut faults, found);
            }
        }
    }
}

fn expression<'o>(at: At, written: Option<&'o str>, faults: &mut Faults<'o>, found: &mut Findings<'_>) {
    if let Some(written) = written
        && let Some(fault) = faults.of(written)
    {
        found.invalid(at.then("regex"), written, "`{}` is not a valid regular expression: {}").args([written, fault]);
    }
}

/// The first error among conditions that must hold together, such as those of a route and of all includes above it. The
/// address of the finding is relative to one condition.
pub fn first_error<'o, 'a: 'o>(conditions: impl Iterator<Item = &'o MatchCondition<'a>> + Clone) -> Option<Finding> {
    let (mut all, at) = (Vec::new(), At::field(""));
    let headers = || conditions.clone().filter_map(|condition| Some((at, condition.header.as_ref()?)));
    let query = || conditions.clone().filter_map(|condition| Some((at, condition.query_parameter.as_ref()?)));
    headers_of(headers(), &mut Findings::of("http-proxy/header-conditions-contradictory", &mut all));
    query_of(query(), &mut Findings::of("http-proxy/query-conditions-invalid", &mut all));
    let (mut faults, mut found) = (Faults::default(), Findings::of("http-proxy/regex-malformed", &mut all));
    headers().for_each(|(at, header)| expression(at, header.regex.as_deref(), &mut faults, &mut found));
    query().for_each(|(at, query)| expression(at, query.regex.as_deref(), &mut faults, &mut found));
    all.into_iter().find(|finding| finding.at_most == Action::Deny)
}
