//! `gateway/text-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::{Gateway, walk};

/// The most characters of a name or an address.
const NAME: usize = 253;
/// The most characters of an annotation's value.
const ANNOTATION: usize = 4096;

pub static CHECK: Check = Check {
    id: "gateway/text-too-long",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("text_too_long.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut judge = |at: &dyn Fn() -> FieldPath, text: &str, most: usize| {
        // Bytes first: counting characters is dear, and no text has more of them.
        if text.len() > most && text.chars().count() > most {
            let sentence = "{} characters are too many; there is room for {}";
            found.too_long(at(), text, sentence).shown([text.chars().count().to_string(), most.to_string()]);
        }
    };
    judge(&|| At::field("spec.gatewayClassName").into(), gateway.class(), NAME);
    for (at, address) in walk::gateway::addresses(gateway) {
        judge(&|| at.then("type"), address.kind(), NAME);
        judge(&|| at.then("value"), address.value.as_deref().unwrap_or_default(), NAME);
    }
    for (key, value) in gateway.spec.infrastructure.iter().flat_map(|infrastructure| infrastructure.annotations.iter())
    {
        judge(&|| At::field("spec.infrastructure.annotations").key(key), value, ANNOTATION);
    }
}
