//! `http-proxy/include-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::finding::Findings;
use crate::kinds::http_proxy::Traffic;
use crate::kinds::{HttpProxy, Kind, ObjectRef, walk};
use crate::routing::Includes;

pub static CHECK: Check = Check {
    id: "http-proxy/include-not-found",
    needs: &[Kind::HttpProxy],
    page: include_str!("include_not_found.md"),
    run: Run::HttpProxy(check),
    ..Check::reference(Actions::WARN)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let includes = Includes::new(cx.cluster, cx.this, cx.subject.class);
    for included in walk::http_proxy::included_proxies(proxy) {
        let object_ref = ObjectRef::new(Kind::HttpProxy, included.namespace, included.name);
        if object_ref == *cx.this {
            continue;
        }
        let value = format!("{}/{}", object_ref.namespace, object_ref.name);
        match (cx.cluster.delegation(&object_ref), included.traffic) {
            (Lookup::Absent, traffic) => {
                let template = match traffic {
                    Traffic::Requests => "HTTPProxy {} not found: requests of this include get 502 until it exists",
                    Traffic::Connections => "HTTPProxy {} not found: the host accepts no connections until it exists",
                };
                found.not_found(included.at, &value, template).suggest(cx.cluster.similar(&object_ref));
            }
            (Lookup::Found(facts), _) if !includes.has_same_class(facts) => {
                let message = "{other} has {}, so Contour treats it as missing";
                let class =
                    facts.class.as_deref().map_or("the default class".to_owned(), |class| format!("class `{class}`"));
                found
                    .not_found(included.at, &value, message)
                    .other(&object_ref)
                    .args([""; 0])
                    .redactable(&class, "another class");
            }
            _ => {}
        }
    }
}
