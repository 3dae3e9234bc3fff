//! The chart and the base, compared with each other.

use serde_json::{Value, json};

use super::objects::{Objects, overlay, rendered, root};
use crate::harness::{Helm, chart, kustomize};

/// A chart cannot contain the namespace of its release, which is the only difference.
pub fn chart_and_base_are_equal() {
    let mut base = Objects::base(&[]);
    let namespace = base.0.remove("Namespace/portcullis");
    assert!(namespace.is_some(), "the base has a namespace");
    for helm in Helm::ALL {
        Objects::chart(helm, &[]).assert_equal(&base, "the chart and manifests/ differ");
    }
}

/// While an upgrade changes the port, old pods and new ones have two of them. Everything else finds it by its name, so that neither a
/// Service nor a policy leaves out the old pods.
pub fn only_the_pods_know_their_port() {
    let around =
        ["networkPolicy.enabled=true", r#"networkPolicy.ipBlocks=["192.0.2.0/24"]"#, "serviceMonitor.enabled=true"];
    for helm in Helm::ALL {
        let [mut before, now] = ["port=9443", "port=10250"].map(|port| {
            let values = [&around[..], &[port]].concat();
            Objects::of(rendered(helm, "portcullis", &values))
        });
        let deployment = before.0.get_mut("Deployment/portcullis").expect("the chart has pods");
        for (pointer, old, new) in [
            ("args/4", json!("--listen=[::]:9443"), json!("--listen=[::]:10250")),
            ("ports/0/containerPort", json!(9443), json!(10250)),
        ] {
            let value = deployment.pointer_mut(&format!("/spec/template/spec/containers/0/{pointer}"));
            assert_eq!(std::mem::replace(value.expect("a pod has it"), new), old, "{pointer}");
        }
        before.assert_equal(&now, "another port changes more than the pods");
        let name = &now.get("Deployment/portcullis")["spec"]["template"]["spec"]["containers"][0]["ports"][0]["name"];
        assert_eq!(now.get("Service/portcullis")["spec"]["ports"][0]["targetPort"], *name);
        assert_eq!(now.get("NetworkPolicy/portcullis")["spec"]["ingress"][0]["ports"][0]["port"], *name);
    }
}

/// Each component, and the values that do the same.
const COMPONENTS: [(&str, &[&str]); 15] = [
    ("alerts", &["alerts.enabled=true"]),
    ("audit-only", &["auditOnly=true"]),
    ("enforce", &["enforce=true"]),
    ("cert-manager", &[r#"certificates.mode="cert-manager""#]),
    (
        "exempt-namespaces",
        &[r#"exemptNamespaces=["cert-manager","envoy-gateway-system","ingress-nginx","projectcontour"]"#],
    ),
    ("gateway-status", &["controller.gatewayStatus=true"]),
    ("gateway-status-config-maps", &["controller.gatewayStatusConfigMaps.enabled=true"]),
    ("gateway-status-secrets", &["controller.gatewayStatusSecrets.enabled=true"]),
    ("high-availability", &["replicas=3", "podDisruptionBudget.minAvailable=2", ZONES]),
    ("host-claims", &["crds.hostClaims=true", "crds.keep=false"]),
    ("host-requests", &["crds.hostRequests=true", "crds.keep=false"]),
    ("ingress-status", &["controller.ingressStatus=true"]),
    ("maintainer", &["maintainer=true", "enforce=true"]),
    (
        "network-policy",
        &[
            "networkPolicy.enabled=true",
            r#"networkPolicy.ipBlocks=["192.0.2.0/24"]"#,
            r#"networkPolicy.nodeIpBlocks=["192.0.2.0/24"]"#,
        ],
    ),
    ("single-replica", &["replicas=1"]),
];

const ZONES: &str = r#"topologySpreadConstraints=[
    {"topologyKey": "topology.kubernetes.io/zone", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
     "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "portcullis"}}, "matchLabelKeys": ["pod-template-hash"]},
    {"topologyKey": "kubernetes.io/hostname", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway",
     "labelSelector": {"matchLabels": {"app.kubernetes.io/name": "portcullis"}}, "matchLabelKeys": ["pod-template-hash"]}]"#;

pub fn components_equal_values() {
    let folder = super::objects::root().join("manifests/components");
    let mut folders: Vec<String> = std::fs::read_dir(folder)
        .expect("it is in the repository")
        .map(|entry| entry.expect("the folder stays while it is read").file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let mut compared = COMPONENTS.map(|(component, _)| component);
    compared.sort_unstable();
    assert_eq!(folders, compared, "manifests/components and COMPONENTS differ: list the component there");

    let plain = Objects::base(&[]);
    for (component, values) in COMPONENTS {
        let mut base = Objects::base(&[component]);
        // What sets `Fail` has a proof before.
        let fails = |object: &&Value| object.to_string().contains(r#""failurePolicy":"Fail""#);
        assert_eq!(base.0.values().find(fails), None, "component {component}");
        assert_ne!(base, plain, "component {component} changes nothing");
        base.0.remove("Namespace/portcullis");
        Objects::chart(Helm::Four, values).assert_equal(&base, component);
    }
    // Components do not undo each other; only one that denies nothing cannot enforce, and one replica is not high availability. The
    // maintainer contains `enforce`, and would have no CA to maintain.
    let excluded = ["audit-only", "single-replica", "maintainer"];
    let together = COMPONENTS.iter().filter(|(component, _)| !excluded.contains(component));
    let names: Vec<&str> = together.clone().map(|(component, _)| *component).collect();
    let values: Vec<&str> = together.flat_map(|(_, values)| values.iter().copied()).collect();
    let mut base = Objects::base(&names);
    base.0.remove("Namespace/portcullis");
    Objects::chart(Helm::Three, &values).assert_equal(&base, "all components");
}

/// What docs/install.md and docs/access.md add to an overlay does the same as the values.
pub fn overlays_of_the_docs_equal_values() {
    let blocks = |page: &str| {
        let text = portcullis_testing::repository::read(page);
        let blocks: Vec<String> = text
            .split("```yaml\n")
            .skip(1)
            .map(|rest| rest.split("```").next().unwrap_or_default().to_owned())
            .collect();
        move |words: &str| {
            let mut found = blocks.iter().filter(|block| block.contains(words));
            let block: Value = serde_saphyr::from_str(found.next().expect("a page has the block")).expect("it is YAML");
            block
        }
    };
    let (install, access) = (blocks("docs/install.md"), blocks("docs/access.md"));
    let token = "first-0123456789abcdef";
    let mut source = install("kind: ConfigMap\nmetadata:\n  name: cert-manager-account");
    source["data"]["token"] = token.into();
    let tokens = access("name: path-token")["replacements"].to_string().replace("path-token", "cert-manager-account");
    let tokens: Value = serde_json::from_str(&tokens).expect("it is JSON");
    let accounts = install("not-a-solver-of-cert-manager")["replacements"].clone();
    let folder = overlay(&[]);
    let file = folder.join("kustomization.yaml");
    let mut kustomization: Value =
        serde_json::from_str(&std::fs::read_to_string(&file).expect("it was written")).expect("it is JSON");
    kustomization["resources"].as_array_mut().expect("it is a list").push("source.yaml".into());
    kustomization["replacements"] = json!([accounts[0], tokens[0]]);
    std::fs::write(folder.join("source.yaml"), source.to_string()).expect("our folder is writable");
    std::fs::write(&file, kustomization.to_string()).expect("our folder is writable");
    let base = Objects::of(kustomize(&folder));
    let values = [r#"certManager={"namespace":"tls","serviceAccount":"acme"}"#, &format!("pathTokens=[{:?}]", token)];
    let chart = Objects::chart(Helm::Four, &values);
    for kind in ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] {
        let name = format!("{kind}/portcullis");
        assert_ne!(Objects::base(&[]).get(&name), base.get(&name), "{kind}");
        assert_eq!(base.get(&name), chart.get(&name), "{kind}");
    }
    assert!(!base.0.contains_key("ConfigMap/cert-manager-account"));
}

/// Webhooks come before what answers them, in the base and in an overlay like that of the docs. `kubectl delete -k` follows this order.
pub fn webhooks_are_deleted_first() {
    let install = portcullis_testing::repository::read("docs/install.md");
    let example = install.split("```yaml\n").find(|block| block.contains("kind: Kustomization")).unwrap_or_default();
    assert!(example.contains("sortOptions: {order: fifo}"), "{example}");
    let excluded = ["audit-only", "maintainer"];
    let all: Vec<&str> =
        COMPONENTS.iter().map(|(component, _)| *component).filter(|name| !excluded.contains(name)).collect();
    for folder in [root().join("manifests"), overlay(&["enforce"]), overlay(&["maintainer"]), overlay(&all)] {
        let printed = kustomize(&folder).accepted().stdout;
        let kinds: Vec<&str> = printed.lines().filter_map(|line| line.strip_prefix("kind: ")).collect();
        let webhooks = kinds.iter().rposition(|kind| kind.ends_with("WebhookConfiguration"));
        let others = kinds.iter().position(|kind| !kind.ends_with("WebhookConfiguration"));
        assert!(webhooks < others && webhooks == Some(1), "{kinds:?}");
    }
}

/// Nothing names the default namespace, and the namespace of the release is exempt instead.
pub fn another_namespace_is_used_everywhere() {
    let plain = ["serviceMonitor.enabled=true", r#"config={"profile":"audit"}"#];
    let managed = [r#"certificates.mode="cert-manager""#];
    let (elsewhere, managed) =
        (Objects::chart_in("edge", Helm::Four, &plain), Objects::chart_in("edge", Helm::Four, &managed));
    for (key, object) in elsewhere.0.iter().chain(&managed.0) {
        let is_cluster_scoped = key.starts_with("ClusterRole") || key.contains("WebhookConfiguration/");
        let expected = if is_cluster_scoped { Value::Null } else { "edge".into() };
        assert_eq!(object["metadata"]["namespace"], expected, "{key}");
        let text = object.to_string();
        assert!(!text.contains(r#""namespace":"portcullis""#), "{key} names the default namespace: {text}");
    }
    for kind in ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"] {
        let configuration = elsewhere.get(&format!("{kind}/portcullis"));
        for entry in configuration["webhooks"].as_array().expect("a configuration has entries") {
            assert_eq!(entry["clientConfig"]["service"]["namespace"], "edge");
            let exempt = &entry["namespaceSelector"]["matchExpressions"][0]["values"];
            assert!(exempt.is_null() || *exempt == json!(["kube-system", "edge"]), "{exempt}");
            let own = &entry["namespaceSelector"]["matchLabels"];
            assert!(own.is_null() || *own == json!({"kubernetes.io/metadata.name": "edge"}), "{own}");
        }
        let injected = &managed.get(&format!("{kind}/portcullis"))["metadata"]["annotations"];
        assert_eq!(injected["cert-manager.io/inject-ca-from"], "edge/portcullis-tls");
    }
    let enforcing = Objects::chart_in("edge", Helm::Four, &["enforce=true"]);
    for (role, namespace) in [("portcullis-enforce-replicas", "edge"), ("portcullis-enforce", "default")] {
        for kind in ["Role", "RoleBinding"] {
            assert_eq!(enforcing.get(&format!("{kind}/{role}"))["metadata"]["namespace"], namespace);
        }
        assert_eq!(enforcing.get(&format!("RoleBinding/{role}"))["subjects"][0]["namespace"], "edge");
    }
    let certificate = managed.get("Certificate/portcullis-tls");
    assert_eq!(certificate["spec"]["dnsNames"], json!(["portcullis.edge.svc"]));
}

/// A pod that only runs a command must get no reviews, and `--no-hooks` must leave it and its rights out.
pub fn hook_pods_are_not_selected_by_a_service() {
    for helm in Helm::ALL {
        let without = Objects::of(helm.template("portcullis", &["--no-hooks", "--set=controller.gatewayStatus=true"]));
        let chart = Objects::chart(helm, &["controller.gatewayStatus=true"]);
        without.assert_equal(&chart, "--no-hooks leaves out more, or less, than hooks");
        let of_hooks = |key: &&String| {
            key.starts_with("Pod/") || key.contains("-disarm") || key.contains("-test") || key.contains("-finalizers")
        };
        assert_eq!(without.0.keys().find(of_hooks), None);
    }
    let service = Objects::chart(Helm::Three, &[]).get("Service/portcullis")["spec"]["selector"].clone();
    let service = service.as_object().expect("a Service selects pods");
    let hooks = Objects::hooks(Helm::Three, &["controller.gatewayStatus=true"]);
    let pods: Vec<_> = hooks.0.iter().filter(|(key, _)| key.starts_with("Pod/")).collect();
    assert_eq!(pods.len(), 3, "one tests, one disarms, one removes finalizers");
    for (key, pod) in pods {
        let labels = &pod["metadata"]["labels"];
        assert!(service.iter().any(|(label, value)| labels[label] != *value), "the Service selects {key}");
    }
}

/// GitOps tools render a chart again and again, without a cluster, and compare the results.
pub fn a_release_renders_alike_each_time() {
    for helm in Helm::ALL {
        let first = helm.template("portcullis", &[]).accepted().stdout;
        for arguments in [&[][..], &["--is-upgrade"]] {
            assert_eq!(helm.template("portcullis", arguments).accepted().stdout, first, "{helm:?} {arguments:?}");
        }
    }
    for file in portcullis_testing::repository::files("charts/portcullis/templates") {
        let text = portcullis_testing::repository::read(&file);
        for function in ["lookup", "rand", "genCA", "genSelf", "genSigned", "genPrivateKey", "uuidv4", "now"] {
            let calls = text.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(function));
            assert!(!calls, "{file} calls {function}, whose result differs from render to render");
        }
    }
}

pub fn old_versions_are_refused() {
    for helm in Helm::ALL {
        let template = |version: &str| {
            let command = helm.command("template portcullis --kube-version");
            command.arg(version).arg(chart()).run()
        };
        template("1.29.14").refused_with("incompatible with Kubernetes v1.29.14");
        for version in ["1.30.0", "1.34.2-eks-ac2d5a0", "1.37.1"] {
            template(version).accepted();
        }
        rendered(helm, "portcullis", &[]).accepted();
    }
}

/// With a maintainer, the ServiceAccount of the replicas that read reviews only reads webhook configurations and the CA.
pub fn replicas_of_a_maintainer_write_no_webhooks() {
    let writes = |objects: &Objects, account: &str| {
        let bound =
            |binding: &&Value| binding["subjects"].as_array().into_iter().flatten().any(|it| it["name"] == account);
        let roles = objects.0.values().filter(bound).map(|binding| {
            let role = &binding["roleRef"];
            objects.get(&format!(
                "{}/{}",
                role["kind"].as_str().expect("a kind"),
                role["name"].as_str().expect("a name")
            ))
        });
        let rules: Vec<&Value> = roles.flat_map(|role| role["rules"].as_array().into_iter().flatten()).collect();
        let resources = ["validatingwebhookconfigurations", "mutatingwebhookconfigurations", "secrets"];
        let may_write = |rule: &&&Value, resource: &str| {
            let has = |field: &str, value: &str| rule[field].as_array().is_some_and(|all| all.contains(&value.into()));
            has("resources", resource)
                && ["create", "update", "patch", "delete", "*"].iter().any(|verb| has("verbs", verb))
        };
        resources.map(|resource| rules.iter().any(|rule| may_write(&rule, resource)))
    };
    let chart = Objects::chart(Helm::Four, &["maintainer=true", "enforce=true"]);
    for objects in [Objects::base(&["maintainer"]), chart] {
        assert_eq!(writes(&objects, "portcullis"), [false; 3]);
        assert_eq!(writes(&objects, "portcullis-maintainer"), [true; 3]);
        let service = &objects.get("Service/portcullis")["spec"]["selector"];
        let labels = &objects.get("Deployment/portcullis-maintainer")["spec"]["template"]["metadata"]["labels"];
        assert_ne!(service["app.kubernetes.io/name"], labels["app.kubernetes.io/name"], "it gets no reviews");
    }
    assert_eq!(writes(&Objects::base(&["enforce"]), "portcullis"), [true; 3]);
    let managed = [r#"certificates.mode="cert-manager""#, "maintainer=true", "enforce=true"];
    assert_eq!(writes(&Objects::chart(Helm::Four, &managed), "portcullis-maintainer"), [true, false, false]);
    let idle = rendered(Helm::Four, "portcullis", &[r#"certificates.mode="files""#, "maintainer=true"]);
    idle.refused_with("maintainer has nothing to do");
}
