//! The server with slow, greedy, hostile or merely unlucky peers, over real sockets.

mod bodies;
mod bytes;
mod probes;
mod shutdown;
mod slots;
mod timeouts;

use std::time::Duration;

use libtest_mimic::Trial;

use crate::test_server::trial;

/// A deadline that a test waits for.
const SHORT: Duration = Duration::from_millis(300);

/// Trials with the names of their functions.
macro_rules! trials {
    ($($module:ident: $($test:ident),+;)+) => {
        vec![$($(trial(concat!("server::", stringify!($test)), $module::$test)),+),+]
    };
}

pub fn trials() -> Vec<Trial> {
    trials! {
        timeouts:
            peer_without_a_tls_handshake_is_closed, silent_peer_is_closed, slow_header_closes_the_connection,
            idle_connection_outlives_header_and_first_byte_timeouts, a_connection_that_idles_too_long_is_closed,
            slow_body_is_refused, an_answer_that_is_not_read_is_dropped;
        bodies:
            a_body_beyond_the_limit_is_refused, rejection_reaches_a_client_that_is_still_sending,
            only_json_by_post_is_read,
            bodies_beyond_the_budget_are_refused_with_retry_after, unfinished_body_of_the_largest_peer_is_dropped,
            unfinished_body_of_the_largest_network_is_dropped, slow_body_is_dropped_for_a_larger_one;
        bytes:
            garbage_does_not_crash_the_server, heads_beyond_the_limits_are_refused, a_client_may_expect_100_continue,
            pipelined_requests_are_answered_in_order;
        slots:
            a_silent_flood_blocks_no_other_peer, a_flood_of_single_requests_blocks_no_other_peer,
            the_longest_idle_connection_is_evicted, the_peer_with_most_idle_connections_loses_one,
            unproven_connections_are_evicted_before_idle_ones, started_request_is_completed_before_eviction,
            response_is_written_before_its_slot_is_reused, unfinished_requests_block_no_other_peer,
            slow_requests_of_proven_peers_block_no_other_peer, the_network_with_most_connections_loses_one,
            new_connection_waits_while_all_are_busy;
        shutdown:
            closing_completes_requests_in_flight, closing_ends_with_the_grace,
            draining_server_answers_one_more_request_on_idle_connections,
            draining_server_accepts_connections, draining_without_connections_ends_at_once,
            draining_ends_after_the_timeout,
            aborting_waits_for_nothing;
        probes: probes_report_health;
    }
}
