//! What is kept of the headers that an HTTPProxy asks for: what an include asks is held against what is asked below it.

use crate::kinds::HttpProxy;
use crate::kinds::http_proxy::MatchCondition;
use crate::kinds::size::MAX_ENTRIES;
use crate::matching::conditions::HeaderAsked;

/// The headers that conditions of an HTTPProxy ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyHeaders {
    /// Those of its includes, each with the position among `spec.includes`.
    includes: Box<[(usize, HeaderFacts)]>,
    /// Those of its routes.
    routes: Box<[HeaderFacts]>,
}

/// What is asked of one header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderFacts {
    name: Box<str>,
    test: &'static str,
    value: Box<str>,
    ignores_case: bool,
}

impl ProxyHeaders {
    /// Those of `proxy`; none where nothing is asked of any header, as of most.
    pub fn of(proxy: &HttpProxy<'_>) -> Option<Box<Self>> {
        let includes = proxy.spec.includes.iter().enumerate();
        let includes = includes.flat_map(|(index, include)| headers(&include.conditions).map(move |of| (index, of)));
        let routes = proxy.spec.routes.iter().flat_map(|route| headers(&route.conditions));
        let all = Self { includes: includes.take(MAX_ENTRIES).collect(), routes: routes.take(MAX_ENTRIES).collect() };
        (!all.includes.is_empty() || !all.routes.is_empty()).then(|| Box::new(all))
    }

    /// Those of its includes, each with the position among `spec.includes`.
    pub fn of_includes(&self) -> impl Iterator<Item = (usize, HeaderAsked<'_>)> {
        self.includes.iter().map(|(index, header)| (*index, header.asked()))
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = HeaderAsked<'_>> {
        self.routes.iter().chain(self.includes.iter().map(|(_, header)| header)).map(HeaderFacts::asked)
    }
}

impl HeaderFacts {
    fn asked(&self) -> HeaderAsked<'_> {
        let Self { name, test, value, ignores_case } = self;
        HeaderAsked { name, test, value, ignores_case: *ignores_case }
    }
}

fn headers<'c>(conditions: &'c [MatchCondition<'_>]) -> impl Iterator<Item = HeaderFacts> + use<'c> {
    let asked = conditions.iter().filter_map(|condition| HeaderAsked::of(condition.header.as_ref()?));
    asked.map(|HeaderAsked { name, test, value, ignores_case }| HeaderFacts {
        name: name.into(),
        test,
        value: value.into(),
        ignores_case,
    })
}
