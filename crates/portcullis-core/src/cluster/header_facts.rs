//! The header conditions of an HTTPProxy. The conditions of an include are compared with the conditions of the included
//! objects.

use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::MatchCondition;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::conditions::HeaderTest;

/// The header conditions of an HTTPProxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyHeaders {
    /// The conditions of its includes, each with the index in `spec.includes`.
    includes: Box<[(usize, HeaderFacts)]>,
    /// The conditions of its routes.
    routes: Box<[HeaderFacts]>,
}

/// One header condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderFacts {
    name: Box<str>,
    test: &'static str,
    value: Box<str>,
    ignores_case: bool,
}

impl ProxyHeaders {
    /// The header conditions of `proxy`; `None` if there are none, which is the usual case.
    pub fn of(proxy: &HttpProxy<'_>) -> Option<Box<Self>> {
        let includes = proxy.spec.includes.iter().enumerate();
        let includes = includes.flat_map(|(index, include)| headers(&include.conditions).map(move |of| (index, of)));
        let routes = proxy.spec.routes.iter().flat_map(|route| headers(&route.conditions));
        let all = Self { includes: includes.take(MAX_ENTRIES).collect(), routes: routes.take(MAX_ENTRIES).collect() };
        (!all.includes.is_empty() || !all.routes.is_empty()).then(|| Box::new(all))
    }

    /// The conditions of its includes, each with the index in `spec.includes`.
    pub fn of_includes(&self) -> impl Iterator<Item = (usize, HeaderTest<'_>)> {
        self.includes.iter().map(|(index, header)| (*index, header.test()))
    }

    /// All conditions, first those of the routes.
    pub fn all(&self) -> impl Iterator<Item = HeaderTest<'_>> {
        self.routes.iter().chain(self.includes.iter().map(|(_, header)| header)).map(HeaderFacts::test)
    }
}

impl HeaderFacts {
    fn test(&self) -> HeaderTest<'_> {
        let Self { name, test, value, ignores_case } = self;
        HeaderTest { name, test, value, ignores_case: *ignores_case }
    }
}

fn headers<'c>(conditions: &'c [MatchCondition<'_>]) -> impl Iterator<Item = HeaderFacts> + use<'c> {
    let tests = conditions.iter().filter_map(|condition| HeaderTest::of(condition.header.as_ref()?));
    tests.map(|HeaderTest { name, test, value, ignores_case }| HeaderFacts {
        name: name.into(),
        test,
        value: value.into(),
        ignores_case,
    })
}
