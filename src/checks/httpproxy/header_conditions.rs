//! `httpproxy/header-conditions`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{HttpProxy, walk};
use crate::matching::conditions::{Clash, HeaderAsked, HeadersAsked};

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
        let mut before = HeadersAsked::default();
        for (position, header) in headers {
            let at = || block.header(position);
            let Some(asked) = HeaderAsked::of(header) else {
                let sentence = "nothing is asked of header `{}`, so that every request meets it";
                found.required(at(), sentence).shown([&*header.name]).only_warns();
                continue;
            };
            let (name, test) = (&*header.name, asked.test);
            match before.add(asked) {
                Some(Clash::Contradiction(other)) => {
                    let value = format!("{} {test} {}", name.to_ascii_lowercase(), asked.value);
                    let sentence = "no header `{}` is both {} and {}";
                    found.invalid(at().then(test), &value, sentence).shown([name, &*other.words(), &*asked.words()]);
                }
                Some(Clash::SecondValue(_)) => {
                    let sentence = "header `{}` has an exact value already: `{}` is a second one";
                    let value = format!("{} {}", name.to_ascii_lowercase(), asked.value);
                    found.duplicate(at().then(test), &value, sentence).shown([name, asked.value]);
                }
                None => {}
            }
        }
    }
}
