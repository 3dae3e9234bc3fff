//! `httpproxy/header-conditions`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::http_proxy::HeaderCondition;
use crate::kinds::{HttpProxy, walk};

/// Tests that no header meets together where they ask for the same value.
const CONTRADICTIONS: [(&str, &str); 3] = [("present", "notpresent"), ("contains", "notcontains"), ("exact", "notexact")];

pub static CHECK: Check = Check {
    id: "httpproxy/header-conditions",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("header_conditions.md"),
    run: Run::HttpProxy(check),
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for block in walk::http_proxy::blocks(proxy) {
        let headers = block.conditions.iter().enumerate();
        let headers = headers.filter_map(|(position, condition)| Some((position, condition.header.as_ref()?)));
        let mut before: Vec<Asked<'_>> = Vec::new();
        for (position, header) in headers {
            let at = || block.header(position);
            let Some(asked) = Asked::of(header) else {
                let sentence = "nothing is asked of header `{}`, so that every request meets it";
                found.required(at(), sentence).shown([&*header.name]).only_warns();
                continue;
            };
            let (name, test) = (&*header.name, asked.test);
            if let Some(other) = before.iter().find(|other| other.contradicts(&asked)) {
                let value = format!("{} {test} {}", name.to_ascii_lowercase(), asked.value);
                let sentence = "no request has header `{}` that is both {} and {}";
                found.invalid(at().then(test), &value, sentence).shown([name, other.test, test]);
            } else if test == "exact" && before.iter().any(|other| other.test == test && other.is_same(&asked)) {
                let sentence = "header `{}` has an exact value already: `{}` is a second one";
                let value = format!("{} {}", name.to_ascii_lowercase(), asked.value);
                found.duplicate(at().then(test), &value, sentence).shown([name, asked.value]);
            }
            before.push(asked);
        }
    }
}

/// What a condition asks of a header: of several tests Contour takes the first.
struct Asked<'h> {
    name: &'h str,
    test: &'static str,
    value: &'h str,
    ignores_case: bool,
}

impl<'h> Asked<'h> {
    fn of(header: &'h HeaderCondition<'_>) -> Option<Self> {
        let (test, value) = header.tests().next()?;
        Some(Self { name: &header.name, test, value, ignores_case: header.ignore_case })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.name.eq_ignore_ascii_case(other.name)
    }

    /// Whether no request meets both.
    fn contradicts(&self, other: &Self) -> bool {
        let pair = |(one, another): &(&str, &str)| (self.test, other.test) == (one, another) || (other.test, self.test) == (one, another);
        let is_alike = self.value == other.value && self.ignores_case == other.ignores_case;
        self.is_same(other) && is_alike && CONTRADICTIONS.iter().any(pair)
    }
}
