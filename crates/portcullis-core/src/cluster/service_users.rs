//! The IngressRoutes that use a Service, and their load balancing strategies. Users with another strategy are found
//! without visiting those with the same one.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::collections::btree_set::Range;
use std::hash::BuildHasher;
use std::ops::Bound;
use std::sync::Arc;

use hashbrown::DefaultHashBuilder;

use super::delegation_facts::DelegationFacts;
use super::service_uses::{ServiceUse, ServiceUses};
use crate::kinds::ObjectRef;

/// The uses of Services by all objects. A tenant may name thousands of Services in one object, so a use is a few bytes
/// that refer to the object, which holds the names.
#[derive(Debug, Default)]
pub struct ServiceUsers {
    uses: BTreeSet<Use>,
    hasher: DefaultHashBuilder,
}

/// An object that uses Services.
#[derive(Debug)]
struct ServiceUser {
    object_ref: Arc<ObjectRef>,
    class: Option<Arc<str>>,
    uses: Arc<ServiceUses>,
}

/// The use of a Service at a position in the uses of its user.
#[derive(Debug)]
struct Use {
    /// The [hash](ServiceUsers::hash) of the Service, which decides most comparisons.
    hash: u64,
    user: Arc<ServiceUser>,
    position: u32,
}

/// What orders the uses: a port of a Service in a namespace and the class of its user, the strategy, and the user.
type Key<'k> = (Port<'k>, &'k str, Position<'k>);

/// Namespace and name of a Service, its port, and the class of the IngressRoutes that use it.
type Port<'k> = (&'k str, &'k str, u16, Option<&'k str>);

/// A user, or a bound before or after all users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Position<'p> {
    Before,
    At(&'p ObjectRef),
    After,
}

impl ServiceUsers {
    /// Adds the uses of an object.
    pub fn enter(&mut self, facts: &DelegationFacts) {
        self.uses.extend(Use::all_of(facts, &self.hasher));
    }

    /// Removes the uses of an object.
    pub fn leave(&mut self, facts: &DelegationFacts) {
        for used in Use::all_of(facts, &self.hasher) {
            self.uses.remove(&used);
        }
    }

    /// The users of a Service. An object appears once for each of its uses.
    pub fn of(&self, namespace: &str, name: &str) -> impl Iterator<Item = &Arc<ObjectRef>> {
        let all = self.from(((namespace, name, 0, None), "", Position::Before));
        all.take_while(move |used| used.is_of(namespace, name)).map(|used| &used.user.object_ref)
    }

    /// The users of `class` that use another strategy for this port of a Service, each with its strategy, ordered by
    /// strategy and reference.
    pub fn with_other_strategy<'u>(
        &'u self,
        (namespace, name): (&str, &str),
        port: i64,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'u str, &'u ObjectRef)> {
        let port = u16::try_from(port).ok().map(|port| (namespace, name, port, class));
        let used = port.filter(|port| !self.all_use(*port, strategy));
        used.into_iter().flat_map(move |port| {
            // Bounds skip all users with the same strategy at once.
            let is_of_port = move |used: &&Use| used.key().0 == port;
            let before = self.from((port, "", Position::Before)).take_while(move |used| used.strategy() < strategy);
            let after = self.from((port, strategy, Position::After));
            let all = before.take_while(is_of_port).chain(after.take_while(is_of_port));
            all.map(|used| (used.strategy(), &*used.user.object_ref))
        })
    }

    /// Whether all users of the Service use this port with this strategy, which the first and the last of them show. Most
    /// Services have such users, or none.
    fn all_use(&self, port: Port<'_>, strategy: &str) -> bool {
        let (namespace, name, ..) = port;
        let hash = Self::hash(&self.hasher, namespace, name);
        let mut uses = self.uses.range::<u64, _>((Bound::Excluded(hash - 1), Bound::Excluded(hash + 1)));
        let is_alike = |used: &Use| matches!(used.key(), (own, by, _) if (own, by) == (port, strategy));
        uses.next().is_none_or(is_alike) && uses.next_back().is_none_or(is_alike)
    }

    /// The hash of a Service, an odd number below the greatest.
    fn hash(hasher: &DefaultHashBuilder, namespace: &str, name: &str) -> u64 {
        (hasher.hash_one((namespace, name)) >> 1) | 1
    }

    fn from<'u>(&'u self, key: Key<'_>) -> Range<'u, Use> {
        let (namespace, name, ..) = key.0;
        let bound = (Self::hash(&self.hasher, namespace, name), key);
        self.uses.range::<dyn HasKey, _>((Bound::Included(&bound as &dyn HasKey), Bound::Unbounded))
    }
}

impl Use {
    /// The uses of an object, in order.
    fn all_of(facts: &DelegationFacts, hasher: &DefaultHashBuilder) -> impl Iterator<Item = Self> {
        let (object_ref, class, uses) = (facts.object_ref.clone(), facts.class.clone(), facts.uses.clone());
        let count = u32::try_from(uses.len()).expect("fewer than 2^32 entries fit in memory");
        let user = Arc::new(ServiceUser { object_ref, class, uses });
        (0..count).map(move |position| {
            let name = user.uses.at(position as usize).name;
            let hash = ServiceUsers::hash(hasher, &user.object_ref.namespace, name);
            Self { hash, user: Arc::clone(&user), position }
        })
    }

    fn used(&self) -> ServiceUse<'_> {
        self.user.uses.at(self.position as usize)
    }

    fn is_of(&self, namespace: &str, name: &str) -> bool {
        (&*self.user.object_ref.namespace, self.used().name) == (namespace, name)
    }

    fn strategy(&self) -> &str {
        self.used().strategy
    }
}

/// A value with a [`Key`]: an element of the set or the bound of a look-up.
trait HasKey {
    fn hash(&self) -> u64;
    fn key(&self) -> Key<'_>;
}

impl HasKey for Use {
    fn hash(&self) -> u64 {
        self.hash
    }

    fn key(&self) -> Key<'_> {
        let (user, used) = (&self.user, self.used());
        let port = (&*user.object_ref.namespace, used.name, used.port, user.class.as_deref());
        (port, used.strategy, Position::At(&user.object_ref))
    }
}

impl HasKey for (u64, Key<'_>) {
    fn hash(&self) -> u64 {
        self.0
    }

    fn key(&self) -> Key<'_> {
        self.1
    }
}

impl Ord for dyn HasKey + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.hash().cmp(&other.hash()).then_with(|| self.key().cmp(&other.key()))
    }
}

impl PartialOrd for dyn HasKey + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn HasKey + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for dyn HasKey + '_ {}

impl<'k> Borrow<dyn HasKey + 'k> for Use {
    fn borrow(&self) -> &(dyn HasKey + 'k) {
        self
    }
}

/// By the hash alone: a bound between two hashes. No even number is a hash, so none is equal to several elements.
impl Borrow<u64> for Use {
    fn borrow(&self) -> &u64 {
        &self.hash
    }
}

impl Ord for Use {
    fn cmp(&self, other: &Self) -> Ordering {
        (self as &dyn HasKey).cmp(other)
    }
}

impl PartialOrd for Use {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Use {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Use {}

#[cfg(test)]
mod tests {
    use super::super::Facts;
    use super::*;
    use crate::kinds::{Kind, decode};

    /// The facts of an IngressRoute that uses these Services, each with its port.
    fn facts(name: &str, uses: &[(usize, usize)]) -> DelegationFacts {
        let service =
            |(service, port): &(usize, usize)| serde_json::json!({"name": format!("s{service}"), "port": port});
        let services: serde_json::Value = uses.iter().map(service).collect();
        let spec = serde_json::json!({"routes": [{"match": "/", "services": services}]});
        let object = serde_json::json!({"metadata": {"namespace": "web", "name": name}, "spec": spec});
        match Facts::of(&decode(Kind::IngressRoute, &object.to_string()).expect("it is an IngressRoute")) {
            Facts::Delegation(facts) => *facts,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn removed_users_leave_nothing_behind() {
        let mut users = ServiceUsers::default();
        let uses: Vec<_> = (0..300).map(|number| (number % 100, 80 + number / 100)).collect();
        let all: Vec<_> = (0..100).map(|number| facts(&format!("o{number}"), &uses[number..])).collect();
        all.iter().for_each(|facts| users.enter(facts));
        assert_eq!(users.of("web", "s99").count(), 3 * 100);
        let (last, others) = all.split_last().expect("there are some");
        others.iter().for_each(|facts| users.leave(facts));
        assert_eq!(users.of("web", "s99").count(), 3);
        users.leave(last);
        assert!(users.uses.is_empty(), "{users:?}");
    }
}
