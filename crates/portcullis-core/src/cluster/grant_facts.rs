//! The facts of ReferenceGrants and BackendTLSPolicies.

use jiff::Timestamp;

use crate::kinds::{BackendTlsPolicy, Kind, ObjectRef, ReferenceGrant};

/// Group, kind and namespace of the objects that may refer.
pub type Referring = (Box<str>, Box<str>, Box<str>);
/// Group and kind of the objects that may be referred to, and the name of one object or `None` for all.
pub type Referred = (Box<str>, Box<str>, Option<Box<str>>);
/// The name of a Service, and the name of its port if the policy specifies one.
pub type Targeted = (Box<str>, Option<Box<str>>);

/// The facts of a ReferenceGrant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantFacts {
    /// The reference to the grant.
    pub object_ref: ObjectRef,
    /// The objects that may refer.
    pub from: Box<[Referring]>,
    /// The objects that may be referred to.
    pub to: Box<[Referred]>,
}

impl GrantFacts {
    /// Returns the facts of `grant`.
    pub fn of(grant: &ReferenceGrant<'_>) -> Self {
        let group = |group: Option<&str>| Box::from(group.unwrap_or_default());
        let from = grant
            .spec
            .from
            .iter()
            .map(|from| (group(from.group.as_deref()), Box::from(&*from.kind), Box::from(&*from.namespace)));
        let to = grant.spec.to.iter().map(|to| {
            let name = to.name.as_deref().filter(|name| !name.is_empty()).map(Box::from);
            (group(to.group.as_deref()), Box::from(&*to.kind), name)
        });
        Self {
            object_ref: ObjectRef::new(Kind::ReferenceGrant, grant.metadata.namespace(), grant.metadata.name()),
            from: from.collect(),
            to: to.collect(),
        }
    }

    /// Everything that the grant allows.
    pub fn permissions(&self) -> impl Iterator<Item = Permission<'_>> {
        let to_namespace = &*self.object_ref.namespace;
        self.from.iter().flat_map(move |(group, kind, namespace)| {
            self.to.iter().map(move |(to_group, to_kind, name)| Permission {
                from: (group, kind, namespace),
                to: (to_group, to_kind, to_namespace),
                name: name.as_deref(),
            })
        })
    }
}

/// What a grant allows by one of its `from` entries and one of its `to` entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Permission<'p> {
    /// Group, kind and namespace of the objects that may refer.
    pub from: (&'p str, &'p str, &'p str),
    /// Group, kind and namespace of the objects that may be referred to.
    pub to: (&'p str, &'p str, &'p str),
    /// The name of the object that may be referred to, or `None` for all.
    pub name: Option<&'p str>,
}

impl Permission<'_> {
    /// The text by which grants are found. None of its parts contains a slash, unless it is malformed.
    pub(super) fn key(&self) -> Box<str> {
        let Self { from: (group, kind, namespace), to: (to_group, to_kind, to_namespace), name } = self;
        let name = name.unwrap_or("/");
        format!("{to_namespace}/{namespace}/{group}/{kind}/{to_group}/{to_kind}/{name}").into()
    }
}

/// The facts of a BackendTLSPolicy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyFacts {
    /// The reference to the policy.
    pub object_ref: ObjectRef,
    /// The target Services.
    pub targets: Box<[Targeted]>,
    /// The creation time.
    pub created: Option<Timestamp>,
}

impl PolicyFacts {
    /// Returns the facts of `policy`.
    pub fn of(policy: &BackendTlsPolicy<'_>) -> Self {
        let services =
            policy.spec.target_refs.iter().filter(|target| (target.group(), target.kind_or("")) == ("", "Service"));
        let targets = services.map(|target| (Box::from(&*target.name), target.section_name.as_deref().map(Box::from)));
        Self {
            object_ref: ObjectRef::new(Kind::BackendTlsPolicy, policy.metadata.namespace(), policy.metadata.name()),
            targets: targets.collect(),
            created: policy.metadata.created(),
        }
    }
}
