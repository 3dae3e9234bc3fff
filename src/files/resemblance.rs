//! Classifies a document that contains no object of a supported kind: an object of another kind, something else, or a
//! manifest that cannot be checked as it is written. A document is skipped only if it certainly contains no object of a
//! supported kind.

use std::path::Path;

use serde_json::{Map, Value};

use super::cause::UnreadCause;
use super::lookalike::{is_of_our_groups, meant, written};
use portcullis_core::kinds::retired::Retired;
use portcullis_core::kinds::{Kind, KindSet};

/// The class of a document without an object of a supported kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Resemblance {
    /// An object of an unsupported kind.
    OtherKind,
    /// Not a Kubernetes object.
    NoObject,
    /// The document may be meant as an object of a supported kind.
    Ours(Doubt),
}

/// The reason why a document that may contain an object of a supported kind is not read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Doubt {
    pub cause: UnreadCause,
    pub message: String,
    /// The kind that is probably meant, if that is known.
    pub meant: Option<Kind>,
}

/// Top-level fields of the `spec` of supported kinds. Only some of them also occur in Helm values or in files of other
/// tools.
const SPEC_FIELDS: [&str; 12] = [
    "backend",
    "defaultBackend",
    "gatewayClassName",
    "hostnames",
    "ingressClassName",
    "listeners",
    "parentRef",
    "parentRefs",
    "routes",
    "rules",
    "targetRefs",
    "virtualhost",
];
/// The top-level fields of an object and of a list of objects.
const OBJECT_FIELDS: [&str; 6] = ["apiVersion", "kind", "metadata", "spec", "status", "items"];
/// File names, without extension, that belong to other tools.
const TOOL_FILES: [&str; 4] = ["chart", "docker-compose", "package", "package-lock"];
/// Words at the beginning or end of file names that belong to other tools: `values-prod`, `compose.override`.
const TOOL_FILE_WORDS: [&str; 5] = ["compose", "kustomization", "openapi", "swagger", "values"];
/// The fields that say what an object is, and the maximum number of typos in their names.
const KIND: (&str, usize) = ("kind", 1);
const API_VERSION: (&str, usize) = ("apiVersion", 2);

/// Whether the name of `file` shows that another tool reads it.
pub(super) fn is_of_tool(file: &Path) -> bool {
    let name = file.file_stem().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let (first, last) = (words.next(), words.next_back());
    let is_word = |word: Option<&str>| word.is_some_and(|word| TOOL_FILE_WORDS.contains(&word));
    TOOL_FILES.contains(&&*name) || name.starts_with("docker-compose.") || is_word(first) || is_word(last)
}

/// Classifies `document` of `file`, which is not an object of a supported kind in a served version.
pub(super) fn resemblance(file: &Path, document: &Value) -> Resemblance {
    match document {
        Value::Object(fields) => of_fields(file, fields),
        Value::Array(elements) if elements.iter().any(|element| may_be_ours(file, element)) => {
            Resemblance::Ours(Doubt {
                cause: UnreadCause::NoObject,
                message:
                    "a list of objects without a `List` around it: put the objects under `items` of `kind: List`, or \
                      separate them by `---`"
                        .to_owned(),
                meant: None,
            })
        }
        Value::Array(_) | Value::Null => Resemblance::NoObject,
        Value::Bool(_) | Value::Number(_) | Value::String(_) if is_of_tool(file) => Resemblance::NoObject,
        Value::String(text) if is_encoded(text) => Resemblance::NoObject,
        Value::Bool(_) | Value::Number(_) | Value::String(_) => Resemblance::Ours(Doubt {
            cause: UnreadCause::NoObject,
            message: "not an object, but a single value: write a space after each colon, and one field a line"
                .to_owned(),
            meant: None,
        }),
    }
}

/// Whether a text is one word that names no field of an object, such as encrypted data.
fn is_encoded(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    !text.contains(char::is_whitespace)
        && !["apiversion:", "kind:", "metadata:"].iter().any(|field| lower.contains(field))
}

/// Whether an element of a list is an object of a supported kind, or may be meant as one.
fn may_be_ours(file: &Path, element: &Value) -> bool {
    let Value::Object(fields) = element else { return false };
    let text = |field: &str| fields.get(field).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    Kind::of_manifest(api_version, kind).is_some()
        || Retired::of(api_version, kind).is_some()
        || (api_version, kind) == ("v1", "Secret")
        || matches!(of_fields(file, fields), Resemblance::Ours(_))
}

/// The fields that say what an object is, under their correct or a misspelled name.
struct Head<'d> {
    api_version: Option<&'d str>,
    kind: Option<&'d str>,
    /// Misspelled field names: the written name and the correct one.
    misspelled: Vec<(&'d str, &'static str)>,
}

impl<'d> Head<'d> {
    fn of(fields: &'d Map<String, Value>) -> Self {
        let mut misspelled = Vec::new();
        let mut find = |(name, most): (&'static str, usize), is_likely: fn(&str) -> bool| {
            if let Some(value) = fields.get(name) {
                return value.as_str().filter(|value| !value.is_empty());
            }
            let near = fields.iter().find_map(|(key, value)| {
                let value = value.as_str().filter(|value| !value.is_empty())?;
                let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_lowercase();
                let slips = strsim::osa_distance(&plain, &name.to_lowercase());
                (slips == 0 || slips <= most && is_likely(value)).then_some((key.as_str(), value))
            });
            near.map(|(key, value)| {
                misspelled.push((key, name));
                value
            })
        };
        let kind = find(KIND, |value| meant("", value).is_some());
        let api_version = find(API_VERSION, is_of_our_groups);
        Self { api_version, kind, misspelled }
    }

    /// The reason why an object with this head is not read. `meant` is the kind that it probably is.
    fn doubt(&self, meant: Option<Kind>) -> Resemblance {
        let fault = self.fault();
        let cause = if fault.is_some() { UnreadCause::NoObject } else { UnreadCause::UnknownKind };
        let written_as = meant.map(|kind| format!("; use {}", written(kind))).unwrap_or_default();
        let unknown = || {
            let (api_version, kind) = (self.api_version.unwrap_or_default(), self.kind.unwrap_or_default());
            format!("`{api_version}` has no kind `{kind}`")
        };
        let message = fault.unwrap_or_else(unknown) + &written_as;
        Resemblance::Ours(Doubt { cause, message, meant })
    }

    /// The error in the fields of the head, if there is one.
    fn fault(&self) -> Option<String> {
        if let Some((key, name)) = self.misspelled.first() {
            return Some(format!("`{key}` is not a field of an object: write `{name}`"));
        }
        match (self.api_version, self.kind) {
            (None, None) => Some("`apiVersion` and `kind` are required".to_owned()),
            (None, _) => Some("`apiVersion` is required, and must be text".to_owned()),
            (_, None) => Some("`kind` is required, and must be text".to_owned()),
            _ => None,
        }
    }
}

fn of_fields(file: &Path, fields: &Map<String, Value>) -> Resemblance {
    let head = Head::of(fields);
    let (api_version, kind) = (head.api_version.unwrap_or_default(), head.kind.unwrap_or_default());
    if head.api_version.is_none() && is_of_tool(file) {
        return Resemblance::NoObject;
    }
    if let Some(of) = of_list(api_version, kind) {
        return of_list_fields(file, fields, &head, of);
    }
    if let Some(known) = Kind::of_manifest(api_version, kind).or_else(|| meant(api_version, kind)) {
        return head.doubt(Some(known));
    }
    if kind == "Template" && elements(fields, "objects").any(|object| may_be_ours(file, object)) {
        let message = "an OpenShift Template is not processed here: lint what `oc process --local -o yaml -f FILE` \
                       prints instead";
        return Resemblance::Ours(Doubt { cause: UnreadCause::Template, message: message.to_owned(), meant: None });
    }
    if !kind.is_empty() {
        return Resemblance::OtherKind;
    }
    let is_core = ["", "v1"].contains(&api_version);
    let mut items = elements(fields, "items").chain(elements(fields, "Items"));
    let may_be_meant = is_core && (has_body(fields) || items.any(|item| may_be_ours(file, item)));
    if may_be_meant || is_of_our_groups(api_version) { head.doubt(None) } else { Resemblance::NoObject }
}

/// The kind of the items of this list kind: `Some(None)` for an untyped `List`. `None` if this is not a list kind that
/// may contain supported kinds.
fn of_list(api_version: &str, kind: &str) -> Option<Option<Kind>> {
    if ["", "v1"].contains(&api_version) && strsim::osa_distance(&kind.to_lowercase(), "list") <= 1 {
        return Some(None);
    }
    let of = kind.strip_suffix("List")?;
    Kind::of_manifest(api_version, of).or_else(|| meant(api_version, of)).map(Some)
}

/// Classifies a list whose items were not extracted.
fn of_list_fields(file: &Path, fields: &Map<String, Value>, head: &Head<'_>, of: Option<Kind>) -> Resemblance {
    let kind = head.kind.unwrap_or_default();
    let doubt = |message| Resemblance::Ours(Doubt { cause: UnreadCause::NoObject, message, meant: of });
    match fields.get("items") {
        Some(Value::Array(items)) if !items.iter().any(|item| may_be_ours(file, item)) => Resemblance::OtherKind,
        Some(Value::Array(_)) => match head.fault() {
            Some(fault) => doubt(fault),
            None => doubt(format!("`{kind}` is not a known kind; use `List` of `v1`")),
        },
        None | Some(Value::Null) => match fields.keys().find(|key| !OBJECT_FIELDS.contains(&&***key)) {
            Some(other) => doubt(format!("a `{kind}` holds its objects under `items`, not under `{other}`")),
            None => Resemblance::OtherKind,
        },
        Some(_) => doubt(format!("`items` of a `{kind}` must be a list")),
    }
}

/// The elements of the field `name`; none if it is not a list.
fn elements<'d>(fields: &'d Map<String, Value>, name: &str) -> impl Iterator<Item = &'d Value> {
    fields.get(name).and_then(Value::as_array).into_iter().flatten()
}

/// Whether the fields look like those of an object whose `apiVersion` and `kind` are missing.
fn has_body(fields: &Map<String, Value>) -> bool {
    let field = |name: &str| fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value);
    let (metadata, spec) = (field("metadata"), field("spec"));
    let is_of_objects = |key: &String| {
        OBJECT_FIELDS.iter().any(|name| key.eq_ignore_ascii_case(name)) || SPEC_FIELDS.contains(&key.as_str())
    };
    let is_like_ours = |spec: &Value| SPEC_FIELDS.iter().any(|name| spec.get(name).is_some());
    let has_part = metadata.is_some() || spec.is_some();
    has_part && fields.keys().all(is_of_objects)
        || metadata.is_some_and(Value::is_object) && spec.is_some_and(Value::is_object)
        || spec.is_some_and(is_like_ours)
}

impl Doubt {
    /// The kinds of which the document may contain objects.
    pub(super) fn kinds(&self) -> KindSet {
        self.meant.map_or_else(|| KindSet::EVERY, |kind| KindSet::of(&[kind]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(file: &str, text: &str) -> Resemblance {
        let value: Value = serde_saphyr::from_str(text).expect("YAML");
        resemblance(Path::new(file), &value)
    }

    #[test]
    fn documents_that_resemble_a_manifest_are_reported() {
        let ingress = "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: a}}";
        let cases = [
            ("Kind: Ingress\napiVersion: networking.k8s.io/v1", Some(Kind::Ingress)),
            ("kind: Ingress\napiversion: networking.k8s.io/v1", Some(Kind::Ingress)),
            ("kind: Ingress\napi_version: networking.k8s.io/v1", Some(Kind::Ingress)),
            ("kimd: Ingress\napiVerison: networking.k8s.io/v1", Some(Kind::Ingress)),
            ("kind: Ingress", Some(Kind::Ingress)),
            ("kind: [Ingress]\napiVersion: networking.k8s.io/v1", None),
            ("apiVersion: gateway.networking.k8s.io/v1\nspec: {}", None),
            ("apiVersion: projectcontour.io/v1", None),
            ("apiVersion: v1\nmetadata: {name: a}\nspec: {ports: []}", None),
            ("metadata: {name: a}\nspec: {rules: []}", None),
            ("metadata: {name: a}", None),
            ("metadata: []", None),
            ("apiVersion: networking.k8s.io/v1\nkind: [a]", None),
            ("Metadata: {name: a}\nSpec: {rules: []}", None),
            ("spec: {virtualhost: {fqdn: a.example.com}}\nextra: 1", None),
            ("metadata: {name: a}\nrules: [{host: a.example.com}]", None),
            (&format!("items: [{ingress}]"), None),
            (&format!("apiVersion: v1\nitems: [{ingress}]"), None),
            (&format!("Kind: List\napiVersion: v1\nitems: [{ingress}]"), None),
            (&format!("kind: list\napiVersion: v1\nitems: [{ingress}]"), None),
            (&format!("kind: Lst\napiVersion: v1\nitems: [{ingress}]"), None),
            (&format!("kind: List\napiVersion: v1\nItems: [{ingress}]"), None),
            (&format!("kind: List\napiVersion: v1\nitems: {{a: {ingress}}}"), None),
            ("kind: List\napiVersion: v1\nitems: text", None),
            (
                "kind: IngressList\napiVersion: networking.k8s.io/v1\nitems: {a: {metadata: {name: a}}}",
                Some(Kind::Ingress),
            ),
            (&format!("kind: Template\napiVersion: template.openshift.io/v1\nobjects: [{ingress}]"), None),
            (&format!("kind: Template\napiVersion: v1\nobjects: [{{kind: Pod}}, {ingress}]"), None),
            (&format!("- {ingress}"), None),
            (&format!("- 1\n- {{kind: List, apiVersion: v1, items: [{ingress}]}}"), None),
            ("- metadata: {name: a}\n  spec: {rules: []}", None),
            ("apiVersion:networking.k8s.io/v1", None),
            ("7", None),
        ];
        for (text, expected) in cases {
            match of("a.yaml", text) {
                Resemblance::Ours(Doubt { meant, .. }) => assert_eq!(meant, expected, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn files_of_other_tools_are_known_by_their_names() {
        for name in ["values", "values-prod", "prod.values", "Chart", "docker-compose.override", "kustomization"] {
            assert!(is_of_tool(Path::new(&format!("a/{name}.yaml"))), "{name}");
        }
        for name in ["ingress", "chart-ingress", "package-b", "valuestream", "a-docker-compose-b"] {
            assert!(!is_of_tool(Path::new(&format!("values/{name}.yaml"))), "{name}");
        }
    }

    #[test]
    fn documents_that_are_not_manifests_are_skipped() {
        let no_objects = [
            ("a.yaml", "replicaCount: 1\nservice: {type: ClusterIP}\ningress: {hosts: [{host: a.example.com}]}"),
            ("values.yaml", "metadata: {name: a}\nspec: {rules: []}"),
            ("my-values.yaml", "metadata: {name: a}"),
            ("values-prod.yaml", "spec: {replicas: 1}"),
            ("kustomization.yaml", "resources: [a.yaml]\nmetadata: {name: a}"),
            ("a.yaml", "resources: [a.yaml]\nnamespace: web"),
            ("Chart.yaml", "apiVersion: v2\nname: shop\nversion: 1.0.0"),
            ("a.yaml", "apiVersion: v1\nname: shop\nversion: 1.0.0"),
            ("a.yaml", "services: {web: {image: nginx, ports: [80]}}\nversion: '3'"),
            ("a.yaml", "name: CI\non: [push]\njobs: {build: {steps: [{run: make}]}}"),
            ("package.json", r#"{"name": "shop", "version": "1.0.0", "scripts": {}}"#),
            ("a.yaml", "openapi: 3.0.0\ninfo: {title: a}\npaths: {/: {get: {}}}\ncomponents: {}"),
            ("a.json", r#"{"type": "array", "items": {"type": "object", "properties": {"kind": {"type": "string"}}}}"#),
            ("a.json", r#"{"items": [{"id": 1, "metadata": {"a": "b"}}]}"#),
            ("a.json", "[1, 2, 3]"),
            ("a.yaml", "- hosts: all\n  tasks: [{name: a}]"),
            ("a.yaml", "- {op: replace, path: /spec/rules/0/host, value: a.example.com}"),
            ("a.yaml", "[]"),
            ("a.yaml", "{}"),
            ("a.json", "4:base64:500000:vGnrvRgA2XQ=-KHtJMV7QwQiV0uO4"),
            ("a.yaml", "schemaVersion: 2.2.0\nmetadata: {name: a}\ncomponents: []"),
        ];
        for (file, text) in no_objects {
            assert_eq!(of(file, text), Resemblance::NoObject, "{file}: {text}");
        }
        let others = [
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {}",
            "kind: Deployment\nmetadata: {name: a}\nspec: {}",
            "Kind: Deployment\napiVersion: apps/v1\nmetadata: {name: a}\nspec: {}",
            "kind: pipeline\ntype: docker\nname: default",
            "apiVersion: v1\nkind: Config\nclusters: []",
            "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nspec: {}",
            "apiVersion: v1\nkind: List",
            "apiVersion: v1\nkind: List\nmetadata: {}\nitems:",
            "apiVersion: v1\nkind: list\nitems: [{kind: Pod, apiVersion: v1}]",
            "apiVersion: template.openshift.io/v1\nkind: Template\nobjects: [{kind: Deployment, apiVersion: apps/v1}]",
            "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: []",
        ];
        for text in others {
            assert_eq!(of("a.yaml", text), Resemblance::OtherKind, "{text}");
        }
    }
}
