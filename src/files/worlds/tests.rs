use std::sync::LazyLock;

use super::*;
use portcullis_core::kinds::Kind;

static NO_BASES: BTreeSet<PathBuf> = BTreeSet::new();
static BASE: LazyLock<BTreeSet<PathBuf>> = LazyLock::new(|| [PathBuf::from("base")].into());

/// The files of the world of each file, given files with the specs of the Services that they define. Those in `overlays` have one base.
fn worlds(files: &[(&str, &[(&str, u8)])]) -> Vec<String> {
    let parsed: Vec<(PathBuf, Vec<(ObjectRef, String)>)> = files
        .iter()
        .map(|(path, objects)| {
            let object = |(name, spec): &(&str, u8)| {
                let (namespace, name) = name.split_once('/').unwrap_or(("web", *name));
                (ObjectRef::new(Kind::Service, namespace, name), format!(r#"{{"spec": {{"a": {spec}}}}}"#))
            };
            (PathBuf::from(path), objects.iter().map(object).collect())
        })
        .collect();
    let is_lacking = |object: &&ObjectRef| &*object.namespace == "default";
    let files: Vec<DefiningFile<'_>> = parsed
        .iter()
        .map(|(path, objects)| DefiningFile {
            path,
            definitions: objects.iter().map(|(object, json)| (object, json.as_str())).collect(),
            lacking: objects.iter().map(|(object, _)| object).filter(is_lacking).collect(),
            bases: if path.starts_with("overlays") { &BASE } else { &NO_BASES },
        })
        .collect();
    let worlds = Worlds::of(&files, &[], |folder| folder.ends_with("chart"));
    let shown = files.iter().map(|file| {
        let (_, world) = worlds.of_file(file.path).expect("each file has a world");
        let files: Vec<_> = world.files.iter().map(|file| file.display().to_string()).collect();
        let unknown: Vec<_> = world.unknown.iter().map(|object| format!("!{}", object.name)).collect();
        [files, unknown].concat().join(" ")
    });
    shown.collect()
}

#[test]
fn files_without_contradictions_describe_one_cluster() {
    let files: [(&str, &[_]); 3] =
        [("a.yaml", &[("a", 1)]), ("apps/b.yaml", &[("b", 1)]), ("apps/c/c.yaml", &[("a", 1)])];
    assert_eq!(worlds(&files), ["a.yaml apps/b.yaml apps/c/c.yaml"; 3]);
}

#[test]
fn variants_are_separate_and_share_the_rest() {
    let files: [(&str, &[_]); 4] = [
        ("base/common.yaml", &[("db", 1)]),
        ("env/dev/a.yaml", &[("a", 1)]),
        ("env/dev/b.yaml", &[("b", 1)]),
        ("env/prod/a.yaml", &[("a", 2)]),
    ];
    let dev = "base/common.yaml env/dev/a.yaml env/dev/b.yaml";
    let all = "base/common.yaml env/dev/a.yaml env/dev/b.yaml env/prod/a.yaml !a";
    assert_eq!(worlds(&files), [all, dev, dev, "base/common.yaml env/prod/a.yaml"]);
    let files: [(&str, &[_]); 3] = [("a.yaml", &[("a", 1)]), ("b.yaml", &[("a", 2)]), ("c.yaml", &[("c", 1)])];
    assert_eq!(worlds(&files), ["a.yaml c.yaml", "b.yaml c.yaml", "a.yaml b.yaml c.yaml !a"]);
}

#[test]
fn what_a_separate_file_of_the_folder_defines_is_unknown() {
    let files: [(&str, &[_]); 3] =
        [("x/a.yaml", &[("a", 1), ("b", 1)]), ("x/b.yaml", &[("a", 2), ("c", 1)]), ("y/d.yaml", &[("d", 1)])];
    assert_eq!(worlds(&files)[..2], ["x/a.yaml y/d.yaml !c", "x/b.yaml y/d.yaml !b"]);
}

#[test]
fn overlays_of_one_base_for_several_namespaces_are_separate() {
    let files: [(&str, &[_]); 4] = [
        ("apps/x.yaml", &[("prod/x", 1)]),
        ("overlays/prod/a.yaml", &[("prod/a", 1)]),
        ("overlays/staging/a.yaml", &[("staging/a", 1)]),
        ("overlays/tools/t.yaml", &[("tools/t", 1)]),
    ];
    let [prod, staging] =
        ["prod", "staging"].map(|own| format!("apps/x.yaml overlays/{own}/a.yaml overlays/tools/t.yaml"));
    let all = "apps/x.yaml overlays/prod/a.yaml overlays/staging/a.yaml overlays/tools/t.yaml";
    assert_eq!(worlds(&files), [all, &prod, &staging, all]);
}

#[test]
fn an_object_without_a_namespace_is_that_of_any_namespace() {
    let files: [(&str, &[_]); 4] = [
        ("one/a.yaml", &[("default/a", 1)]),
        ("two/a.yaml", &[("web/a", 2)]),
        ("same/a.yaml", &[("db/a", 1)]),
        ("b.yaml", &[("b", 1)]),
    ];
    let all = "b.yaml one/a.yaml same/a.yaml two/a.yaml !a";
    assert_eq!(worlds(&files), ["b.yaml one/a.yaml same/a.yaml", "b.yaml same/a.yaml two/a.yaml", all, all]);
}

#[test]
fn alternatives_are_examples() {
    let files: [(&str, &[_]); 4] = [
        ("apps/a.yaml", &[("a", 1)]),
        ("apps/b.yaml", &[("a", 2)]),
        ("deploy/d.yaml", &[("d", 1)]),
        ("apps/c.yaml", &[("a", 3)]),
    ];
    let both = "apps/a.yaml apps/b.yaml deploy/d.yaml !a";
    assert_eq!(worlds(&files[..3]), ["apps/a.yaml deploy/d.yaml", "apps/b.yaml deploy/d.yaml", both]);
    assert_eq!(worlds(&files), ["apps/a.yaml", "apps/b.yaml", "deploy/d.yaml", "apps/c.yaml"]);
}

#[test]
fn tests_see_what_is_directly_in_folders_above() {
    let files: [(&str, &[_]); 10] = [
        ("tests/00-common/shared.yaml", &[("shared", 1)]),
        ("tests/uncommon/hidden.yaml", &[("hidden", 1)]),
        ("tests/backend.yaml", &[("backend", 1)]),
        ("tests/case/a.yaml", &[("a", 1)]),
        ("tests/one.yaml", &[("variant", 1)]),
        ("tests/two.yaml", &[("variant", 2)]),
        ("variant.yaml", &[("variant", 1)]),
        ("top.yaml", &[("top", 1)]),
        ("deploy/b.yaml", &[("b", 1)]),
        ("tests/other/backend.yaml", &[("backend", 2)]),
    ];
    let parsed: Vec<(ObjectRef, String)> = files
        .iter()
        .map(|(_, objects)| {
            let (name, spec) = objects[0];
            (ObjectRef::new(Kind::Service, "web", name), format!(r#"{{"spec": {{"a": {spec}}}}}"#))
        })
        .collect();
    let defining = files.iter().zip(&parsed).map(|((path, _), (object, json))| DefiningFile {
        path: Path::new(path),
        definitions: vec![(object, json.as_str())],
        lacking: BTreeSet::new(),
        bases: &NO_BASES,
    });
    let defining: Vec<DefiningFile<'_>> = defining.collect();
    let worlds = Worlds::of(&defining, &[], |_| false);
    let above = |file: &str| {
        let (_, world) = worlds.of_file(Path::new(file)).expect("a world");
        world.above.objects.keys().map(|object| object.name.to_string()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(above("tests/case/a.yaml"), "backend shared top");
    assert_eq!(above("tests/00-common/shared.yaml"), "backend top");
    assert_eq!(above("tests/backend.yaml"), "top variant");
    assert_eq!(above("deploy/b.yaml"), "");
}

#[test]
fn examples_tests_and_charts_are_separate() {
    let files: [(&str, &[_]); 8] = [
        ("deploy/a.yaml", &[("a", 1)]),
        ("examples/one/a.yaml", &[("a", 2)]),
        ("examples/one/b.yaml", &[("b", 1)]),
        ("examples/two/c.yaml", &[("c", 1)]),
        ("examples/d.yaml", &[("d", 1)]),
        ("examples/e.yaml", &[("e", 1)]),
        ("testdata/f.yaml", &[("f", 1)]),
        ("chart/crds/g.yaml", &[("g", 1)]),
    ];
    let one = "examples/one/a.yaml examples/one/b.yaml";
    let beside = "examples/d.yaml examples/e.yaml";
    let expected =
        ["deploy/a.yaml", one, one, "examples/two/c.yaml", beside, beside, "testdata/f.yaml", "chart/crds/g.yaml"];
    assert_eq!(worlds(&files), expected);
}
