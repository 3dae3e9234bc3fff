//! Reads one file, document by document.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use memchr::memmem;

use super::cause::UnreadCause;
use super::contents::FileContents;
use super::document::Document;
use super::envsubst::{Filled, Variables};
use super::manifest::Origin;
use super::open::{DocumentLocation, open_document};
use super::text::{ParseError, documents};
use super::unread::Unread;
use portcullis_core::kinds::KindSet;
use portcullis_core::report::Position;

/// How the text of a file is read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading<'r> {
    /// Whether the file is a template of a chart, in which a document with a `{{` action is not read as a manifest.
    pub is_template: bool,
    /// The namespace of objects that name none.
    pub namespace: &'r str,
    /// The variables to fill in; `None` to leave all as they are.
    pub variables: Option<&'r Variables>,
}

/// The namespace of a manifest that names none, as in kubectl.
pub(super) const DEFAULT_NAMESPACE: &str = "default";

/// Reads one file.
pub(super) fn read(file: &Path, reading: Reading<'_>) -> FileContents {
    let unread = |cause, message| FileContents {
        unread: vec![Unread::of_file(&Arc::from(file), cause, message)],
        ..FileContents::default()
    };
    match read_text(file) {
        Ok(Some(text)) => parse_as(file, &text, reading),
        Ok(None) => unread(UnreadCause::NotText, "is not UTF-8 text: save the file as UTF-8".to_owned()),
        Err(error) => unread(UnreadCause::NotOpened, format!("cannot be read: {error}")),
    }
}

/// Reads a file that may contain what other files refer to. A document that cannot be read is ignored, unless it names the kinds of which
/// it may contain objects: those are known to be incomplete.
pub(super) fn read_beside(file: &Path, reading: Reading<'_>) -> FileContents {
    let text = read_text(file).ok().flatten();
    // No other file needs to be parsed, and a repository has many of them.
    let Some(text) = text.filter(|text| memmem::find(text.as_bytes(), b"apiVersion").is_some()) else {
        return FileContents::default();
    };
    let mut contents = parse_as(file, &text, reading);
    contents.unread.retain(|unread| unread.kinds != KindSet::EVERY && unread.cause != UnreadCause::RetiredVersion);
    contents
}

/// The text of a file; `None` if it is not text.
pub(super) fn read_text(file: &Path) -> std::io::Result<Option<String>> {
    fs::read(file).map(decoded)
}

/// The text of a file: UTF-16 if it begins with a byte order mark, otherwise UTF-8. `None` if the bytes are not valid.
pub(super) fn decoded(bytes: Vec<u8>) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes.get(..2) {
        Some([0xff, 0xfe]) => u16::from_le_bytes,
        Some([0xfe, 0xff]) => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).ok(),
    };
    let (units, rest) = bytes[2..].as_chunks::<2>();
    let text: Result<String, _> = char::decode_utf16(units.iter().copied().map(unit)).collect();
    text.ok().filter(|_| rest.is_empty())
}

/// Parses `text`, the content of `file`. Documents of other kinds are counted and skipped, since other tools check
/// them.
pub fn parse(file: &Path, text: &str) -> FileContents {
    parse_as(file, text, Reading { is_template: false, namespace: DEFAULT_NAMESPACE, variables: None })
}

/// Parses `text`, the content of `file`, as `reading` says.
pub(super) fn parse_as(file: &Path, text: &str, reading: Reading<'_>) -> FileContents {
    let Reading { is_template, namespace, variables } = reading;
    let filled = Filled::of(text, variables);
    let text = &*filled.text;
    let shared: Arc<Path> = Arc::from(file);
    let (mut contents, mut number) = (FileContents::default(), 0);
    documents(text, &mut |outcome| {
        number += 1;
        let (has_action, before) = (outcome.text.contains("{{"), contents.unread.len());
        let is_ytt = is_of_ytt(outcome.text);
        // The text of a document is a part of `text`.
        let start = outcome.text.as_ptr() as usize - text.as_ptr() as usize;
        let origin = Origin { document: number, bytes: start..start + outcome.text.len(), items: Vec::new() };
        let (fault, line) = match outcome.document {
            Ok(document) if !(is_template && has_action || is_ytt) => {
                contents.warnings.extend(warnings(file, outcome.line, outcome.was_indented, &document));
                open_document(DocumentLocation { file: &shared, origin: &origin, namespace }, document, &mut contents);
                return place(&mut contents.unread[before..], number, Position { line: outcome.line, column: 1 });
            }
            Ok(_) => (None, outcome.line),
            Err(error) => {
                let position = error.position.map(|position| filled.position(position));
                (Some(ParseError { position, ..error }), outcome.line)
            }
        };
        let position = fault.as_ref().and_then(|error| error.position).filter(|_| !has_action && !is_ytt);
        let (cause, message) = match fault {
            _ if is_ytt => (UnreadCause::Template, UNRENDERED_BY_YTT.to_owned()),
            Some(error) if !has_action => (UnreadCause::Malformed, error.to_string()),
            _ => (UnreadCause::Template, UNRENDERED.to_owned()),
        };
        contents.unread.push(Unread::of_text(&shared, cause, message, outcome.text));
        place(&mut contents.unread[before..], number, position.unwrap_or(Position { line, column: 1 }));
    });
    contents
}

/// Records where the documents that are not read are written.
fn place(unread: &mut [Unread], document: usize, position: Position) {
    for unread in unread {
        (unread.document, unread.position) = (Some(document), Some(position));
    }
}

/// The message about a template.
const UNRENDERED: &str =
    "this is a template, and templates are not rendered here: use `lint --helm`, or what `helm template` prints";

const UNRENDERED_BY_YTT: &str =
    "this is a template of ytt, and templates are not rendered here: use what `ytt -f` prints for it";

/// Whether a document is a template of ytt: its instructions are comments such as `#@ data.values.host` and `#@overlay/remove`.
fn is_of_ytt(text: &str) -> bool {
    text.match_indices("#@").any(|(start, mark)| {
        let rest = &text[start + mark.len()..];
        let is_named = || rest.split_whitespace().next().is_some_and(|word| word.contains('/'));
        (start == 0 || text[..start].ends_with(['\n', ' ', '\t'])) && (rest.starts_with([' ', '\n']) || is_named())
    })
}

/// Warnings about a document that begins on this line and should be written differently.
fn warnings(file: &Path, line: usize, was_indented: bool, document: &Document) -> Vec<String> {
    let name = file.display();
    let repeated = document.repeated.iter().map(|field| {
        format!("{name}: line {line}: `{field}` is set more than once; the last value counts, as in kubectl")
    });
    let indented = was_indented.then(|| {
        format!(
            "{name}: line {line}: a value in quotes goes on without indentation; kubectl reads it, other tools do not"
        )
    });
    repeated.chain(indented).collect()
}

#[cfg(test)]
mod tests {
    use portcullis_core::kinds::Kind;
    use serde_json::Value;

    use super::*;

    /// The references of the objects, and the messages about documents that are not read.
    fn read(text: &str) -> (Vec<String>, Vec<String>) {
        let contents = parse(Path::new("a.yaml"), text);
        let objects = contents.manifests.iter().map(|manifest| manifest.object_ref.to_string()).collect();
        (objects, contents.unread.iter().map(ToString::to_string).collect())
    }

    fn ingress(name: &str) -> String {
        format!("apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {{name: {name}}}\n")
    }

    /// A Certificate is read, and still no other Secret of its namespace is expected in files.
    #[test]
    fn a_certificate_is_read_and_creates_a_secret() {
        let manifest = "apiVersion: cert-manager.io/v1\nkind: Certificate\nmetadata: {name: shop, namespace: web}";
        let contents = parse(Path::new("a.yaml"), manifest);
        let kinds: Vec<Kind> = contents.manifests.iter().map(|manifest| manifest.object_ref.kind).collect();
        let created: Vec<_> =
            contents.created.iter().map(|created| (created.secrets, created.namespace.clone())).collect();
        assert_eq!((kinds, created), (vec![Kind::Certificate], vec![(true, Some("web".into()))]));
    }

    #[test]
    fn a_version_of_old_is_named_with_the_one_to_use() {
        for (kind, version) in [("Ingress", "extensions/v1beta1"), ("IngressClass", "networking.k8s.io/v1beta1")] {
            let named = if kind == "Ingress" { "Ingress default/a" } else { "IngressClass a" };
            let expected =
                format!("a.yaml: {named} of {version} is not served since Kubernetes 1.22: use networking.k8s.io/v1");
            let one = format!("{{apiVersion: {version}, kind: {kind}, metadata: {{name: a}}}}");
            assert_eq!(read(&one), (vec![], vec![expected.clone()]));
            let list = format!("{{apiVersion: {version}, kind: {kind}List, items: [{{metadata: {{name: a}}}}]}}");
            assert_eq!(read(&list), (vec![], vec![expected]));
        }
        assert_eq!(read("{apiVersion: extensions/v1beta1, kind: Deployment}"), (vec![], vec![]));
        let early = "gateway.networking.k8s.io/v1alpha2";
        for kind in ["Gateway", "HTTPRoute", "GRPCRoute", "ReferenceGrant"] {
            let text = format!("{{apiVersion: {early}, kind: {kind}, metadata: {{name: a}}}}");
            let since = if ["GRPCRoute", "ReferenceGrant"].contains(&kind) { "1.2" } else { "0.8" };
            let words = format!(
                "a.yaml: {kind} default/a of {early} is not served since Gateway API {since}: use gateway.networking.k8s.io/v1"
            );
            assert_eq!(read(&text), (vec![], vec![words]));
        }
        let first = "networking.x-k8s.io/v1alpha1";
        for (kind, named) in [
            ("GatewayClass", "GatewayClass a"),
            ("Gateway", "Gateway default/a"),
            ("TCPRoute", "TCPRoute default/a"),
            ("ReferencePolicy", "ReferenceGrant default/a"),
        ] {
            let text = format!("{{apiVersion: {first}, kind: {kind}, metadata: {{name: a}}}}");
            let words = format!(
                "a.yaml: {named} of {first} is not served since Gateway API 0.4: use gateway.networking.k8s.io/v1"
            );
            assert_eq!(read(&text), (vec![], vec![words]));
        }
        assert_eq!(read(&format!("{{apiVersion: {first}, kind: BackendPolicy}}")), (vec![], vec![]));
        let served = format!("{{apiVersion: {early}, kind: TCPRoute, metadata: {{name: a}}}}");
        assert_eq!(read(&served), (vec!["TCPRoute default/a".to_owned()], vec![]));
    }

    #[test]
    fn a_document_that_is_not_read_hides_no_other() {
        let bad = [
            "kind: [\n",
            "a: 'b\n",
            "a: 'b\nc: d\n",
            "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: old}\n",
            "apiVersion: networking.k8s.io/v1\nkind: Ingress\n",
            "{{- if .Values.ingress }}\nkind: Ingress\n{{- end }}\n",
            "a: 1\n\tb: 2\n",
            "{\"kind\": \"Ingress\", \n",
        ];
        for bad in bad {
            let text = format!("{}---\n{bad}---\n{}", ingress("a"), ingress("b"));
            let (objects, unread) = read(&text);
            assert_eq!(objects, ["Ingress default/a", "Ingress default/b"], "{bad}");
            assert_eq!(unread.len(), 1, "{bad}: {unread:?}");
        }
    }

    #[test]
    fn a_template_of_ytt_is_not_read() {
        let unread = format!("a.yaml: {UNRENDERED_BY_YTT}");
        for template in [
            format!("#@ load(\"@ytt:data\", \"data\")\n{}", ingress("a")),
            ingress("a").replace("{name: a}", "\n  name: #@ data.values.name"),
            format!("#@overlay/match missing_ok=True\n{}", ingress("a")),
        ] {
            assert_eq!(read(&template), (vec![], vec![unread.clone()]), "{template}");
        }
        assert_eq!(read(&format!("#@author a#@b\n{}", ingress("a#@b"))).0, ["Ingress default/a#@b"]);
    }

    #[test]
    fn a_wildcard_without_quotes_is_explained() {
        let rule = |host: &str| format!("{}spec:\n  rules:\n  - host: {host}\n", ingress("a"));
        let expected =
            "a.yaml: line 6, column 11: alias references unknown anchor; quote a value that begins with `*`".to_owned();
        assert_eq!(read(&rule("*.example.com")), (vec![], vec![expected]));
        assert_eq!(read(&rule("'*.example.com'")), (vec!["Ingress default/a".to_owned()], vec![]));
    }

    #[test]
    fn values_of_json_may_follow_each_other() {
        let one = |name: &str| {
            format!(r#"{{"apiVersion":"networking.k8s.io/v1","kind":"Ingress","metadata":{{"name":"{name}"}}}}"#)
        };
        let names = ["Ingress default/a", "Ingress default/b"];
        for between in ["", "\n", "\n\n  ", "\n---\n"] {
            let (objects, unread) = read(&[one("a"), one("b")].join(between));
            assert_eq!((objects, unread), (names.map(str::to_owned).to_vec(), vec![]), "{between:?}");
        }
        let (objects, unread) = read(&[one("a"), "{\"kind\": oops}".to_owned(), one("b")].join("\n"));
        assert_eq!(objects, names);
        assert_eq!(unread, ["a.yaml: line 2, column 10: expected value"]);
    }

    #[test]
    fn documents_that_only_kubectl_accepts_get_a_warning() {
        let twice = ingress("a") + "spec: {ingressClassName: a}\nspec: {ingressClassName: b}\n";
        let contents = parse(Path::new("a.yaml"), &twice);
        assert!(contents.manifests[0].json.contains(r#""ingressClassName":"b""#), "{contents:?}");
        assert!(contents.warnings[0].contains("`spec` is set more than once"), "{contents:?}");

        let quoted =
            "metadata:\n  name: a\n  annotations:\n    x: '[\n    {\"a\": 1},\n  {\"b\": 2}\n\n    ]'\n    y: z\n";
        let text = format!("apiVersion: networking.k8s.io/v1\nkind: Ingress\n{quoted}");
        let contents = parse(Path::new("a.yaml"), &text);
        assert!(contents.unread.is_empty(), "{contents:?}");
        let value: Value = serde_json::from_str(&contents.manifests[0].json).expect("JSON");
        let expected = serde_json::json!({"x": "[ {\"a\": 1}, {\"b\": 2}\n]", "y": "z"});
        assert_eq!(value["metadata"]["annotations"], expected);
        assert!(contents.warnings[0].contains("without indentation"), "{contents:?}");
    }

    #[test]
    fn one_anchor_may_be_used_many_times_and_a_bomb_may_not() {
        let items: String = (0..2000).map(|at| format!("- <<: *base\n  metadata: {{name: a{at}}}\n")).collect();
        let text = format!(
            "base: &base {{apiVersion: networking.k8s.io/v1, kind: Ingress}}\napiVersion: v1\nkind: List\nitems:\n{items}"
        );
        let contents = parse(Path::new("a.yaml"), &text);
        assert_eq!((contents.manifests.len(), contents.warnings.len()), (2000, 0), "{:?}", contents.unread);

        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..10 {
            let below = format!("*a{}", level - 1);
            bomb += &format!("a{level}: &a{level} [{}]\n", vec![below; 9].join(", "));
        }
        assert_eq!(read(&bomb).1.len(), 1);
    }

    #[test]
    fn utf_16_is_read_where_it_says_so() {
        let text = ingress("a");
        for (mark, bytes) in [
            ([0xff, 0xfe], text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>()),
            ([0xfe, 0xff], text.encode_utf16().flat_map(u16::to_be_bytes).collect()),
        ] {
            let whole: Vec<u8> = mark.into_iter().chain(bytes).collect();
            assert_eq!(decoded(whole.clone()).as_deref(), Some(&*text));
            assert_eq!(decoded(whole[..whole.len() - 1].to_vec()), None);
        }
        assert_eq!(decoded(vec![b'a', 0xff]), None);
    }

    #[test]
    fn generate_name_is_accepted() {
        for name in ["generateName: a-", "name: '', generateName: a-", "name: null, generateName: a-"] {
            let text = format!("{{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {{{name}}}}}");
            assert_eq!(read(&text), (vec!["Ingress default/a-".to_owned()], vec![]));
        }
    }
}
