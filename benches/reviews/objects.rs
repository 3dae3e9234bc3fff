//! The rest of the cluster: the class, the namespaces with their Services, and any number of other Ingresses, as one
//! `List` on disk.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::{Value, json};

use crate::ingress::{CLASS, Ingress, SERVICES, Shape, go_json, usual_paths};

/// The namespace of every reviewed Ingress.
pub const FIRST_NAMESPACE: &str = "team-000";

const NAMESPACES: usize = 200;

/// Writes `cluster.json` into `folder`: all that makes the reviews clean, and `ingresses` others.
pub fn write(folder: &Path, ingresses: usize) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(folder.join("cluster.json"))?);
    file.write_all(br#"{"kind":"List","apiVersion":"v1","items":["#)?;
    file.write_all(go_json(&class()).as_bytes())?;
    for number in 0..NAMESPACES {
        append(&mut file, &namespace(number))?;
        for service in 0..SERVICES {
            append(&mut file, &self::service(number, service))?;
        }
    }
    for number in 0..ingresses {
        append(&mut file, &ingress(number))?;
    }
    file.write_all(b"]}\n")?;
    file.flush()
}

/// The name of the other Ingress with this number; its hosts end in it.
pub fn ingress_name(number: usize) -> String {
    format!("shop-{number:05}")
}

/// The other Ingress with this number: 8.3 KB, in the namespace whose turn it is.
pub fn ingress(number: usize) -> Ingress {
    let (namespace, name) = (namespace_name(number % NAMESPACES), ingress_name(number));
    Ingress::new(&Shape { namespace: &namespace, name: &name, hosts: 10, paths: usual_paths, prefix: "/api" })
}

fn append(file: &mut impl Write, object: &impl Serialize) -> io::Result<()> {
    write!(file, ",{}", go_json(object))
}

fn class() -> Value {
    json!({
        "apiVersion": "networking.k8s.io/v1",
        "kind": "IngressClass",
        "metadata": {"name": CLASS},
        "spec": {"controller": "example.com/ingress-controller"},
    })
}

fn namespace_name(number: usize) -> String {
    format!("team-{number:03}")
}

fn namespace(number: usize) -> Value {
    let name = namespace_name(number);
    let labels = json!({"kubernetes.io/metadata.name": name, "tenant": format!("tenant-{}", number % 20)});
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}})
}

fn service(namespace: usize, number: usize) -> Value {
    let name = format!("svc-{number}");
    let ports = json!([{"name": "http", "port": 8080, "protocol": "TCP", "targetPort": 8080}]);
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": namespace_name(namespace)},
        "spec": {"ports": ports, "selector": {"app.kubernetes.io/name": name}},
    })
}
