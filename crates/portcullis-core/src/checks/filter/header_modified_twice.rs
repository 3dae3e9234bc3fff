//! `filter/header-modified-twice`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::filter::HeaderList;

/// How many entries are compared; a longer list is refused for its length.
const COMPARED: usize = 48;

pub static CHECK: Check = Check {
    id: "filter/header-modified-twice",
    page: include_str!("header_modified_twice.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut names = Vec::new();
    for site in route.header_modifiers().iter().filter(|site| site.counts()[1] > 1) {
        names.clear();
        names.extend(site.named().take(COMPARED));
        for (index, (at, name, list)) in names.iter().enumerate().skip(1) {
            let same = names[..index].iter().filter(|(_, first, _)| first.eq_ignore_ascii_case(name));
            // What is set may be added to; in one list the first entry counts, and the schema compares letter by letter.
            let rank = |first: &str, other: &HeaderList| match (other == list, first == *name) {
                (true, true) => 2,
                (true, false) => 1,
                (false, _) => 0,
            };
            let conflicting =
                same.filter(|(_, _, other)| other == list || [*other, *list].contains(&HeaderList::Remove));
            let Some((_, first, other)) = conflicting.max_by_key(|(_, first, other)| rank(first, other)) else {
                continue;
            };
            let message = match other == list {
                true => "header `{}` is in this list already as `{}`: only the first entry counts",
                false => "header `{}` is set or added as `{}` and also removed by this filter: choose one",
            };
            let finding = found.duplicate(*at, &name.to_ascii_lowercase(), message);
            finding.args([*name, *first]);
            if rank(first, other) < 2 {
                finding.only_warns();
            }
        }
    }
}
