//! The hooks of `.pre-commit-hooks.yaml`: pre-commit runs them in a clean repository, with the configuration of docs/guides/pre-commit.md.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;
use portcullis_testing::page::blocks;
use portcullis_testing::repository::{read, root};

use crate::harness::{assets, on_pre_commit, pre_commit, process_guard};

pub fn trials() -> Vec<Trial> {
    vec![
        on_pre_commit("pre_commit::changed_files_are_checked_against_the_others", changed_files_against_the_others),
        on_pre_commit("pre_commit::changed_files_alone_find_what_they_refer_to", changed_files_alone),
        on_pre_commit("pre_commit::kustomizations_are_built", kustomizations_are_built),
        on_pre_commit("pre_commit::files_of_other_programs_pass", files_of_other_programs_pass),
    ]
}

/// A repository whose hooks are those of a second one beside it, which has `.pre-commit-hooks.yaml` in the revision of the guide.
struct Repository(PathBuf);

impl Repository {
    /// With the configuration of the guide.
    fn new() -> Self {
        let page = blocks(&read("docs/guides/pre-commit.md"));
        let revision = concat!("rev: v", env!("CARGO_PKG_VERSION"), "\n");
        let config = page.iter().find(|block| block.text.contains(revision)).expect("the guide has a configuration");
        Self::with_config(&config.text)
    }

    fn with_config(config: &str) -> Self {
        let folder = process_guard().folder("pre-commit");
        let (hooks, bin) = (folder.join("hooks"), folder.join("bin"));
        [&hooks, &bin, &folder.join("work")].into_iter().for_each(|new| fs::create_dir(new).expect("a new folder"));
        symlink(env!("CARGO_BIN_EXE_portcullis"), bin.join("portcullis")).expect("the folder is writable");
        let kubectl = assets().expect("the trial needs them").join("kubectl");
        symlink(kubectl, bin.join("kubectl")).expect("the folder is writable");
        fs::copy(root().join(".pre-commit-hooks.yaml"), hooks.join(".pre-commit-hooks.yaml")).expect("writable");
        let revision = config.lines().find_map(|line| line.trim().strip_prefix("rev: ")).expect("a revision");
        let repository = Self(folder);
        repository.git(&hooks, "init --quiet");
        repository.git(&hooks, "add .");
        repository.git(&hooks, "commit --quiet --message hooks");
        repository.git(&hooks, &format!("tag {revision}"));
        repository.git(&repository.work(), "init --quiet");
        let address = |line: &str| {
            line.find("repo: ")
                .map_or_else(|| line.to_owned(), |at| format!("{}repo: {}", &line[..at], hooks.display()))
        };
        let config: Vec<String> = config.lines().map(address).collect();
        repository.write(".pre-commit-config.yaml", &config.join("\n"));
        repository
    }

    fn work(&self) -> PathBuf {
        self.0.join("work")
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.work().join(name);
        fs::create_dir_all(file.parent().expect("a path below the folder")).expect("the folder is writable");
        fs::write(file, text).expect("the folder is writable");
    }

    fn git(&self, folder: &Path, words: &str) {
        let mut git = process_guard().command("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.com"]).args(words.split(' ')).current_dir(folder);
        let output = git.output().expect("git runs");
        assert!(output.status.success(), "git {words}: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Stages everything, and runs a hook over what has changed since the last commit: whether it passes, and what it prints.
    fn hook(&self, id: &str) -> (bool, String) {
        self.git(&self.work(), "add .");
        let mut command = process_guard().command(pre_commit());
        let path = format!("{}:{}", self.0.join("bin").display(), std::env::var("PATH").expect("the PATH is set"));
        command.args(["run", "--color", "never", id]).current_dir(self.work()).env("PATH", path);
        let output = command.output().expect("pre-commit runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        (output.status.success(), text)
    }

    fn commit(&self) {
        self.git(&self.work(), "add .");
        self.git(&self.work(), "commit --quiet --message change");
    }
}

fn ingress(team: &str, path: &str) -> String {
    format!(
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{namespace: {team}, name: {team}}}\nspec:\n  \
         ingressClassName: public\n  rules:\n  - host: shop.example.com\n    http:\n      paths:\n      \
         - {{path: {path}, pathType: Prefix, backend: {{service: {{name: cart, port: {{number: 80}}}}}}}}\n"
    )
}

fn changed_files_against_the_others() {
    let repository = Repository::new();
    repository.write("teams/shop/shop.yaml", &ingress("shop", "/cart"));
    repository.write("teams/search/search.yaml", &ingress("search", "/search"));
    repository.write("charts/shop/templates/shop.yaml", "{{ if .Values.shop }}\n");
    let (passed, printed) = repository.hook("portcullis-lint");
    assert!(passed && printed.contains("Passed\n"), "{printed}");
    repository.commit();

    repository.write("teams/search/search.yaml", &ingress("search", "/cart"));
    let (passed, printed) = repository.hook("portcullis-lint");
    assert!(!passed && printed.contains("teams/search/search.yaml: Ingress search/search\n"), "{printed}");
    assert!(printed.contains("is already served by Ingress shop/shop") && !printed.contains("charts"), "{printed}");

    repository.write("teams/search/search.yaml", &ingress("search", "/found"));
    assert!(repository.hook("portcullis-lint").0);
    repository.commit();
    repository.write("teams/README.md", "None of these is a manifest.\n");
    let (passed, printed) = repository.hook("portcullis-lint");
    assert!(passed && printed.contains("(no files to check)Skipped\n"), "{printed}");
}

/// Without `--objects`, a Service of another file is not missing, and a template of a chart does not matter.
fn changed_files_alone() {
    let args = "[--quiet, --fail-on, Warn]";
    let config = format!("repos:\n- repo: here\n  rev: v1\n  hooks: [{{id: portcullis-lint, args: {args}}}]\n");
    let repository = Repository::with_config(&config);
    let service = |name: &str| {
        format!(
            "apiVersion: v1\nkind: Service\nmetadata: {{namespace: shop, name: {name}}}\nspec: {{ports: [{{port: 80}}]}}\n"
        )
    };
    repository.write("teams/shop/cart.yaml", &service("cart"));
    repository.write("charts/shop/Chart.yaml", "name: shop\nversion: 1.0.0\n");
    repository.write("charts/shop/templates/shop.yaml", "apiVersion: v1\nkind: Service\n{{ if .Values.shop }}\n");
    repository.commit();
    repository.write("teams/shop/shop.yaml", &(ingress("shop", "/") + "---\n" + &service("web")));
    let (passed, printed) = repository.hook("portcullis-lint");
    assert!(passed, "{printed}");
    repository.write("teams/shop/cart.yaml", &service("basket"));
    let (passed, printed) = repository.hook("portcullis-lint");
    assert!(!passed && printed.contains("Service shop/cart not found"), "{printed}");
}

fn kustomizations_are_built() {
    let repository = Repository::new();
    repository.write("teams/shop/kustomization.yaml", "resources: [shop.yaml]\nnamespace: prod\n");
    repository.write("teams/shop/shop.yaml", &ingress("shop", "/cart"));
    let (passed, printed) = repository.hook("portcullis-lint-all");
    assert!(passed && printed.contains("Passed\n"), "{printed}");
    repository.commit();
    repository.write("teams/shop/kustomization.yaml", "resources: [shop.yaml]\nnamespace: Prod\n");
    let (passed, printed) = repository.hook("portcullis-lint-all");
    assert!(!passed && printed.contains("Prod/shop"), "{printed}");
}

/// Without `files`, a hook gets every YAML and JSON file.
fn files_of_other_programs_pass() {
    let config = "repos:\n- repo: here\n  rev: v1\n  hooks: [{id: portcullis-lint}, {id: portcullis-lint-all}]\n";
    let repository = Repository::with_config(config);
    repository.write("shop.yaml", &ingress("shop", "/cart"));
    repository.commit();
    repository.write("package.json", "{\"name\": \"shop\"}\n");
    repository.write(".github/workflows/ci.yaml", "on: push\njobs: {}\n");
    for id in ["portcullis-lint", "portcullis-lint-all"] {
        let (passed, printed) = repository.hook(id);
        assert!(passed && printed.contains("Passed\n"), "{id}: {printed}");
    }
}
