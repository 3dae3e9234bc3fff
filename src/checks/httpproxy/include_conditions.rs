//! `httpproxy/include-conditions`

use hashbrown::HashMap;

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, walk};
use crate::matching::conditions::{Asked, canonical};

pub static CHECK: Check = Check {
    id: "httpproxy/include-conditions",
    page: include_str!("include_conditions.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
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
