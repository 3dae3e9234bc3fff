//! Certificates that Portcullis issues itself, before a real API server: nothing is applied but what is shipped, and each
//! replica acts as the shipped ServiceAccount.

mod clocks;
mod fixture;

use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use serde_json::json;

use crate::harness::{eventually, must_within, on_cluster, on_cluster_with_wrong_clocks, pause};
use crate::lease::only_renewals;
use fixture::{Cluster, MUTATING, SECRET, VALIDATING};

pub fn trials() -> Vec<Trial> {
    vec![
        on_cluster_with_wrong_clocks(
            "issuer::clocks_that_are_wrong_by_minutes_do_no_harm",
            clocks::one_replica_leads_and_certificates_are_accepted,
        ),
        on_cluster("issuer::the_shipped_manifests_suffice", the_shipped_manifests_suffice),
        on_cluster("issuer::two_replicas_at_once_have_one_authority", two_replicas_at_once_have_one_authority),
        on_cluster("issuer::a_replica_restores_the_bundle", a_replica_restores_the_bundle),
        on_cluster("issuer::entries_that_others_remove_stay_removed", entries_that_others_remove_stay_removed),
        on_cluster("issuer::a_deleted_secret_is_created_again", a_deleted_secret_is_created_again),
        on_cluster("issuer::a_bundle_that_stays_foreign_is_not_ready", a_bundle_that_stays_foreign_is_not_ready),
        on_cluster("issuer::an_unusable_secret_is_kept_and_reported", an_unusable_secret_is_kept_and_reported),
        on_cluster("issuer::a_leaf_is_renewed_in_time", a_leaf_is_renewed_in_time),
        on_cluster("issuer::the_authority_is_rotated_without_a_failure", the_authority_is_rotated_without_a_failure),
        on_cluster("issuer::a_holder_that_was_stopped_writes_nothing", a_holder_that_was_stopped_writes_nothing),
        on_cluster("issuer::an_expired_authority_is_replaced_at_once", an_expired_authority_is_replaced_at_once),
    ]
}

fn the_shipped_manifests_suffice() {
    let cluster = Cluster::new();
    let server = cluster.replica(&[]);
    let output = server.readiness();
    assert!(output.contains("[!]certificate degraded: no webhook configuration calls this Service"), "{output}");
    cluster.install_webhooks(&server);
    eventually("the API server calls Portcullis", || cluster.is_guarded());
    eventually("nothing is wrong", || server.readiness().contains("[+]certificate ok\n"));
    assert_eq!(server.metric("portcullis_ca_unusable"), Some(0.0));
    assert!(server.metric("portcullis_ca_expiration_timestamp_seconds").is_some_and(|end| end > 0.0));
    assert_eq!(server.metric("portcullis_certificates_issued_total"), Some(1.0));
    assert_eq!(server.metric(r#"portcullis_ca_changes_total{change="create"}"#), Some(1.0));
}

fn two_replicas_at_once_have_one_authority() {
    let cluster = Cluster::new();
    let servers = cluster.replicas(2, &[]);
    cluster.install_webhooks(&servers[0]);
    eventually("the API server calls Portcullis", || cluster.is_guarded());
    let created = |server: &fixture::Replica| server.metric(r#"portcullis_ca_changes_total{change="create"}"#);
    assert_eq!(servers.iter().filter_map(created).sum::<f64>(), 1.0, "one replica has created the Secret");
    for server in &servers {
        eventually("every replica is accepted", || server.readiness().contains("[+]certificate ok\n"));
        assert!(cluster.accepts(server), "the published bundle accepts what is served");
    }
}

fn a_replica_restores_the_bundle() {
    let cluster = Cluster::guarded();
    let good = cluster.bundles(VALIDATING);
    let foreign = fixture::foreign_authority();
    for (what, bundle) in [("emptied", String::new()), ("replaced", foreign), ("not PEM", "bm90IFBFTQ==".to_owned())] {
        for kind in [VALIDATING, MUTATING] {
            cluster.set_bundle(kind, 0, &bundle);
            let what = format!("{kind} {what}: restored");
            let took = must_within(Duration::from_secs(60), &what, || cluster.bundles(kind)[0] == good[0]);
            eprintln!("{what} after {took:?}");
        }
    }
    let owners = cluster.owners_of_bundles();
    assert!(
        !owners.is_empty() && owners.iter().all(|operation| operation == "Update"),
        "no bundle is owned by an apply of ours: {owners:?}"
    );
}

fn entries_that_others_remove_stay_removed() {
    let cluster = Cluster::guarded();
    let good = cluster.bundles(VALIDATING);
    // The installer's next version has an entry less.
    let removed = cluster.apply_without_entry(VALIDATING, 1);
    assert_eq!(cluster.bundles(VALIDATING).len(), good.len() - 1);
    cluster.settle();
    assert!(!cluster.entry_names(VALIDATING).contains(&removed), "{removed} is back");
    // And then one more again, which has no bundle.
    cluster.apply_webhooks();
    eventually("the new entry is filled", || cluster.bundles(VALIDATING) == good);
    // Entries that call another service are not ours.
    let other = json!({"name": "other.example.com", "clientConfig": {"url": "https://127.0.0.1:1/other"},
        "rules": [], "sideEffects": "None", "admissionReviewVersions": ["v1"], "failurePolicy": "Ignore"});
    cluster.add_entry(VALIDATING, &other);
    cluster.settle();
    assert_eq!(cluster.bundles(VALIDATING).last().map(String::as_str), Some(""));
}

fn a_deleted_secret_is_created_again() {
    let cluster = Cluster::guarded();
    let good = cluster.bundles(VALIDATING)[0].clone();
    let leaf = cluster.certificate_of(cluster.server());
    cluster.control_plane.kubectl(&format!("delete secret {SECRET} --namespace=portcullis")).run().accepted();
    eventually("the Secret is there again", || cluster.secret("next.crt").is_some());
    assert_eq!(cluster.secret("ca.crt"), fixture::decoded(&good), "what signs now goes on signing");
    assert!(cluster.is_guarded());
    eventually("the new authority is published beside the old one", || {
        let now = fixture::decoded(&cluster.bundles(VALIDATING)[0]).unwrap_or_default();
        now.matches("BEGIN").count() == 2 && now.contains(&fixture::decoded(&good).unwrap_or_default())
    });
    assert_eq!(
        cluster.certificate_of(cluster.server()),
        leaf,
        "the certificate stays until its successor's authority is known"
    );
}

fn a_bundle_that_stays_foreign_is_not_ready() {
    let cluster = Cluster::guarded();
    cluster.forbid_writing_bundles();
    cluster.set_bundle(VALIDATING, 0, "");
    eventually("an empty bundle is degraded", || {
        cluster.server().readiness().contains("[!]certificate degraded: the caBundle of a webhook entry is empty")
    });
    cluster.set_bundle(VALIDATING, 0, &fixture::foreign_authority());
    eventually("a foreign bundle that denies no write is degraded", || {
        let output = cluster.server().readiness();
        output.contains("[!]certificate degraded: the caBundle of a webhook entry with `failurePolicy: Ignore`")
    });
    cluster.set_failure_policy(VALIDATING, 0, "Fail");
    eventually("a foreign bundle that denies every write fails", || {
        let output = cluster.server().readiness();
        output.contains("[-]certificate failed: the caBundle of a webhook entry does not accept this certificate")
            && output.contains("cannot be written: ")
    });
    let failures = r#"portcullis_ca_write_failures_total{kind="ValidatingWebhookConfiguration"}"#;
    assert!(cluster.server().metric(failures).is_some_and(|count| count >= 1.0));
    cluster.allow_writing_bundles();
    eventually("the rights are back", || cluster.server().readiness().contains("[+]certificate ok\n"));
    assert!(cluster.is_guarded());
}

fn an_unusable_secret_is_kept_and_reported() {
    let cluster = Cluster::guarded();
    let broken = r#"{"data":{"ca.key":"bm8ga2V5"}}"#;
    cluster
        .control_plane
        .kubectl(&format!("patch secret {SECRET} --namespace=portcullis --patch {broken}"))
        .run()
        .accepted();
    eventually("it is reported", || {
        let output = cluster.server().readiness();
        output.contains("[!]certificate degraded: Secret portcullis-ca is not usable (ca.crt and ca.key: ")
    });
    assert_eq!(cluster.server().metric("portcullis_ca_unusable"), Some(1.0));
    assert!(cluster.is_guarded(), "what was issued before is served");
    assert_eq!(cluster.secret("ca.key").as_deref(), Some("no key"), "the Secret was not overwritten");
}

fn a_leaf_is_renewed_in_time() {
    let cluster = Cluster::new();
    let server = cluster.replica(&["--leaf-lifetime=30s", "--ca-lifetime=1h", "--ca-settle=2s"]);
    cluster.install_webhooks(&server);
    eventually("the API server calls Portcullis", || cluster.is_guarded());
    let first = cluster.certificate_of(&server);
    assert!(first.is_some());
    let end = || server.metric("portcullis_certificate_expiration_timestamp_seconds").expect("it has a certificate");
    let (first_end, mut writes) = (end(), 0);
    // Each write shows that the certificate has not expired.
    eventually("renewed", || {
        assert!(cluster.is_guarded());
        writes += 1;
        end() != first_end
    });
    let later = end() - first_end;
    eprintln!("renewed after {later} s, {writes} writes");
    assert!((20.0..=30.0).contains(&later), "renewed between two thirds of its life and its end, not after {later} s");
    assert!(cluster.accepts(&server) && cluster.is_guarded());
    assert_ne!(cluster.certificate_of(&server), first);
}

fn the_authority_is_rotated_without_a_failure() {
    let cluster = Cluster::new();
    let servers = cluster.replicas(2, &["--ca-lifetime=54s", "--leaf-lifetime=12s", "--ca-settle=3s"]);
    cluster.install_webhooks(&servers[0]);
    eventually("the API server calls Portcullis", || cluster.is_guarded());
    let published = || fixture::decoded(&cluster.bundles(VALIDATING)[0]).unwrap_or_default();
    let (first, since, mut calls, mut most) = (published(), Instant::now(), 0, 0);
    while published().contains(&first) {
        let elapsed = since.elapsed();
        assert!(elapsed < Duration::from_secs(240), "the first authority is still trusted");
        assert!(cluster.is_guarded(), "a call failed after {elapsed:?}");
        assert!(
            servers.iter().all(|server| cluster.accepts(server)),
            "a certificate is not accepted after {elapsed:?}"
        );
        most = most.max(published().matches("BEGIN").count());
        calls += 1;
        pause();
    }
    eprintln!("rotated within {:?}, {calls} calls, none failed", since.elapsed());
    assert_eq!(most, 2, "both authorities were trusted at once");
    assert!(servers.iter().all(|server| cluster.accepts(server)) && cluster.is_guarded());
    for change in ["begin", "switch", "retire"] {
        let made =
            |server: &fixture::Replica| server.metric(&format!("portcullis_ca_changes_total{{change=\"{change}\"}}"));
        assert_eq!(servers.iter().filter_map(made).sum::<f64>(), 1.0, "{change} was made once");
    }
}

/// The holder knew the authority and the caBundles of 40 seconds ago, and that it may write them.
fn a_holder_that_was_stopped_writes_nothing() {
    let cluster = Cluster::new();
    let servers = cluster.replicas(2, &[]);
    cluster.install_webhooks(&servers[0]);
    eventually("the API server calls Portcullis", || cluster.is_guarded());
    eventually("nothing is wrong", || servers.iter().all(|server| server.readiness().contains("[+]certificate ok\n")));
    eventually("one leads", || servers.iter().any(|server| server.0.is_leader()));
    let (holders, others): (Vec<_>, Vec<_>) = servers.iter().partition(|server| server.0.is_leader());
    let ([holder], [other]) = (&holders[..], &others[..]) else { panic!("two replicas lead") };
    let start = Instant::now();
    holder.0.signal("STOP");
    eventually("the other replica leads", || other.0.is_leader());
    std::thread::sleep(Duration::from_secs(40).saturating_sub(start.elapsed()));
    let (before, lease) = (cluster.control_plane.audit_log().len(), cluster.lease());
    holder.0.signal("CONT");
    holder.0.logs("this replica no longer leads");
    std::thread::sleep(Duration::from_secs(10));
    let account = "system:serviceaccount:portcullis:portcullis";
    let writes = || {
        let mut events = cluster.control_plane.audit_log().split_off(before);
        events.retain(|event| event["user"]["username"] == account);
        events
    };
    eventually("the new holder renews the Lease", || writes().len() >= 2);
    only_renewals(&writes(), &lease["holderIdentity"]);
    assert_eq!(cluster.lease()["holderIdentity"], lease["holderIdentity"]);
    assert!(other.0.is_leader() && !holder.0.is_leader() && cluster.is_guarded());
}

fn an_expired_authority_is_replaced_at_once() {
    let cluster = Cluster::new();
    cluster.store_expired_authority();
    let since = Instant::now();
    let server = cluster.replica(&[]);
    cluster.install_webhooks(&server);
    eventually("the API server calls Portcullis", || cluster.is_guarded());
    eprintln!("guarded {:?} after the start", since.elapsed());
    assert_eq!(server.metric(r#"portcullis_ca_changes_total{change="replace"}"#), Some(1.0));
    assert!(cluster.accepts(&server));
}
