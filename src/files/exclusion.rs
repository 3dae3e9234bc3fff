//! Files and folders that are not read although they are named like manifests.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// The patterns of files and folders that are not read. By default, there are none.
#[derive(Debug, Clone, Default)]
pub struct Exclusion {
    globs: GlobSet,
    paths: BTreeSet<PathBuf>,
    /// Canonical paths.
    real: HashSet<PathBuf>,
}

impl Exclusion {
    /// The patterns `globs`. One without `/` matches the name of a file or folder at any depth; any other matches the
    /// path below a given folder, or the path as given. `*` does not match `/`, and `**` does.
    pub fn new(globs: &[String]) -> Result<Self, globset::Error> {
        let mut all = GlobSetBuilder::new();
        for glob in globs {
            let glob = glob.trim_start_matches("./").trim_end_matches('/');
            let anywhere = if glob.contains('/') { glob.to_owned() } else { format!("**/{glob}") };
            all.add(GlobBuilder::new(&anywhere).literal_separator(true).build()?);
        }
        Ok(Self { globs: all.build()?, ..Self::default() })
    }

    /// Excludes these paths as well.
    pub fn and(self, paths: BTreeSet<PathBuf>) -> Self {
        Self { paths, ..self }
    }

    /// Excludes existing files and folders as well, whichever paths lead to them.
    pub fn and_files<'p>(self, files: impl Iterator<Item = &'p Path>) -> Self {
        Self { real: files.filter_map(|file| file.canonicalize().ok()).collect(), ..self }
    }

    /// The canonical paths of excluded files and folders.
    pub(super) const fn real(&self) -> &HashSet<PathBuf> {
        &self.real
    }

    /// Whether a file or folder is excluded, which is at `path` and below the given `root`.
    pub(super) fn excludes(&self, root: &Path, path: &Path) -> bool {
        let is_match = |path: &Path| self.globs.is_match(path.strip_prefix(".").unwrap_or(path));
        let is_matched = || is_match(path) || path.strip_prefix(root).is_ok_and(is_match);
        !self.globs.is_empty() && is_matched() || self.paths.contains(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_at_any_depth_and_paths_below_the_folder() {
        let excludes = |glob: &str, root: &str, path: &str| {
            Exclusion::new(&[glob.to_owned()]).expect("a glob").excludes(Path::new(root), Path::new(path))
        };
        for (glob, root, path, expected) in [
            ("tests", "app", "app/a/tests", true),
            ("tests", "app", "app/tests.yaml", false),
            ("*.test.yaml", "app", "app/a/b.test.yaml", true),
            ("a/*.yaml", "app", "app/a/b.yaml", true),
            ("a/*.yaml", "app", "app/a/b/c.yaml", false),
            ("a/**", "app", "app/a/b/c.yaml", true),
            ("./app/a/", "app", "app/a", true),
            ("app/a", ".", "./app/a", true),
            ("a.yaml", "b/a.yaml", "b/a.yaml", true),
        ] {
            assert_eq!(excludes(glob, root, path), expected, "{glob} {path}");
        }
        assert!(Exclusion::new(&["[".to_owned()]).is_err());
    }
}
