//! `listener/hostname-overlap`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Listener, Listeners, walk};
use crate::matching::Host;
use crate::matching::host::Depth;

pub static CHECK: Check = Check {
    id: "listener/hostname-overlap",
    page: include_str!("hostname_overlap.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::WARN)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, listener, earlier) in walk::listener::with_earlier(listeners).filter(|(_, listener, _)| listener.is_tls())
    {
        let host = Host::parse(listener.hostname());
        let overlaps = |other: &&Listener<'_>| {
            let is_same = (&other.protocol, &other.hostname) == (&listener.protocol, &listener.hostname);
            other.is_tls()
                && other.port == listener.port
                && !is_same
                && Host::parse(other.hostname()).meets(&host, Depth::AnyLabels)
        };
        let Some(other) = earlier.iter().find(overlaps) else { continue };
        let theirs = Host::parse(other.hostname()).to_string();
        found
            .invalid(
                at.then("hostname"),
                &format!("{host} {theirs}"),
                "{} overlaps {} of `{}`: a connection may serve both",
            )
            .shown([&*host.to_string(), &theirs, &other.name]);
    }
}
