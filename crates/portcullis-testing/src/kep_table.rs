//! The design document's table of paths, which says which of them answers a request.

use portcullis_core::matching::PathType::{self, Exact, Prefix};

/// Paths with their types, requests, and which path answers them all.
pub type Row = (&'static [(PathType, &'static str)], &'static [&'static str], Option<usize>);

/// The 18 rows; the document writes "all paths" for the first.
#[rustfmt::skip]
pub const ROWS: [Row; 18] = [
    (&[(Prefix, "/")], &["/", "/foo", "/foo/", "/foo//bar"], Some(0)),
    (&[(Exact, "/foo")], &["/foo"], Some(0)),
    (&[(Exact, "/foo")], &["/bar"], None),
    (&[(Exact, "/foo")], &["/foo/"], None),
    (&[(Exact, "/foo/")], &["/foo"], None),
    (&[(Prefix, "/foo")], &["/foo", "/foo/"], Some(0)),
    (&[(Prefix, "/foo/")], &["/foo", "/foo/"], Some(0)),
    (&[(Prefix, "/aaa/bb")], &["/aaa/bbb"], None),
    (&[(Prefix, "/aaa/bbb")], &["/aaa/bbb"], Some(0)),
    (&[(Prefix, "/aaa/bbb/")], &["/aaa/bbb"], Some(0)),
    (&[(Prefix, "/aaa/bbb")], &["/aaa/bbb/"], Some(0)),
    (&[(Prefix, "/aaa/bbb")], &["/aaa/bbb/ccc"], Some(0)),
    (&[(Prefix, "/aaa/bbb")], &["/aaa/bbbxyz"], None),
    (&[(Prefix, "/"), (Prefix, "/aaa")], &["/aaa/ccc"], Some(1)),
    (&[(Prefix, "/"), (Prefix, "/aaa"), (Prefix, "/aaa/bbb")], &["/aaa/bbb"], Some(2)),
    (&[(Prefix, "/"), (Prefix, "/aaa"), (Prefix, "/aaa/bbb")], &["/ccc"], Some(0)),
    (&[(Prefix, "/aaa")], &["/ccc"], None),
    (&[(Prefix, "/foo"), (Exact, "/foo")], &["/foo"], Some(1)),
];
