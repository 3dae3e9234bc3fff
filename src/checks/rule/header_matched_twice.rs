//! `rule/header-matched-twice`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// How many entries are compared; a longer list is refused for its length.
const COMPARED: usize = 16;

pub static CHECK: Check = Check {
    id: "rule/header-matched-twice",
    page: include_str!("header_matched_twice.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in walk::rule::header_lists(route) {
        for (position, header) in list.headers.iter().enumerate().take(COMPARED).skip(1) {
            let mut earlier = list.headers[..position].iter();
            if let Some(first) = earlier.find(|first| first.name.eq_ignore_ascii_case(&header.name)) {
                let sentence = "header `{}` is `{}` once more, since case does not count: match it once";
                let identity = header.name.to_ascii_lowercase();
                found
                    .duplicate(list.element(position).then("name"), &identity, sentence)
                    .shown([&*header.name, &*first.name]);
            }
        }
    }
}
