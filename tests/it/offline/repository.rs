//! Some files of a git repository: what they refer to may be in the others.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::ingress;

/// A Service in the namespace `web`.
fn service(name: &str) -> String {
    format!(
        "---\napiVersion: v1\nkind: Service\nmetadata: {{namespace: web, name: {name}}}\nspec: {{ports: [{{port: 80}}]}}\n"
    )
}

/// A repository, with an Ingress that uses Service `cart`, beside another Service, in `apps/shop/shop.yaml`.
fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::create_dir(folder.path().join(".git")).expect("writable");
    let shop = ingress("web", "shop", "shop.example.com", "/") + &service("web");
    for (name, text) in [("apps/shop/shop.yaml", &*shop)].iter().chain(files) {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, text).expect("writable");
    }
    folder
}

/// The code, the checks of the findings, and what is printed to standard error, of `lint` in a folder of a repository.
fn lint(folder: &Path, arguments: &[&str]) -> (Option<i32>, Vec<String>, String) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
    let output = program.arg("lint").args(arguments).current_dir(folder).output().expect("the program runs");
    let printed = String::from_utf8(output.stdout).expect("text");
    let found = printed.lines().filter(|line| line.starts_with("  ")).filter_map(|line| line.rsplit_once('['));
    let found = found.map(|(_, check)| check.trim_end_matches(']').to_owned()).collect();
    assert!(printed.contains(" would be denied"), "{printed}");
    (output.status.code(), found, String::from_utf8(output.stderr).expect("text"))
}

const SHOP: &str = "apps/shop/shop.yaml";
const MISSING: &str = "ingress/service-not-found";

pub(super) fn references_to_surrounding_files_are_not_missing() {
    let cart = service("cart");
    let all = repository(&[("apps/cart/cart.yaml", &cart)]);
    for given in [SHOP, "./apps/shop/shop.yaml", "apps/shop"] {
        assert_eq!(lint(all.path(), &[given]), (Some(0), vec![], String::new()), "{given}");
        assert_eq!(lint(all.path(), &[given, "--isolated"]).1, [MISSING], "{given}");
        assert!(lint(all.path(), &[given, "--complete"]).1.contains(&MISSING.to_owned()), "{given}");
    }
    // A folder of the repository may be the current one, and a worktree has a file instead of a folder.
    assert_eq!(lint(&all.path().join("apps/shop"), &["shop.yaml"]).1, [""; 0]);
    fs::remove_dir(all.path().join(".git")).expect("an empty folder");
    assert_eq!(lint(all.path(), &[SHOP]).1, [MISSING]);
    fs::write(all.path().join(".git"), "gitdir: elsewhere\n").expect("writable");
    assert_eq!(lint(all.path(), &[SHOP]).1, [""; 0]);
}

pub(super) fn surrounding_files_add_no_findings() {
    // The path of another Ingress, a class and a namespace of which no Service is known without them.
    let rival = ingress("bank", "shop", "shop.example.com", "/");
    let class =
        "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: other}\nspec: {controller: a.b/c}\n";
    let bank = service("x").replace("web", "bank");
    let files = [("rival.yaml", &*rival), ("class.yaml", class), ("bank.yaml", &bank), ("broken.yaml", "kind: [")];
    let retired = "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: old}\n";
    let all = repository(&[&files[..], &[("old.yaml", retired), ("values.tmpl.yaml", "{{ a }}")]].concat());
    assert_eq!(lint(all.path(), &[SHOP]), (Some(0), vec![MISSING.to_owned()], String::new()));
}

pub(super) fn a_port_that_a_checked_service_lacks_is_in_no_other_file() {
    let (cart, other) = (service("cart"), service("cart").replace("80", "8080"));
    let all = repository(&[("apps/cart/cart.yaml", &cart), ("apps/shop/cart.yaml", &other)]);
    assert_eq!(lint(all.path(), &["apps/shop"]).1, ["ingress/service-port-not-found"]);
}

pub(super) fn only_the_nearest_project_surrounds_a_file() {
    let cart = service("cart");
    for (elsewhere, expected) in [("examples/a/cart.yaml", &[MISSING][..]), ("charts/cart.yaml", &[])] {
        let all = repository(&[(elsewhere, &cart)]);
        assert_eq!(lint(all.path(), &[SHOP]).1, expected, "{elsewhere}");
    }
    // A document that may contain Services leaves it open whether one is missing; any other does not.
    for (text, expected) in
        [("kind: Service\nspec: [", &[][..]), ("apiVersion: v1\nkind: Deployment\nspec: [", &[MISSING])]
    {
        let text = format!("apiVersion: v1\n{text}");
        assert_eq!(lint(repository(&[("broken.yaml", &text)]).path(), &[SHOP]).1, expected, "{text}");
    }
}
