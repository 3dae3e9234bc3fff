//! Reads a configuration from a file, or from all files of a folder.

use std::io;
use std::path::{Path, PathBuf};

use super::walk::is_hidden;
use portcullis_core::config::ConfigFile;

/// The link by which the kubelet replaces all files of a mounted ConfigMap at once.
const MOUNTED_VERSION: &str = "..data";

/// The endings of files that contain a configuration.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// The file at `path`, or the files of the folder at `path`, in the order of their names. Hidden files and folders are left out. A
/// subfolder with files that look like a part of the configuration is an error, since they would be left out, too.
pub fn read_configuration(path: &Path) -> io::Result<Vec<ConfigFile>> {
    if !path.is_dir() {
        return Ok(vec![read(path, path)?]);
    }
    read_folder(path)
}

fn read_folder(path: &Path) -> io::Result<Vec<ConfigFile>> {
    // A version is read as a whole, even while it is replaced.
    let version = path.join(MOUNTED_VERSION).canonicalize().unwrap_or_else(|_| path.to_owned());
    let shown = |file: &Path| file.file_name().map_or_else(|| file.to_owned(), |name| path.join(name));
    let mut files: Vec<PathBuf> = std::fs::read_dir(&version)
        .map_err(|error| named(path, &error))?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()?;
    if let Some(subfolder) = files.iter().find(|file| !is_hidden(file) && has_configuration(file)) {
        let message = "is a subfolder, whose files would not be read: move them up, or start its name with a dot";
        return Err(io::Error::other(format!("{} {message}", shown(subfolder).display())));
    }
    files.retain(|file| is_configuration(file));
    files.sort();
    if files.is_empty() {
        let message = "the folder has no file that ends in .yaml, .yml or .json";
        return Err(named(path, &io::Error::new(io::ErrorKind::NotFound, message)));
    }
    files.iter().map(|file| read(file, &shown(file))).collect()
}

/// Whether a file, or a key of a ConfigMap, is by its name a part of a configuration.
pub fn is_configuration_name(name: &str) -> bool {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    !name.starts_with('.') && ending.is_some_and(|ending| ENDINGS.iter().any(|own| own.eq_ignore_ascii_case(ending)))
}

/// Whether a folder has files, at any depth, that would be parts of a configuration.
fn has_configuration(folder: &Path) -> bool {
    let is_folder = folder.symlink_metadata().is_ok_and(|found| found.is_dir());
    let entries = is_folder.then(|| std::fs::read_dir(folder).ok()).flatten().into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .any(|path| is_configuration(&path) || (!is_hidden(&path) && has_configuration(&path)))
}

fn is_configuration(file: &Path) -> bool {
    file.file_name().and_then(|name| name.to_str()).is_some_and(is_configuration_name) && file.is_file()
}

fn read(file: &Path, shown: &Path) -> io::Result<ConfigFile> {
    let text = std::fs::read_to_string(file).map_err(|error| named(shown, &error))?;
    Ok(ConfigFile { name: Some(shown.display().to_string().into()), text })
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mounted_config_map_is_read_by_the_order_of_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("..2026")).expect("a folder");
        for (name, text) in
            [("b.yaml", "2"), ("a.json", "1"), ("c.YML", "3"), ("notes.txt", "no"), (".hidden.yaml", "no")]
        {
            std::fs::write(at("..2026").join(name), text).expect("a file");
        }
        std::os::unix::fs::symlink("..2026", at("..data")).expect("a link");
        for name in ["a.json", "b.yaml", "c.YML"] {
            std::os::unix::fs::symlink(format!("..data/{name}"), at(name)).expect("a link");
        }
        std::fs::create_dir(at("d.yaml")).expect("a folder");
        let read = read_configuration(folder.path()).expect("the files can be read");
        assert_eq!(read.iter().map(|file| file.text.as_str()).collect::<String>(), "123");
        let names: Vec<_> = read.iter().filter_map(|file| file.name.as_deref().map(Path::new)).collect();
        assert_eq!(names, [at("a.json"), at("b.yaml"), at("c.YML")]);
        let plain = tempfile::tempdir().expect("a folder");
        let error = read_configuration(plain.path()).expect_err("no file").to_string();
        assert!(error.starts_with(&plain.path().display().to_string()), "{error}");
    }

    #[test]
    fn a_subfolder_with_configuration_is_an_error_that_names_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a.yaml"), "1").expect("a file");
        for (name, file) in [("notes", "readme.md"), (".git", "config.yaml")] {
            std::fs::create_dir(at(name)).expect("a folder");
            std::fs::write(at(name).join(file), "text").expect("a file");
        }
        assert_eq!(read_configuration(folder.path()).expect("nothing is left out").len(), 1);
        std::fs::create_dir_all(at("teams/eu")).expect("folders");
        std::fs::write(at("teams/eu/shop.yaml"), "2").expect("a file");
        let error = read_configuration(folder.path()).expect_err("a file would be left out").to_string();
        assert!(error.starts_with(&format!("{} is a subfolder", at("teams").display())), "{error}");
    }
}
