//! `listener/option-unprefixed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listeners, walk};
use crate::labels;

pub static CHECK: Check = Check {
    id: "listener/option-unprefixed",
    page: include_str!("option_unprefixed.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, _, tls) in walk::listener::tls(listeners) {
        for (key, _) in tls.options.iter().filter(|(key, _)| !key.contains('/') || !labels::is_key(key)) {
            let sentence = match key.contains('/') {
                true => "`{}` has more than one `/`; write a domain, `/` and a name",
                false => "`{}` needs its owner's domain in front, as in example.com/min-version",
            };
            found.invalid(at.then("options").key(key), key, sentence);
        }
    }
}
