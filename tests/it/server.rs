//! The server with slow, greedy, hostile or merely unlucky peers, over real sockets.

mod bodies;
mod bytes;
mod ends;
mod patience;
mod probes;
mod slots;

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
        patience:
            a_peer_that_never_shakes_hands_is_closed, a_peer_that_says_nothing_is_closed, a_dribbled_head_is_closed,
            an_idle_connection_outlives_head_and_silent, a_connection_that_idles_too_long_is_closed,
            a_dribbled_body_is_refused, an_answer_that_is_not_read_is_dropped;
        bodies:
            a_body_beyond_the_limit_is_refused, a_refusal_reaches_who_is_still_sending, only_json_by_post_is_read,
            bodies_beyond_the_budget_come_back_later, an_unfinished_body_of_the_greedy_gives_way,
            an_unfinished_body_of_the_greedy_network_gives_way, a_slow_body_gives_way_also_to_one_that_holds_more;
        bytes:
            nonsense_is_survived, heads_beyond_the_limits_are_refused, a_client_may_expect_100_continue,
            pipelined_requests_are_answered_in_order;
        slots:
            a_silent_flood_blocks_no_other_peer, a_flood_of_single_requests_blocks_no_other_peer,
            the_longest_idle_connection_is_evicted, the_peer_with_most_idle_connections_loses_one,
            unproven_connections_are_evicted_before_idle_ones, a_request_that_has_begun_is_waited_for,
            an_answer_is_written_before_its_place_is_given_away, unfinished_requests_block_no_other_peer,
            slow_requests_of_proven_peers_block_no_other_peer, the_network_with_most_connections_loses_one,
            while_everybody_is_busy_the_next_waits;
        ends:
            closing_answers_what_is_in_flight, closing_ends_with_the_grace, a_farewell_serves_idle_connections_once_more,
            a_farewell_accepts_connections, a_farewell_without_connections_ends_at_once, a_farewell_ends_in_time,
            aborting_waits_for_nothing;
        probes: probes_say_how_we_are;
    }
}
