//! `ingress/annotation-misspelled`: the cost of a review does not grow with the number of unknown annotations.

use super::review_fixture::{Review, ingress};

#[test]
fn only_some_unknown_names_are_compared() {
    let reported = |count: u8| {
        let unknown =
            (0..count).map(|at| format!("nginx.ingress.kubernetes.io/ssl-redirect{}: 'true'", char::from(b'a' + at)));
        let annotations = format!("annotations: {{{}}}", unknown.collect::<Vec<_>>().join(", "));
        let object = ingress("web/shop", &annotations, "shop.example.com", "/");
        let review = Review {
            config: "checks: {'*': Off, ingress/annotation-misspelled: Warn}",
            object: &object,
            ..Review::default()
        };
        review.response().warnings().len()
    };
    assert_eq!([1, 16, 20].map(reported), [1, 16, 16]);
}
