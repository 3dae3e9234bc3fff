//! Annotations with which controllers add hosts to an Ingress.

use portcullis_core::kinds::{Kind, Object, decode};
use portcullis_core::matching::{Claims, Depth};
use serde_json::json;

use super::text;
use crate::Target;

/// The first line is the key, and the rest is the value. The host claims of an annotation are the same each time they
/// are computed, and each claimed host covers itself.
pub const TARGET: Target = Target { name: "annotations", run, seeds };

fn run(data: &[u8]) {
    let data = text(data);
    let (key, value) = data.split_once('\n').unwrap_or((&data, ""));
    let object = json!({
        "metadata": {"namespace": "web", "name": "a", "annotations": {key: value}},
        "spec": {"rules": [{"host": "a.example.com"}, {"host": "*.b.example.com"}, {}]},
    });
    let json = object.to_string();
    let Ok(Object::Ingress(ingress)) = decode(Kind::Ingress, &json) else { panic!("{json} is an Ingress") };
    let claims = Claims::of_ingress(&ingress);
    for alias in &claims.aliases {
        let added = alias.claims(&claims.hosts);
        assert_eq!(added, alias.claims(&claims.hosts), "{key}: {value}");
        for claim in added {
            assert!(claim.host.covers(&claim.host, Depth::OneLabel), "{key}: {value}: {claim:?}");
        }
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let rows = [
        ("nginx.ingress.kubernetes.io/server-alias", "b.example.com, *.c.example.com ~^d\\d+\\.example\\.(com|org)$"),
        (
            "nginx.ingress.kubernetes.io/server-snippet",
            "server_name e.example.com;\nlocation ~ ^/a { return 200 \"};\"; } # }",
        ),
        (
            "nginx.ingress.kubernetes.io/configuration-snippet",
            "rewrite_by_lua_block { ngx.say([[ } ]]) -- }\n}\ninclude /etc/a;",
        ),
        ("external-dns.alpha.kubernetes.io/hostname", "a.example.com,b.example.com."),
        ("haproxy.org/server-alias", "a.example.com b.example.com"),
        ("haproxy-ingress.github.io/server-alias-regex", "[a-z]+\\.example\\.com"),
        (
            "alb.ingress.kubernetes.io/conditions.a",
            r#"[{"field":"host-header","hostHeaderConfig":{"values":["*.example.com"]}}]"#,
        ),
        ("alb.ingress.kubernetes.io/actions.a", r#"{"type":"redirect","redirectConfig":{"host":"b.example.com"}}"#),
        (
            "getambassador.io/config",
            "---\napiVersion: getambassador.io/v2\nkind: Mapping\nhost: a.example.com\nhost_regex: true\n",
        ),
        (
            "kubernetes.io/ingress.http-rules",
            r#"[{"host":"a.example.com","path":"/","backend":{"serviceName":"a","servicePort":"80"}}]"#,
        ),
        ("traefik.ingress.kubernetes.io/router.rule", "Host(`a.example.com`) || HostRegexp(`{s:[a-z]+}.example.com`)"),
    ];
    rows.map(|(key, value)| format!("{key}\n{value}").into_bytes()).to_vec()
}
