//! `httpproxy/query-conditions`

use hashbrown::HashMap;

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, walk};

pub static CHECK: Check = Check {
    id: "httpproxy/query-conditions",
    page: include_str!("query_conditions.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for block in walk::http_proxy::blocks(proxy) {
        let mut exact: HashMap<String, &str> = HashMap::new();
        for (position, condition) in block.conditions.iter().enumerate() {
            let Some(parameter) = &condition.query_parameter else { continue };
            let (at, name) = (block.query(position), &*parameter.name);
            let tests: Vec<(&str, &str)> = parameter.tests().collect();
            match tests[..] {
                [] => {
                    let sentence =
                        "query parameter `{}` needs a test: exact, prefix, suffix, contains, regex or present";
                    found.required(at, sentence).shown([name]);
                }
                [("exact", value)] => {
                    // As Contour counts them, though a query tells upper case from lower.
                    if let Some(first) = exact.insert(name.to_ascii_lowercase(), value) {
                        let sentence =
                            "query parameter `{}` has the exact value `{}` already, and `{}` is a second one";
                        found.duplicate(at.then("exact"), value, sentence).shown([name, first, value]);
                    }
                }
                [_] => {}
                [(first, _), (second, _), ..] => {
                    let sentence = "query parameter `{}` has one test in a condition: drop {} or {}";
                    found.forbidden(at, name, sentence).shown([name, first, second]);
                }
            }
        }
    }
}
