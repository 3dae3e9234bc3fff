//! The server without a cluster: a folder of manifests is the rest of the cluster. All files that the server follows
//! may change or become invalid.

mod configuration;
mod folder;
mod process;

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::Trial;

use crate::harness::{PortcullisServer, process_guard};
use crate::reviews::{create, ingress};

pub fn trials() -> Vec<Trial> {
    let trial = |name: &str, test: fn()| {
        Trial::test(format!("embedded::{name}"), move || {
            test();
            Ok(())
        })
    };
    vec![
        trial("a_folder_is_read_again", folder::a_folder_is_read_again),
        trial("malformed_file_keeps_last_good_objects", folder::malformed_file_keeps_last_good_objects),
        trial("malformed_update_keeps_last_good_object", folder::malformed_update),
        trial("malformed_files_prevent_the_start", folder::malformed_files_prevent_the_start),
        trial("an_object_in_two_files_names_both", folder::an_object_in_two_files_names_both),
        trial("lists_documents_and_json_are_all_read", folder::lists_documents_and_json_are_all_read),
        trial("absence_is_known_only_in_a_complete_folder", folder::only_a_complete_folder_knows),
        trial("reviews_never_change_the_view", folder::reviews_never_change_the_view),
        trial("a_folder_is_one_configuration", configuration::a_folder_is_one_configuration),
        trial("new_configuration_takes_effect_and_an_invalid_one_does_not", configuration::a_new_configuration_acts),
        trial(
            "invalid_configuration_is_reported_with_position_and_suggestion",
            configuration::invalid_configuration_is_reported,
        ),
        trial("a_renewed_certificate_is_shown_to_new_connections", process::a_renewed_certificate_is_shown),
        trial("a_full_disk_costs_only_the_log", process::a_full_disk_costs_only_the_log)
            .with_ignored_flag(!Path::new(process::FULL).exists()),
        trial("sigterm_completes_requests_in_flight", process::sigterm_completes_requests_in_flight),
    ]
}

/// A folder for one trial, with helpers to change its files.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        Self(process_guard().folder("objects"))
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.0.join(name);
        fs::create_dir_all(file.parent().expect("it is in the folder")).expect("the folder is writable");
        fs::write(file, text).expect("the folder is writable");
    }

    /// A server with this folder as `--objects`.
    fn server(&self, more: &[&str]) -> PortcullisServer {
        PortcullisServer::start([&["--objects", self.path()], more].concat()).ready()
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the folder of the trials has a plain name")
    }
}

/// Whether the server denies that another team serves `/` on `host`.
fn is_claimed(server: &PortcullisServer, host: &str) -> bool {
    let (status, answer) = server.post("/validate", create(&ingress("team", "copy", host, "/")));
    assert_eq!(status, 200, "{answer}");
    answer["response"]["allowed"] == false
}

fn verbose(server: &PortcullisServer) -> String {
    let (status, text) = server.health().get("/readyz?verbose");
    assert_eq!(status, 200, "{text}");
    text
}
