//! `filter/list-too-long`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::{Route, walk};

/// The most filters of a list.
const FILTERS: usize = 16;
/// The most headers of a list.
const HEADERS: usize = 16;
/// The most methods of CORS, of which there are nine.
const METHODS: usize = 9;
/// The most entries of the other lists of CORS.
const ENTRIES: usize = 64;

pub static CHECK: Check = Check {
    id: "filter/list-too-long",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("list_too_long.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut judge = |at: FieldPath, count: usize, most: usize| {
        let [count, most] = [count, most].map(|number| number.to_string());
        found.invalid(at, &count, "{} entries; at most {} are allowed").args([&count, &most]);
    };
    for list in route.filter_lists().iter().filter(|list| list.filters.len() > FILTERS) {
        judge(list.at().into(), list.filters.len(), FILTERS);
    }
    let modifiers = route.header_modifiers().iter().filter(|site| site.counts()[0] > HEADERS);
    for (at, count) in modifiers.flat_map(|site| site.lists()).filter(|(_, count)| *count > HEADERS) {
        judge(at.into(), count, HEADERS);
    }
    if matches!(route.route(), Route::Http(_)) {
        for list in walk::filter::cors(route).flat_map(|site| site.lists()) {
            let most = if list.name == "allowMethods" { METHODS } else { ENTRIES };
            if list.texts.len() > most {
                judge(list.at.into(), list.texts.len(), most);
            }
        }
    }
}
