//! What results drop shows in no report that does not ask for it.

use portcullis_core::compare::{HostResult, Kept, Pairing, compare};
use portcullis_core::report::compare::{Compared, document, text};
use portcullis_testing::rng::Rng;

use super::promise::{changed, world};
use super::{ENDPOINTS, side};
use crate::explain::worlds::Objects;

const SEEDS: std::ops::Range<u64> = 0..60;

#[test]
fn reports_need_no_more_than_is_kept() {
    let mut dropped = 0;
    for seed in SEEDS {
        let mut rng = Rng::new(seed);
        let before = world(&mut rng);
        let after = changed(&before, &mut rng);
        let of = |kept: Kept| {
            Objects::whole(&before).with(|before| {
                Objects::whole(&after)
                    .with(|after| compare(side(before), side(after), Pairing::ByName, &ENDPOINTS, kept))
            })
        };
        let (all, kept) = (of(Kept::ALL), of(Kept::default()));
        let shown = |hosts: &[HostResult]| {
            let compared = Compared { hosts, unread: &[] };
            [text::text(&compared), document::json(&compared)]
        };
        assert_eq!(shown(&all), shown(&kept), "seed {seed}");
        let requests = |hosts: &[HostResult]| -> usize {
            let differences = hosts.iter().flat_map(|host| &host.differences);
            differences.map(|difference| difference.requests.kept().len()).sum()
        };
        assert!(kept.iter().all(|host| host.same.kept().is_empty()));
        let winners = kept.iter().flat_map(|host| &host.differences).filter_map(|own| own.before.winner.as_ref());
        assert!(winners.into_iter().all(|(_, winner)| winner.chain.is_empty()));
        dropped += requests(&all) - requests(&kept);
    }
    assert!(dropped > 20, "{dropped} requests were dropped");
}
