//! `ingressroute/tls-secret-valid`

use super::tls_secret;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::cluster::secret_facts::{self, Held};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/tls-secret-valid",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("tls_secret_valid.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some((name, secret)) = tls_secret::named(route, cx) else { return };
    let at = At::field("spec.virtualhost.tls.secretName");
    let facts = match secret {
        Lookup::Found(facts) => facts,
        Lookup::Absent => {
            found.not_found(at, name, "there is no Secret `{}`: until there is, the host has no TLS");
            return;
        }
        Lookup::Unknown => return,
    };
    if *facts.kind != *secret_facts::TLS {
        let sentence = "Secret `{}` is of type {}; a certificate is in one of {}";
        found.invalid(at, name, sentence).shown([name, &facts.kind, secret_facts::TLS]);
    }
    let parts = [
        ("tls.crt", state(&facts.certificate), "Secret `{}` has no {}", "what Secret `{}` has in {} is no certificate"),
        (
            "tls.key",
            state(&facts.key),
            "Secret `{}` has no {}",
            "what Secret `{}` has in {} is no key that TLS can use",
        ),
    ];
    for (key, state, missing, unreadable) in parts {
        match state {
            Held::Missing => found.not_found(at, name, missing).shown([name, key]),
            Held::Unreadable => found.invalid(at, name, unreadable).shown([name, key]),
            Held::Read(()) => continue,
        };
    }
}

/// How a part is held, whatever it says.
fn state<T>(held: &Held<T>) -> Held<()> {
    match held {
        Held::Missing => Held::Missing,
        Held::Unreadable => Held::Unreadable,
        Held::Read(_) => Held::Read(()),
    }
}
