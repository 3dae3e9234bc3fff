//! `portcullis can-i`: whether a namespace may serve a URL.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use jiff::Timestamp;

use super::explain::gateway;
use super::plan::PlanArgs;
use super::source::{KINDS, SourceArgs};
use super::user::UserArgs;
use super::{exit, print_text};
use portcullis_core::checks::Plan;
use portcullis_core::cluster::ownership::Owner;
use portcullis_core::cluster::{Cluster, Overlay};
use portcullis_core::explain::{Request, Scope, Snapshot};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::matching::Host;
use portcullis_core::report::permission::{Answer, HostOwner, Permission, text};
use portcullis_core::review::{HypotheticalKind, HypotheticalObject, reach};
use portcullis_core::routing::host_holders;

/// Show whether a new object would be admitted.
#[derive(Debug, Subcommand)]
pub enum CanICommand {
    /// Show whether a new object of a namespace that serves a URL would be admitted, which entry of `hostOwnership` decides,
    /// and which object answers the URL today.
    Serve(ServeArgs),
}

/// The URL and who would serve it.
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// The URL, such as https://shop.example.com/cart. The object would serve everything below its path, over HTTPS if the URL
    /// begins with `https`.
    #[arg(value_name = "URL")]
    url: String,
    /// The namespace of the new object.
    #[arg(short, long)]
    namespace: String,
    #[command(flatten)]
    user: UserArgs,
    /// The class of the new Ingress [default: the default class]
    #[arg(long, value_name = "CLASS", conflicts_with = "gateway")]
    class: Option<String>,
    /// The Gateway of a new HTTPRoute, instead of an Ingress.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = gateway)]
    gateway: Option<ObjectRef>,
    #[command(flatten)]
    source: SourceArgs,
    #[command(flatten)]
    plan: PlanArgs,
}

impl CanICommand {
    /// Prints the answer. The exit code is 0 for yes, 1 for no, and 3 if it may depend on something that was not read.
    pub fn run(self) -> anyhow::Result<ExitCode> {
        let Self::Serve(serve) = self;
        serve.run()
    }
}

impl ServeArgs {
    fn run(self) -> anyhow::Result<ExitCode> {
        let plan = self.plan.plan(&self.source.state.cluster)?;
        let request = Request::parse("GET", &self.url, &[], None, None)?;
        let source = self.source.read(KINDS.union(KindSet::VALIDATED).union(plan.needs()))?;
        source.require_namespace(&self.namespace)?;
        let objects = source.stored();
        let scope = Scope { class: self.class.clone(), gateway: self.gateway.clone() };
        let today = Snapshot::new(&objects, &source.cluster, plan.config()).ask(&request, &scope);
        let object = self.object(&request);
        let (host, this) = (Host::parse(&request.host), object.object_ref());
        let overlay = Overlay::new(&source.cluster, &this);
        let others = host_holders::outside_namespace(&host, &self.namespace, plan.config(), &overlay);
        // Whether an object is admitted does not depend on Services.
        let mut unread = source.missing(&today, &scope, KINDS.without(KindSet::of(&[Kind::Service])));
        if plan.ownership().lacks_claims(&source.cluster) {
            unread.push("HostClaims".to_owned());
        }
        let permission = Permission {
            url: request.url(),
            namespace: &self.namespace,
            kind: this.kind.api().kind,
            outcome: object.check(&plan, &source.cluster, self.user.user(), Timestamp::now()),
            owner: owner(&host, &plan, &source.cluster, &overlay),
            reach: object.reach(source.stored_of(reach::KINDS), &source.cluster, plan.config(), &request),
            holder: today.winner.as_ref().map(|(_, winner)| winner),
            others: others.into_iter().collect(),
            unread,
        };
        print_text(&text(&permission))?;
        Ok(ExitCode::from(match permission.answer() {
            Answer::No => exit::FAILURE,
            Answer::Yes => exit::SUCCESS,
            Answer::Unknown => exit::INCOMPLETE,
        }))
    }

    fn object(&self, request: &Request) -> HypotheticalObject {
        let kind = match &self.gateway {
            Some(gateway) => HypotheticalKind::HttpRoute(gateway.clone()),
            None => HypotheticalKind::Ingress(self.class.clone()),
        };
        let (namespace, host, path) = (self.namespace.clone(), request.host.clone(), request.path.clone());
        HypotheticalObject { namespace, host, path, is_secure: request.is_secure, kind }
    }
}

/// Who owns the host.
fn owner<'p>(host: &Host<'_>, plan: &'p Plan, known: &Cluster, cluster: &Overlay<'p>) -> HostOwner<'p> {
    let ownership = plan.ownership();
    match ownership.owner(host, cluster) {
        Some(Owner { namespaces, claim: Some(claim), .. }) => {
            HostOwner::Claim { claim: &claim.name, by: namespaces.to_string() }
        }
        Some(Owner { host: entry, namespaces, claim: None }) => {
            let by = ownership.owner_of(entry, host).map_or_else(|| namespaces.to_string(), |owner| owner.to_string());
            HostOwner::Entry { host: entry, by }
        }
        None if ownership.requires_claim(host, cluster) => HostOwner::NoClaim,
        None if ownership.lacks_claims(known) => HostOwner::Unknown,
        None if ownership.is_first_namespace() => host_holders::holder(host, plan.config(), cluster)
            .map_or(HostOwner::NextNamespace, |(_, object)| HostOwner::First(object)),
        None => HostOwner::Unlisted,
    }
}
