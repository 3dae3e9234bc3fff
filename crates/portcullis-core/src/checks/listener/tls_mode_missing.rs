//! `listener/tls-mode-missing`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::{Cause, Findings};
use crate::kinds::{Listeners, walk};

pub static CHECK: Check = Check {
    id: "listener/tls-mode-missing",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("tls_mode_missing.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_admitted = cx.cluster.schema(cx.this.kind).bundle.release < (1, 5);
    for (at, listener) in walk::listener::listeners(listeners) {
        if &*listener.protocol == "TLS" && listener.tls.is_none() {
            let message = "protocol TLS requires `tls` with mode Terminate or Passthrough";
            let finding = found.add(Cause::Required, at.then("tls"), &listener.name, message);
            if is_admitted {
                finding.only_warns();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Bundle, InstalledSchema};
    use crate::checks::{Operation, Plan, Write};
    use crate::cluster::{Cluster, Event, Overlay};
    use crate::config::Config;
    use crate::finding::Action;
    use crate::kinds::{Kind, decode};

    #[test]
    fn missing_tls_mode_only_warns_on_older_bundles() {
        let json = r#"{"spec": {"listeners": [{"name": "db", "port": 5432, "protocol": "TLS"}]}}"#;
        let gateway = decode(Kind::Gateway, json).expect("a Gateway");
        let plan = Plan::new(Config::default()).expect("a good configuration");
        let action = |version: &str| {
            let bundle = Bundle::parse(version, "standard").expect("a bundle");
            let mut cluster = Cluster::default();
            cluster.apply(Event::Schema(Kind::Gateway, Some(InstalledSchema::assumed(bundle))));
            let this = gateway.object_ref();
            let write =
                Write { operation: Operation::Create, this: &this, user: None, now: jiff::Timestamp::UNIX_EPOCH };
            let outcome = plan.check(&gateway, || None, &Overlay::new(&cluster, &this), &write);
            let own = outcome.findings.into_iter().find(|evaluated| evaluated.finding.check == CHECK.id);
            own.map(|evaluated| evaluated.action)
        };
        assert_eq!([action("v1.4.1"), action("v1.5.0")], [Some(Action::Warn), Some(Action::Deny)]);
    }
}
