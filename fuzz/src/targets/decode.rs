//! JSON objects of each kind.

use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::kinds::{Kind, Partial, decode};

use super::text;
use crate::Target;

/// The first byte selects the kind. If strict decoding succeeds, lenient decoding gives the same object without errors,
/// and its facts can be applied to a view and deleted again.
pub const TARGET: Target = Target { name: "decode", run, seeds };

fn run(data: &[u8]) {
    let Some((first, json)) = data.split_first() else { return };
    let (kind, json) = (Kind::ALL[usize::from(*first) % Kind::ALL.len()], text(json));
    let partial = Partial::read(kind, &json);
    let Ok(object) = decode(kind, &json) else { return };
    assert_eq!(partial.decode_errors, [], "{kind:?} {json}");
    assert_eq!(partial.object.as_ref(), Some(&object), "{kind:?} {json}");
    let mut cluster = Cluster::with(SyncState::Complete);
    let facts = Facts::of(&object);
    cluster.apply(Event::Apply(facts.clone()));
    assert!(cluster.holds(&facts), "{kind:?} {json}");
    cluster.apply(Event::Delete(object.object_ref()));
    assert_eq!(cluster.count(kind), 0, "{kind:?} {json}");
}

fn seeds() -> Vec<Vec<u8>> {
    let specs = [
        r#"{"metadata":{"namespace":"web","name":"a","labels":{"a":"b"}},"spec":{}}"#,
        r#"{"metadata":{"name":"a"},"spec":{"ingressClassName":"nginx","defaultBackend":{"service":{"name":"a","port":{"number":80}}},"tls":[{"hosts":["a.com"],"secretName":"s"}],"rules":[{"host":"a.com","http":{"paths":[{"path":"/","pathType":"Prefix","backend":{"service":{"name":"a","port":{"name":"http"}}}}]}}]}}"#,
        r#"{"metadata":{"name":"a"},"spec":{"gatewayClassName":"a","addresses":[{"type":"IPAddress","value":"10.0.0.1"}],"listeners":[{"name":"a","port":443,"protocol":"HTTPS","hostname":"*.a.com","tls":{"mode":"Terminate","certificateRefs":[{"name":"s","namespace":"n"}]},"allowedRoutes":{"namespaces":{"from":"Selector","selector":{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}},"kinds":[{"kind":"HTTPRoute"}]}}]}}"#,
        r#"{"metadata":{"name":"a"},"spec":{"parentRefs":[{"name":"g","sectionName":"a","port":80}],"hostnames":["a.com"],"rules":[{"matches":[{"path":{"type":"Exact","value":"/a"},"headers":[{"name":"a","value":"b"}],"queryParams":[{"name":"q","value":"1"}],"method":{"service":"a.B","method":"C"}}],"filters":[{"type":"RequestRedirect","requestRedirect":{"hostname":"b.com","path":{"type":"ReplaceFullPath","replaceFullPath":"/"}}}],"backendRefs":[{"name":"a","port":80,"weight":1,"filters":[]}],"timeouts":{"request":"1s"}}]}}"#,
        r#"{"metadata":{"name":"a"},"spec":{"virtualhost":{"fqdn":"a.com","tls":{"secretName":"n/s","passthrough":true}},"tcpproxy":{"services":[{"name":"a","port":443}]},"routes":[{"match":"/","conditions":[{"prefix":"/a"},{"header":{"name":"x","exact":"y"}}],"services":[{"name":"a","port":80,"weight":5}],"delegate":{"name":"b","namespace":"c"}}],"includes":[{"name":"b","conditions":[{"prefix":"/b"}]}]}}"#,
        r#"{"metadata":{"name":"a"},"spec":{"from":[{"group":"gateway.networking.k8s.io","kind":"HTTPRoute","namespace":"n"}],"to":[{"group":"","kind":"Service","name":"a"}],"delegations":[{"secretName":"s","targetNamespaces":["*"]}],"targetRefs":[{"group":"","kind":"Service","name":"a","sectionName":"p"}],"validation":{"hostname":"a.com","wellKnownCACertificates":"System"},"controllerName":"a.com/b","ports":[{"name":"http","port":80,"protocol":"TCP"}]}}"#,
    ];
    let of_kind = |kind: u8| specs.iter().map(move |spec| [&[kind], spec.as_bytes()].concat());
    (0..).take(Kind::ALL.len()).flat_map(of_kind).collect()
}
