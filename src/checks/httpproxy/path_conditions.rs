//! `httpproxy/path-conditions`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, walk};

pub static CHECK: Check = Check {
    id: "httpproxy/path-conditions",
    page: include_str!("path_conditions.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for block in walk::http_proxy::blocks(proxy) {
        let conditions = block.conditions.iter().enumerate();
        let mut paths =
            conditions.flat_map(|(at, condition)| condition.paths().map(move |(field, path)| (at, field, path)));
        let mut first: Option<&str> = None;
        for (position, field, path) in paths.by_ref() {
            let at = || block.element(position).then(field);
            if !path.starts_with('/') {
                found.invalid(at(), path, "`{}` does not begin with `/`, as every path does");
            }
            match first {
                None => first = Some(path),
                Some(first) => {
                    let sentence = "`{}` is a second path beside `{}`: conditions have one prefix, exact or regex";
                    found.duplicate(at(), path, sentence).shown([&**path, first]);
                }
            }
        }
    }
}
