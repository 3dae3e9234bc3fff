//! `portcullis demo` against the thing that it stands for: the same writes with kubectl and an API server.

use std::fs;

use libtest_mimic::Trial;
use portcullis_testing::pages::manifests;

use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{Channel, ControlPlane, Flavour, NEWEST, crds, on_full_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_full_cluster("live::demo_shows_what_kubectl_prints", demo_shows_what_kubectl_prints)]
}

/// What the cluster of the demo has at the beginning.
const CLUSTER: [&str; 5] = [
    "examples/cluster/classes.yaml",
    "examples/cluster/team-b.yaml",
    "examples/cluster/web.yaml",
    "demo/gateway-class.yaml",
    "demo/gateway.yaml",
];

fn demo_shows_what_kubectl_prints() {
    let control_plane = ControlPlane::serving(Flavour::NoDefaultIngressClass, crds(NEWEST, Channel::Standard));
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Both, "");
    // The webhooks fill in the class of the Gateway.
    for text in CLUSTER.map(read) {
        manifests(&text).iter().for_each(|manifest| fixture.track(&manifest.object_ref));
        fixture.kubectl("apply -f -").stdin(&text).run().accepted();
        fixture.settle();
    }
    let shown = read("tests/golden/demo.txt");
    let steps = shown.split("$ kubectl apply -f ").skip(1);
    let mut writes = 0;
    for step in steps {
        let (file, rest) = step.split_once('\n').expect("an output follows a command");
        // Comments are about the next command, or say what kubectl does not.
        let expected: String =
            rest.split_inclusive('\n').take_while(|line| *line != "\n").filter(|line| !line.starts_with('#')).collect();
        let output = fixture.kubectl("apply --dry-run=server -f -").stdin(&read(&format!("demo/{file}"))).run();
        let printed = format!("{}{}", output.stderr, output.stdout.replace(" (server dry run)", ""));
        assert_eq!(printed, expected, "{file}");
        writes += 1;
    }
    assert_eq!(writes, 6, "{shown}");
}

fn read(file: &str) -> String {
    fs::read_to_string(file).unwrap_or_else(|why| panic!("{file}: {why}"))
}
