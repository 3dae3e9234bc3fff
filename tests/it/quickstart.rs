//! The commands of docs/quickstart.md, as they are written there, on its manifest and on a real API server.

use std::fs;
use std::path::Path;
use std::process::Command;

use libtest_mimic::Trial;
use portcullis_testing::page::blocks;
use portcullis_testing::repository::read;

use crate::harness::{ControlPlane, Flavour, on_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_cluster("quickstart::each_command_says_what_the_page_says", each_command_says_what_the_page_says)]
}

/// What each command prints, among other things, and its exit codes. Of the cluster, only what other trials leave there is known.
const COMMANDS: [(&str, &str, &[i32]); 5] = [
    ("portcullis lint shop.yaml", "[host/path-conflict]", &[1]),
    ("portcullis checks show host/path-conflict", "# `host/path-conflict`", &[0]),
    ("portcullis explain https://shop.example.com/cart/7 --objects shop.yaml", "Ingress web/shop", &[0]),
    ("portcullis audit --context my-cluster", " object", &[0, 1]),
    (
        "portcullis explain https://shop.example.com/cart/7 --context my-cluster",
        "GET https://shop.example.com/cart/7",
        &[0, 1],
    ),
];

fn each_command_says_what_the_page_says() {
    let control_plane = ControlPlane::shared(Flavour::Plain);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let page = blocks(&read("docs/quickstart.md"));
    let manifest = page.iter().find(|block| block.words == "yaml").expect("the page has a manifest");
    fs::write(folder.path().join("shop.yaml"), &manifest.text).expect("the folder is writable");
    let kubeconfig = folder.path().join("kubeconfig");
    fs::copy(control_plane.kubeconfig(), &kubeconfig).expect("the folder is writable");
    let context = control_plane.kubectl("config current-context").run().accepted().stdout;
    let rename = format!("config rename-context {} my-cluster --kubeconfig {}", context.trim(), kubeconfig.display());
    control_plane.kubectl(&rename).run().accepted();

    let lines = page.iter().filter(|block| block.words == "sh").flat_map(|block| block.text.lines());
    let lines: Vec<&str> = lines.filter(|line| line.starts_with("portcullis ")).collect();
    assert_eq!(lines, COMMANDS.map(|(line, ..)| line), "the page has other commands");
    for (line, expected, codes) in COMMANDS {
        let (code, printed) = run(line, folder.path(), &kubeconfig);
        assert!(code.is_some_and(|code| codes.contains(&code)), "{line}: exit code {code:?}\n{printed}");
        assert!(printed.contains(expected), "{line}:\n{printed}");
    }
}

fn run(line: &str, folder: &Path, kubeconfig: &Path) -> (Option<i32>, String) {
    let program = Command::new(env!("CARGO_BIN_EXE_portcullis"))
        .args(line.split_whitespace().skip(1))
        .current_dir(folder)
        .env("KUBECONFIG", kubeconfig)
        .output();
    let output = program.expect("the program runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (output.status.code(), text(output.stdout) + &text(output.stderr))
}
