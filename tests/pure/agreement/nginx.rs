//! `docs/ingress-nginx.md` lists the annotations of ingress-nginx, as the table of the core has them.

use portcullis_core::nginx::annotations::{self, Annotation, Evaluation};
use portcullis_testing::golden;

const FILE: &str = "docs/ingress-nginx.md";

const HEAD: &str = "\
# ingress-nginx as explain reads it

For a class of the controller `k8s.io/ingress-nginx`, `portcullis explain` answers as ingress-nginx 1.15.1 does, the last release: from
the servers and locations that it makes of all its Ingresses. 1,790 recorded answers of that release are replayed in the tests
(`tests/recorded`); at least 99 % are right. Other data planes read the same annotations (Traefik, Higress, forks) and may
answer differently.

What surprises most:

- **One Ingress changes others.** `use-regex`, or a `rewrite-target` that differs from its path, makes every path of the *host* an expression
  that ignores case and has no end: Exact `/bar` then also answers `/barx`. The longest path is tried first.
- **Every host has a location `/`** with the annotations of the Ingress that names the host first: its redirect or its authentication
  applies to paths that no Ingress has. First is the oldest; of those created in the same second, the greater `namespace/name`.
- **`ImplementationSpecific` is `Prefix`**, and a path that ends in `/` redirects the path without it (301), even an Exact one.
- **A section `tls` redirects every host of its Ingress** to HTTPS (308), listed or not, with or without the Secret, for the paths of all
  Ingresses. Redirects by `permanent-redirect`, `temporal-redirect` and `app-root` come before it, and before authentication.
- **A canary belongs to the Service**, not to the path: other hosts and paths with the same Service and port send their share, too. If one
  path of a canary has no primary with the same host, path and type, the canary gets no request at all.
- **An Ingress may disappear as a whole**: because of a snippet, unless the controller allows snippets and the risk `Critical`, and
  because of an invalid `auth-url`, `auth-type`, `permanent-redirect` or `permanent-redirect-code`.
- **Paths are decoded, resolved and merged** before they are compared; the backend gets the path as sent, unless it is rewritten.

The ConfigMap of the controller is read from files if it has the name `ingress-nginx-controller`: `http-redirect-code`,
`use-forwarded-headers`, `ssl-redirect`, `force-ssl-redirect`, `allow-snippet-annotations`, `annotations-risk-level`, `global-auth-url`
and `custom-http-errors` count. `explain --client ADDRESS` says from where the request comes, for lists of networks.

Not evaluated: endpoints (a Service with the port is taken to have some), the size of bodies, protocols of backends, limits of
requests, and what snippets do. An answer that one of the annotations below may change names it, or says with which codes.

## Annotations

The names have the prefix `nginx.ingress.kubernetes.io/`. `just docs` writes this file.

";

/// The cell that says whether an annotation is evaluated.
fn evaluation(row: &Annotation) -> &'static str {
    match row.evaluation {
        Evaluation::Evaluated | Evaluation::Partly => "evaluated",
        Evaluation::Unchanged => "changes no answer",
        Evaluation::Named => "named",
    }
}

#[test]
fn the_page_of_ingress_nginx_is_current() {
    let mut page = HEAD.to_owned();
    page += "| annotation | default | what it does | in the Gateway API | `explain` |\n|---|---|---|---|---|\n";
    for row in annotations::table().filter(|row| !row.meaning.is_empty()) {
        let default = if row.default.is_empty() { String::new() } else { format!("`{}`", row.default) };
        let (name, meaning, counterpart) = (row.name, row.meaning, row.counterpart);
        page += &format!("| `{name}` | {default} | {meaning} | {counterpart} | {} |\n", evaluation(row));
    }
    golden::must_be_current(FILE, &page);
}
