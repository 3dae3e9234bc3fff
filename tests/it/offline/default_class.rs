//! Ingresses without a class in files get the default class of the files, as new Ingresses get it from the API server.

use portcullis::files::Folder;
use portcullis_core::cluster::{Cluster, Overlay};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

use super::{folder, ingress, lint};

/// An Ingress without a class.
fn classless(namespace: &str, name: &str) -> String {
    ingress(namespace, name, "shop.example.com", "/").replace("  ingressClassName: public\n", "")
}

fn class(name: &str, created: &str, default: &str) -> String {
    let created = if created.is_empty() { String::new() } else { format!("creationTimestamp: \"{created}\", ") };
    format!(
        r#"---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {{name: {name}, {created}annotations: {{ingressclass.kubernetes.io/is-default-class: "{default}"}}}}
spec: {{controller: example.com/{name}}}
"#
    )
}

const CONFLICT: &str = "[host/path-conflict]";

pub fn a_classless_ingress_conflicts() {
    let named = ingress("web", "shop", "shop.example.com", "/");
    let pairs = [
        (named.clone(), classless("team-b", "copy")),
        (classless("team-b", "copy"), named),
        (classless("web", "shop"), classless("team-b", "copy")),
    ];
    for (one, other) in pairs {
        let folder = folder(&[("a.yaml", &(one + &other)), ("class.yaml", &class("public", "", "true"))]);
        let (_, printed, errors) = lint(folder.path(), &[]);
        let expected = "path / on shop.example.com is also served by Ingress ";
        assert!(printed.contains(expected) && printed.contains("(default class public)"), "{printed}{errors}");
        assert_eq!(printed.matches(CONFLICT).count(), 1, "a pair is named once:\n{printed}");
    }
    let apart = [ingress("web", "shop", "shop.example.com", "/"), classless("team-b", "copy")].concat();
    for class in [class("other", "", "true"), class("public", "", "false"), class("public", "", "True"), String::new()]
    {
        let folder = folder(&[("a.yaml", &format!("{apart}{class}"))]);
        let (_, printed, _) = lint(folder.path(), &[]);
        assert!(!printed.contains(CONFLICT), "{class}\n{printed}");
    }
}

pub fn newest_default_class_is_used() {
    let (january, march) = ("2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z");
    let cases = [
        ([("public", january), ("other", march)], false),
        ([("public", march), ("other", january)], true),
        // Of two classes with the same age, the first one by name is used.
        ([("public", march), ("other", march)], false),
        ([("public", march), ("zebra", march)], true),
        // A class that is not created yet is newer than any stored one.
        ([("public", ""), ("other", march)], false),
    ];
    for (classes, is_found) in cases {
        let classes = classes.map(|(name, created)| class(name, created, "true")).concat();
        let both = ingress("web", "shop", "shop.example.com", "/") + &classless("team-b", "copy");
        let folder = folder(&[("a.yaml", &(both + &classes))]);
        let (_, printed, _) = lint(folder.path(), &[]);
        assert_eq!(printed.contains(CONFLICT), is_found, "{classes}\n{printed}");
    }
}

pub fn default_class_is_not_set_if_a_class_is_named() {
    let annotated = |value: &str| {
        let annotations = format!("name: copy, annotations: {{kubernetes.io/ingress.class: \"{value}\"}}");
        classless("team-b", "copy").replace("name: copy", &annotations)
    };
    let empty = classless("team-b", "copy").replace("spec:\n", "spec:\n  ingressClassName: \"\"\n");
    for other in [annotated("other"), annotated(""), empty] {
        let both = ingress("web", "shop", "shop.example.com", "/") + &other;
        let folder = folder(&[("a.yaml", &(both + &class("public", "", "true")))]);
        let (_, printed, _) = lint(folder.path(), &[]);
        assert!(!printed.contains(CONFLICT), "{other}\n{printed}");
    }
}

pub fn default_class_is_checked() {
    let config = "apiVersion: config.portcullis.dev/v1alpha1\nkind: PortcullisConfiguration\n\
                  checks: {ingress/class-not-allowed: {classes: [{class: public, namespaces: {names: [web]}}]}}\n";
    let objects = [classless("web", "shop"), classless("team-b", "copy"), class("public", "", "true")].concat();
    let folder = folder(&[("a.yaml", &objects), ("config", config)]);
    let path = folder.path().join("config");
    let (_, printed, errors) = lint(&folder.path().join("a.yaml"), &["--config", path.to_str().expect("a plain name")]);
    let expected = "spec.ingressClassName: no class is named, and the default class public is not allowed in namespace team-b: \
                name another class [ingress/class-not-allowed]";
    assert!(printed.contains(expected), "{printed}{errors}");
    assert_eq!(printed.matches("[ingress/class-not-allowed]").count(), 1, "{printed}");
    assert!(!printed.contains("class-missing"), "{printed}");
}

pub fn without_all_classes_no_default_is_known() {
    let both = ingress("web", "shop", "shop.example.com", "/") + &classless("team-b", "copy");
    let unread = "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: newer\n";
    let folder = folder(&[("a.yaml", &(both + &class("public", "", "true"))), ("b.yaml", unread)]);
    let (_, printed, _) = lint(folder.path(), &[]);
    assert!(!printed.contains(CONFLICT), "{printed}");
}

/// A view that is filled from files follows changes of the class.
pub fn removed_default_class_is_forgotten() {
    let files = folder(&[("a.yaml", &classless("web", "shop")), ("class.yaml", &class("public", "", "true"))]);
    let (mut folder, mut cluster) = (Folder::new(&[files.path().to_owned()], KindSet::EVERY), Cluster::default());
    let no_object = ObjectRef::new(Kind::Ingress, "team-b", "new");
    let mut number_of_class = || {
        folder.refresh().expect("the folder can be read").into_iter().for_each(|event| cluster.apply(event));
        Overlay::new(&cluster, &no_object).ingresses_of_class("public").count()
    };
    assert_eq!(number_of_class(), 1);
    std::fs::write(files.path().join("class.yaml"), class("public", "", "a longer text"))
        .expect("a file can be written");
    assert_eq!(number_of_class(), 0);
}
