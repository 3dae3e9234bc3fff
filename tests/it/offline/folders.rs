//! Which files of a folder are read, how often, and what their absence means.

use std::fs;
use std::os::unix::fs::symlink;

use super::{folder, ingress, lint};

const CLEAN: &str = "1 object, 0 would be denied, 0 warnings\n";

pub fn links_are_followed_once() {
    let folder = folder(&[("a.yaml", &ingress("web", "shop", "shop.example.com", "/"))]);
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("deep")).expect("writable");
    for (target, link) in [(".", "l1"), (".", "l2"), ("..", "deep/up"), ("a.yaml", "b.yaml"), ("deep", "other")] {
        symlink(target, at(link)).expect("writable");
    }
    assert_eq!(lint(folder.path(), &[]), (Some(0), CLEAN.to_owned(), String::new()));

    symlink("nowhere", at("gone.yaml")).expect("writable");
    symlink("gone.yaml", at("gone-too")).expect("writable");
    let (code, printed, errors) = lint(folder.path(), &[]);
    let unread = "incomplete: 1 object, 0 warnings; 1 document not checked\n  cannot be opened: 1 (DIR/gone.yaml)\n";
    assert_eq!((code, &*printed), (Some(3), unread));
    let expected =
        "portcullis: DIR/gone.yaml: is a link to a file that does not exist: restore the file or remove the link\n";
    assert_eq!(errors, expected);
    let link = at("l1");
    assert_eq!(lint(&link, &[]).1, unread, "a link is followed where it is asked for");
}

pub fn copies_are_one_line() {
    let shop = |path: &str| ingress("web", "shop", "shop.example.com", path);
    let same = folder(&[("a.yaml", &shop("/")), ("b.yaml", &shop("/")), ("c.yaml", &(shop("/") + &shop("/")))]);
    let expected = "portcullis: warning: Ingress web/shop is defined 4 times: DIR/a.yaml, DIR/b.yaml, DIR/c.yaml, each time the same\n";
    assert_eq!(lint(same.path(), &[]), (Some(0), CLEAN.to_owned(), expected.to_owned()));

    let unlike = folder(&[("a.yaml", &shop("/")), ("b.yaml", &shop("cart"))]);
    let (code, printed, errors) = lint(unlike.path(), &[]);
    assert_eq!((code, errors.lines().count()), (Some(1), 1), "{errors}");
    assert!(printed.starts_with("DIR/b.yaml: Ingress web/shop\n  9:21  Deny "), "each copy is judged: {printed}");
}

pub fn extensions_in_capitals_are_read() {
    for name in ["a.YAML", "a.Yml", "a.JSON"] {
        let folder = folder(&[(name, &ingress("web", "shop", "shop.example.com", "/"))]);
        assert_eq!(lint(folder.path(), &[]), (Some(0), CLEAN.to_owned(), String::new()), "{name}");
    }
}

pub fn hidden_files_are_counted() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let folder = folder(&[("a.yaml", &shop), (".b.yaml", &shop), (".swp", "x")]);
    for hidden in [".k8s", ".git", "..data"] {
        fs::create_dir(folder.path().join(hidden)).expect("writable");
        fs::write(folder.path().join(hidden).join("c.yaml"), &shop).expect("writable");
    }
    let (code, printed, errors) = lint(folder.path(), &[]);
    assert_eq!((code, &*printed), (Some(0), "1 object, 0 would be denied, 0 warnings; 2 hidden files not read\n"));
    assert!(errors.contains("note: DIR/.k8s: hidden, so 1 file in it is not read"), "{errors}");
    assert_eq!(lint(&folder.path().join(".k8s"), &[]).1, CLEAN, "what is asked for is read");
}

pub fn names_with_another_ending_are_counted() {
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let skipped = ["a.yaml.tmpl", "b.yml.j2", "c.Yaml.gotmpl", "d.json.bak", "e.json5", "f.yaml~"];
    let passed_over = ["a.txt", "a", "yaml", "yaml.txt", "a.yamllint", "a.jsonl"];
    let named = skipped.iter().chain(&passed_over).map(|name| (*name, &*shop));
    let folder = folder(&named.chain([("a.yaml", &*shop)]).collect::<Vec<_>>());
    let (code, printed, errors) = lint(folder.path(), &[]);
    let expected = "1 object, 0 would be denied, 0 warnings; 6 files with another ending not read\n";
    assert_eq!((code, &*printed), (Some(0), expected), "{errors}");
    for name in skipped {
        let note = format!("note: DIR/{name}: not read, since its name does not end in .yaml, .yml or .json");
        assert!(errors.contains(&note), "{errors}");
    }
    assert!(passed_over.iter().all(|name| !errors.contains(&format!("DIR/{name}:"))), "{errors}");
}

pub fn a_folder_without_manifests() {
    for (name, text, words) in [
        ("README.md", "kind: Ingress", "no file with the extension yaml, yml or json"),
        ("values.yaml", "host: a.example.com", "no manifest (a document with apiVersion and kind)"),
        ("empty.yaml", "# nothing\n---\n", "no manifest (a document with apiVersion and kind)"),
    ] {
        let folder = folder(&[(name, text)]);
        let (code, printed, errors) = lint(folder.path(), &[]);
        assert_eq!((code, &*printed), (Some(2), ""), "{name}: {errors}");
        assert_eq!(errors, format!("portcullis: DIR: {words}\n"), "{name}");
    }
    let other = folder(&[("a.yaml", "apiVersion: apps/v1\nkind: Deployment\n")]);
    assert_eq!(lint(other.path(), &[]).0, Some(0), "manifests of other kinds are manifests");
}

pub fn absence_is_known_by_namespace() {
    let service = |namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: Service\nmetadata: {{namespace: {namespace}, name: other}}\nspec: {{ports: [{{port: 80}}]}}\n"
        )
    };
    let shop = ingress("web", "shop", "shop.example.com", "/");
    let warned = |more: &str, flags: &[&str]| {
        let folder = folder(&[("a.yaml", &(shop.clone() + more))]);
        lint(folder.path(), flags).1.contains("Service web/cart not found [")
    };
    assert!(!warned("", &[]));
    assert!(!warned(&service("team"), &[]), "a Service says nothing about other namespaces");
    assert!(warned(&service("web"), &[]));
    assert!(warned(&service("team"), &["--complete"]));
    assert!(!warned(&(service("web") + "---\nkind: Service\nmetadata: [\n"), &[]), "one that is not read may be it");
    assert!(warned(&(service("web") + "---\nkind: Deployment\nmetadata: [\n"), &[]));

    let route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {namespace: web, name: shop}\n\
                 spec: {parentRefs: [{name: edge}], rules: [{backendRefs: [{namespace: team, name: other, port: 80}]}]}\n";
    let grant = |namespace: &str| {
        format!(
            "---\napiVersion: gateway.networking.k8s.io/v1beta1\nkind: ReferenceGrant\nmetadata: {{namespace: {namespace}, name: other}}\n\
             spec: {{from: [{{group: gateway.networking.k8s.io, kind: HTTPRoute, namespace: shop}}], to: [{{group: '', kind: Service}}]}}\n"
        )
    };
    for (more, expected) in [
        (service("team"), true),
        (service("other"), false),
        // A tool may put objects without a namespace into any.
        (service("team") + &service("''"), false),
        (grant("other"), false),
        (service("team") + &grant("other"), true),
        (grant("team"), true),
    ] {
        let folder = folder(&[("a.yaml", &(route.to_owned() + &more))]);
        let (_, printed, errors) = lint(folder.path(), &[]);
        assert_eq!(printed.contains("[route/backend-not-granted]"), expected, "{more}: {printed}{errors}");
    }

    let secret = |namespace: &str| {
        format!(
            "---\napiVersion: v1\nkind: Secret\nmetadata: {{namespace: {namespace}, name: other}}\ntype: kubernetes.io/tls\n"
        )
    };
    let proxy = "---\napiVersion: projectcontour.io/v1\nkind: HTTPProxy\nmetadata: {namespace: web, name: shop}\n\
                 spec: {virtualhost: {fqdn: a.example.com, tls: {secretName: shop-tls}}, routes: [{services: [{name: a, port: 80}]}]}\n";
    for (namespace, expected) in [("team", false), ("web", true)] {
        let folder = folder(&[("a.yaml", &(secret(namespace) + proxy))]);
        let (_, printed, errors) = lint(folder.path(), &[]);
        assert_eq!(printed.contains("[http-proxy/tls-secret-unusable]"), expected, "{namespace}: {printed}{errors}");
    }
}

/// More documents, nodes and events than the default limits of parsers.
pub fn many_documents_and_items() {
    let one = |at: usize| ingress("web", &format!("shop-{at}"), &format!("h{at}.example.com"), "/");
    let documents: String = (0..2_000).map(one).collect();
    let item = |at: usize| {
        let text = one(at);
        text.lines()
            .skip(1)
            .enumerate()
            .map(|(line, text)| format!("{}{text}\n", if line == 0 { "- " } else { "  " }))
            .collect::<String>()
    };
    let list: String = (2_000..12_000).map(item).collect();
    let list = format!("apiVersion: v1\nitems:\n{list}kind: List\n");
    let folder = folder(&[("documents.yaml", &documents), ("list.yaml", &list)]);
    let (code, printed, errors) = lint(folder.path(), &["--profile", "audit"]);
    assert_eq!((code, &*errors), (Some(0), ""), "{printed}");
    assert!(printed.ends_with("12000 objects, 0 would be denied, 0 warnings\n"), "{printed}");
}

pub fn links_out_of_the_folder_are_not_followed() {
    let parent = folder(&[("secret.yaml", &ingress("web", "other", "other.example.com", "cart"))]);
    let app = parent.path().join("app");
    fs::create_dir(&app).expect("writable");
    fs::write(app.join("a.yaml"), ingress("web", "shop", "shop.example.com", "/")).expect("writable");
    for (target, link) in [("..", "up"), ("../secret.yaml", "b.yaml"), ("/dev/null", "notes.txt")] {
        symlink(target, app.join(link)).expect("writable");
    }
    let real = parent.path().canonicalize().expect("it exists");
    let (code, printed, errors) = lint(&app, &[]);
    let counts = "incomplete: 1 object, 0 warnings; 2 documents not checked\n";
    assert_eq!((code, &*printed), (Some(3), &*format!("{counts}  link out of the folder: 2 (DIR/b.yaml, DIR/up)\n")));
    let expected = |link: &str, target: &str| {
        format!(
            "portcullis: DIR/{link}: is a link to {target} outside the given folders, which is not followed: pass the target, too, or exclude the link\n"
        )
    };
    let (up, secret) = (real.display().to_string(), real.join("secret.yaml").display().to_string());
    assert_eq!(errors, expected("b.yaml", &secret) + &expected("up", &up));
    assert_eq!(lint(&app, &["--exclude", "up", "--exclude", "b.yaml"]), (Some(0), CLEAN.to_owned(), String::new()));
    let with = |path: &str| lint(&app, &[path]);
    assert_eq!(with(&secret).2, expected("up", &up), "it leads to more than this file");
    let (code, printed, errors) = with(&up);
    assert!(code == Some(1) && printed.contains("Ingress web/other"), "what is given, too: {printed}{errors}");
    let (code, printed, _) = lint(&app.join("b.yaml"), &[]);
    assert!(code == Some(1) && printed.contains("Ingress web/other"), "a link is followed where it is asked for");

    let only = parent.path().join("only");
    fs::create_dir(&only).expect("writable");
    symlink("../secret.yaml", only.join("b.yaml")).expect("writable");
    let (code, printed, errors) = lint(&only, &[]);
    assert!(code == Some(3) && errors.contains("b.yaml: is a link to "), "{code:?} {printed}{errors}");
    let (code, _, errors) = lint(&parent.path().join("secret.yaml"), &["--objects", only.to_str().expect("a name")]);
    assert!(code == Some(1) && !errors.contains("is a link to"), "it is read already: {errors}");
}

/// As Kubernetes mounts a ConfigMap: each file is a link into a folder of its version, which is a link as well.
pub fn mounted_volumes_are_read() {
    let folder = folder(&[]);
    let version = folder.path().join("..2026_11_26_10_00_00.1");
    fs::create_dir(&version).expect("writable");
    fs::write(version.join("a.yaml"), ingress("web", "shop", "shop.example.com", "/")).expect("writable");
    symlink("..2026_11_26_10_00_00.1", folder.path().join("..data")).expect("writable");
    symlink("..data/a.yaml", folder.path().join("a.yaml")).expect("writable");
    assert_eq!(lint(folder.path(), &[]), (Some(0), CLEAN.to_owned(), String::new()));
}
