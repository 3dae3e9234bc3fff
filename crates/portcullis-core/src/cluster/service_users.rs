//! The IngressRoutes that use a Service, and their load balancing strategies. Users with another strategy are found
//! without visiting those with the same one.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::hash::BuildHasher;
use std::num::NonZeroU32;
use std::ops::{Bound, Range};
use std::sync::Arc;

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use slab::Slab;

use super::delegation_facts::DelegationFacts;
use super::service_uses::ServiceUses;
use super::small_set::SmallSet;
use crate::kinds::ObjectRef;

/// Users by Service. A tenant may name thousands of Services in one object, so an entry is a few bytes that refer to
/// the object, which holds the names.
#[derive(Debug, Default)]
pub struct ServiceUsers {
    /// By the hash of namespace and name.
    services: HashTable<Users>,
    hasher: DefaultHashBuilder,
    table: UserTable,
}

/// The data that entries of the table refer to.
#[derive(Debug, Default)]
struct UserTable {
    users: Slab<Arc<ServiceUser>>,
    /// The uses of Services with several users.
    shared: Slab<SmallSet<Use>>,
}

/// An object that uses Services.
#[derive(Debug)]
struct ServiceUser {
    number: u32,
    object_ref: Arc<ObjectRef>,
    class: Option<Arc<str>>,
    uses: Arc<ServiceUses>,
}

/// The users of one Service.
#[derive(Debug)]
enum Users {
    /// The key of the only user, and the position of its first use of this Service plus one. Most Services have one
    /// user.
    One(u32, NonZeroU32),
    /// The key of a set in `UserTable::shared`.
    Shared(u32),
}

/// One use of a Service that several objects use. Uses are ordered by their [`Key`]s and store the fields that usually
/// decide the order.
#[derive(Debug)]
struct Use {
    user: Arc<ServiceUser>,
    position: u32,
    port: u16,
    rank: u16,
}

/// Port, class, strategy as returned by [`ranked`], and user.
type Key<'k> = (u16, Option<&'k str>, (u16, &'k str), Where<'k>);

/// The known strategies, in order.
const ORDERED: [&str; 4] = ["Cookie", "Random", "RoundRobin", "WeightedLeastRequest"];

/// Maps a strategy to a key with the same order as the names. The number alone identifies a strategy in [`ORDERED`].
fn ranked(strategy: &str) -> (u16, &str) {
    match ORDERED.binary_search(&strategy) {
        Ok(position) => (2 * position as u16 + 1, ""),
        Err(position) => (2 * position as u16, strategy),
    }
}

/// A user, or a bound before or after all users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Where<'p> {
    Before,
    At(&'p ObjectRef),
    Behind,
}

impl ServiceUsers {
    /// Adds the uses of an object.
    pub fn enter(&mut self, facts: &DelegationFacts) {
        if facts.uses.is_empty() {
            return;
        }
        let (object_ref, class, uses) = (facts.object_ref.clone(), facts.class.clone(), facts.uses.clone());
        let Self { services, hasher, table } = self;
        let vacant = table.users.vacant_entry();
        let user = Arc::new(ServiceUser { number: number(vacant.key()), object_ref, class, uses });
        vacant.insert(Arc::clone(&user));
        for range in user.uses.by_service() {
            let service = user.service(range.start);
            let rehash = |users: &Users| hasher.hash_one(table.service(users));
            match services.entry(hasher.hash_one(service), |users| table.service(users) == service, rehash) {
                Entry::Vacant(entry) => drop(entry.insert(Users::one(&user, range.start))),
                Entry::Occupied(mut entry) => table.share(entry.get_mut(), &user, range),
            }
        }
    }

    /// Removes the uses of an object.
    pub fn leave(&mut self, facts: &DelegationFacts) {
        let Some(user) = self.user(facts).cloned() else { return };
        let Self { services, hasher, table } = self;
        for range in user.uses.by_service() {
            let service = user.service(range.start);
            let is_it = |users: &Users| table.service(users) == service;
            let Ok(mut entry) = services.find_entry(hasher.hash_one(service), is_it) else { continue };
            match *entry.get() {
                Users::One(..) => drop(entry.remove()),
                Users::Shared(set) => {
                    if let Some(last) = table.unshare(set, &user, range) {
                        *entry.get_mut() = Users::one(&last, last.uses.of(service.1).start);
                    }
                }
            }
        }
        table.users.remove(user.number as usize);
    }

    /// The user that was added with these facts.
    fn user(&self, facts: &DelegationFacts) -> Option<&Arc<ServiceUser>> {
        let used = facts.uses.iter().next()?;
        let (one, shared) = self.find(&facts.object_ref.namespace, used.name);
        let key: Key<'_> = (used.port, facts.class.as_deref(), ranked(used.strategy), Where::At(&facts.object_ref));
        let shared = shared.and_then(|uses| uses.range::<dyn Keyed>(Bound::Included(&key)).next());
        one.or(shared.map(|used| &used.user)).filter(|user| user.object_ref == facts.object_ref)
    }

    /// The users of a Service. An object appears once for each of its uses.
    pub fn of(&self, namespace: &str, name: &str) -> impl Iterator<Item = &Arc<ObjectRef>> {
        let (one, shared) = self.find(namespace, name);
        let shared = shared.into_iter().flat_map(SmallSet::iter).map(|used| &used.user);
        one.into_iter().chain(shared).map(|user| &user.object_ref)
    }

    /// The users of `class` that use another strategy for this port of a Service, each with its strategy, ordered by
    /// strategy and reference.
    pub fn otherwise<'u>(
        &'u self,
        (namespace, name): (&str, &str),
        port: i64,
        class: Option<&str>,
        strategy: &str,
    ) -> impl Iterator<Item = (&'u str, &'u ObjectRef)> {
        let port = u16::try_from(port).ok();
        let (one, shared) = port.map(|_| self.find(namespace, name)).unwrap_or_default();
        let port = port.unwrap_or_default();
        let one = one.filter(|user| user.class.as_deref() == class).into_iter();
        let one =
            one.flat_map(move |user| user.uses.of_port(name, port).map(move |used| (used.strategy, &*user.object_ref)));
        let shared = shared.into_iter().flat_map(move |uses| {
            let from = |own, object_ref| uses.range::<dyn Keyed>(Bound::Included(&(port, class, own, object_ref)));
            let own = ranked(strategy);
            // Range bounds skip all users with the same strategy at once.
            let before =
                from((0, ""), Where::Before).take_while(move |used| used.key() < (port, class, own, Where::Before));
            let behind = from(own, Where::Behind).take_while(move |used| (used.key().0, used.key().1) == (port, class));
            before.chain(behind).map(|used| (used.strategy(), &*used.user.object_ref))
        });
        one.filter(move |(own, _)| *own != strategy).chain(shared)
    }

    /// The users of a Service: either one user or a set.
    fn find(&self, namespace: &str, name: &str) -> (Option<&Arc<ServiceUser>>, Option<&SmallSet<Use>>) {
        let service = (namespace, name);
        let found = self.services.find(self.hasher.hash_one(service), |users| self.table.service(users) == service);
        match found {
            Some(Users::One(user, _)) => (self.table.users.get(*user as usize), None),
            Some(Users::Shared(set)) => (None, self.table.shared.get(*set as usize)),
            None => (None, None),
        }
    }
}

impl UserTable {
    /// Namespace and name of a Service.
    fn service(&self, users: &Users) -> (&str, &str) {
        match users {
            Users::One(user, first) => self.users[*user as usize].service(first.get() as usize - 1),
            Users::Shared(set) => {
                let first = self.shared[*set as usize].first();
                first.map(|used| used.user.service(used.position as usize)).unwrap_or_default()
            }
        }
    }

    /// Adds a user to the users of a Service.
    fn share(&mut self, users: &mut Users, user: &Arc<ServiceUser>, range: Range<usize>) {
        if let Users::One(other, first) = users {
            let other = &self.users[*other as usize];
            let name = other.uses.at(first.get() as usize - 1).name;
            let mut uses = SmallSet::default();
            Use::of(other, other.uses.of(name)).for_each(|used| uses.insert(used));
            *users = Users::Shared(number(self.shared.insert(uses)));
        }
        let Users::Shared(set) = users else { return };
        let set = &mut self.shared[*set as usize];
        Use::of(user, range).for_each(|used| set.insert(used));
    }

    /// Removes a user from a set. If one other user is left, removes the set and returns that user.
    fn unshare(&mut self, number: u32, user: &Arc<ServiceUser>, range: Range<usize>) -> Option<Arc<ServiceUser>> {
        let set = &mut self.shared[number as usize];
        Use::of(user, range).for_each(|used| set.remove(&used));
        let first = set.first()?;
        let is_last = first.user.uses.of(first.user.service(first.position as usize).1).len() == set.len();
        is_last.then(|| first.user.clone()).inspect(|_| drop(self.shared.remove(number as usize)))
    }
}

impl ServiceUser {
    /// Namespace and name of the Service at a position.
    fn service(&self, position: usize) -> (&str, &str) {
        (&self.object_ref.namespace, self.uses.at(position).name)
    }
}

impl Users {
    fn one(user: &ServiceUser, first: usize) -> Self {
        Self::One(user.number, NonZeroU32::MIN.saturating_add(number(first)))
    }
}

impl Use {
    fn of(user: &Arc<ServiceUser>, positions: Range<usize>) -> impl Iterator<Item = Self> {
        positions.map(|position| {
            let used = user.uses.at(position);
            Self { user: Arc::clone(user), position: number(position), port: used.port, rank: ranked(used.strategy).0 }
        })
    }

    fn strategy(&self) -> &str {
        self.user.uses.at(self.position as usize).strategy
    }
}

/// A value with a [`Key`]: an element of a set or the bound of a look-up.
trait Keyed {
    fn key(&self) -> Key<'_>;
}

impl Keyed for Use {
    fn key(&self) -> Key<'_> {
        let name = if self.rank % 2 == 1 { "" } else { self.strategy() };
        (self.port, self.user.class.as_deref(), (self.rank, name), Where::At(&self.user.object_ref))
    }
}

impl Keyed for Key<'_> {
    fn key(&self) -> Key<'_> {
        *self
    }
}

impl Ord for dyn Keyed + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for dyn Keyed + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn Keyed + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for dyn Keyed + '_ {}

impl<'k> Borrow<dyn Keyed + 'k> for Use {
    fn borrow(&self) -> &(dyn Keyed + 'k) {
        self
    }
}

impl Ord for Use {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
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

/// Converts a position to the type in which it is stored.
fn number(position: usize) -> u32 {
    u32::try_from(position).expect("fewer than 2^32 entries fit in memory")
}

#[cfg(test)]
mod tests {
    use super::super::Facts;
    use super::*;
    use crate::kinds::ingress_route::STRATEGIES;
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
    fn nothing_is_left_of_what_left() {
        let mut users = ServiceUsers::default();
        let uses: Vec<_> = (0..300).map(|number| (number % 100, 80 + number / 100)).collect();
        let all: Vec<_> = (0..100).map(|number| facts(&format!("o{number}"), &uses[number..])).collect();
        all.iter().for_each(|facts| users.enter(facts));
        assert_eq!(users.of("web", "s99").count(), 3 * 100);
        let (last, others) = all.split_last().expect("there are some");
        others.iter().for_each(|facts| users.leave(facts));
        assert!(users.table.shared.is_empty(), "one user takes no set: {users:?}");
        assert_eq!(users.of("web", "s99").count(), 1);
        users.leave(last);
        assert!(users.services.is_empty() && users.table.users.is_empty(), "{users:?}");
    }

    #[test]
    fn entries_are_small() {
        assert_eq!((size_of::<Users>(), size_of::<Use>()), (8, 16));
    }

    #[test]
    fn strategies_are_ordered_as_their_names_are() {
        let mut names = [&STRATEGIES[..], &["", "A", "Cookies", "Q", "RoundRobi", "Zone"]].concat();
        names.sort_unstable();
        assert!(names.is_sorted_by_key(|name| ranked(name)));
        names.retain(|name| STRATEGIES.contains(name));
        assert_eq!(names, ORDERED);
    }
}
