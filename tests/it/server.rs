//! The door under peers that are slow, greedy, hostile or merely unlucky: each over a real socket.

mod bodies;
mod bytes;
mod ends;
mod patience;
mod probes;
mod slots;

use std::time::Duration;

use libtest_mimic::Trial;

use crate::door::trial;

/// A deadline that a test waits for.
const SHORT: Duration = Duration::from_millis(300);

/// Trials named after their functions.
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
            a_dribbled_body_is_refused, an_answer_that_nobody_takes_is_dropped;
        bodies:
            a_body_beyond_the_limit_is_refused, a_refusal_reaches_who_is_still_sending, only_json_by_post_is_read,
            bodies_beyond_the_budget_come_back_later, an_unfinished_body_of_the_greedy_gives_way,
            an_unfinished_body_of_the_greedy_network_gives_way, a_slow_body_gives_way_also_to_one_that_holds_more;
        bytes:
            nonsense_is_survived, heads_beyond_the_limits_are_refused, a_client_may_expect_100_continue,
            pipelined_requests_are_answered_in_order;
        slots:
            a_silent_flood_keeps_nobody_out, a_flood_that_asks_once_keeps_nobody_out,
            who_has_been_idle_for_the_longest_makes_room, the_peer_with_most_idle_connections_makes_room,
            the_unproven_make_room_before_the_idle, a_request_that_has_begun_is_waited_for,
            an_answer_is_written_before_its_place_is_given_away, requests_that_never_end_keep_nobody_out,
            slow_requests_of_the_proven_keep_nobody_out, the_network_with_most_connections_makes_room,
            while_everybody_is_busy_the_next_waits;
        ends: stopping_finishes_what_is_in_flight, stopping_ends_with_the_grace;
        probes: probes_say_how_we_are;
    }
}
