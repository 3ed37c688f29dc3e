//! What every store must do. A new store calls [`all`] with a way to make an empty one.
//!
//! To add a case: write it in the module of its port and name it in [`CASES`].

mod blobs;
mod commits;
mod joining;
mod keys;
mod pendings;
mod policy;
mod runs;
mod sources;

use hub_core::ports::{BoxFuture, Store};
use std::sync::Arc;

/// One case, on an empty store.
pub type Case = fn(Arc<dyn Store>) -> BoxFuture<'static, ()>;

macro_rules! cases {
    ($($module:ident :: $name:ident,)*) => {
        /// Every case with its name.
        pub const CASES: &[(&str, Case)] = &[$((
            concat!(stringify!($module), "::", stringify!($name)),
            |store| Box::pin($module::$name(store)),
        )),*];
    };
}

cases![
    sources::names_and_namespaces_are_never_shared,
    sources::listings_are_kept_whole,
    sources::names_once_given_stay,
    sources::a_removed_source_takes_everything_along,
    sources::the_first_connection_is_the_default_until_another_is,
    sources::the_version_rises_with_every_change,
    policy::rules_are_versioned,
    policy::history_is_newest_first,
    keys::a_token_opens_until_revoked,
    keys::the_hubs_own_keys_are_made_once,
    runs::a_run_is_read_as_it_was_written,
    runs::runs_are_listed_newest_first,
    runs::so_many_runs_of_a_principal_may_be_open,
    joining::parked_and_unattended_runs_are_joined,
    joining::ended_runs_are_joined_only_shortly_and_after_effects,
    joining::others_runs_are_never_joined,
    commits::a_step_is_written_whole,
    commits::a_step_after_another_place_is_lost,
    commits::a_refused_step_writes_nothing,
    commits::guards_hold_versions,
    commits::guards_hold_decisions,
    commits::many_runs_at_once,
    pendings::a_pending_is_decided_once,
    pendings::of_many_deciders_one_wins,
    pendings::an_expired_pending_is_only_closed,
    pendings::open_ones_are_listed_oldest_first,
    pendings::overdue_ones_are_those_at_their_end,
    blobs::blobs_are_found_by_their_digest,
    blobs::sweeping_takes_old_ended_runs_and_their_blobs,
];

/// Runs every case on a store of its own; panics with the name of the case that failed.
pub async fn all(make: impl Fn() -> Arc<dyn Store>) {
    for (name, case) in CASES {
        println!("{name}");
        case(make()).await;
    }
}

/// Awaits a step that must succeed.
macro_rules! ok {
    ($step:expr) => {
        $step.await.expect("the store did it")
    };
}
use ok;
