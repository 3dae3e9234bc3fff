//! The table of paths in KEP-758, the design document of Ingress paths. It says which path serves a request.

use portcullis_core::matching::PathType::{self, Exact, Prefix};

/// Paths with their types, requests, and the index of the path that serves all of these requests.
pub type Row = (&'static [(PathType, &'static str)], &'static [&'static str], Option<usize>);

/// The 18 rows. For the requests of the first row, the document says "all paths".
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
