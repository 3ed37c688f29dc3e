//! Which tests cover the trouble cases of sources, their results, names, schemas, of search and
//! approvals and replay. Where the cases lie beside the project, each of these kinds has a line here; each
//! line names tests that exist.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The kinds that are covered here.
const KINDS: [&str; 7] =
    ["upstream", "tool-results", "names", "schema-to-ts", "search", "approvals", "replay"];

/// Case, and the tests of its kind.
const COVERED: [(&str, &[&str]); 84] = [
    ("N03", &["every_tool_has_one_address_that_reaches_it_and_no_other", "names_are_legal"]),
    ("N04", &["every_tool_has_one_address_that_reaches_it_and_no_other", "a_namespace_is_legal"]),
    ("N05", &["every_tool_has_one_address_that_reaches_it_and_no_other", "one_name_at_a_time"]),
    ("N06", &["every_tool_has_one_address_that_reaches_it_and_no_other", "one_name_at_a_time"]),
    ("N09", &["every_tool_has_one_address_that_reaches_it_and_no_other", "long_names_are_kept"]),
    ("N10", &["every_tool_has_one_address_that_reaches_it_and_no_other"]),
    ("N11", &["every_tool_has_one_address_that_reaches_it_and_no_other", "namespaces_of_sources"]),
    ("N12", &["a_name_given_twice_counts_once", "a_name_listed_twice_is_one_tool"]),
    ("N13", &["the_sources_name_in_front_is_left_out_where_nothing_collides"]),
    ("N14", &["every_tool_has_one_address_that_reaches_it_and_no_other", "one_name_at_a_time"]),
    ("N15", &["every_tool_has_one_address_that_reaches_it_and_no_other"]),
    ("P01", &["nothing_foreign_acts_or_hides_in_what_waits", "very_long_text_is_cut_and_says_so"]),
    (
        "P02",
        &["always_holds_for_the_next_run", "always_narrowed_to_values_holds_for_those_in_every"],
    ),
    ("P03", &["every_way_to_a_tool_meets_the_same_rule"]),
    ("P06", &["the_time_that_a_person_takes_counts_against_nothing"]),
    ("P09", &["questions_come_on_either_stream", "where_nobody_can_answer_the_server_is_told"]),
    ("P10", &["a_person_is_sent_only_where_they_can_see_where_that_is"]),
    ("P11", &["eight_requests_resume_one_run_and_get_the_same_bytes", "the_first_decision_holds"]),
    ("P12", &["what_is_shown_and_sent_is_what_the_arguments_were_at_the_call"]),
    ("R01", &["a_program_sees_each_result_as_it_was_meant"]),
    ("R04", &["a_program_sees_each_result_as_it_was_meant", "content_becomes_a_value"]),
    ("R05", &["a_program_sees_each_result_as_it_was_meant", "content_becomes_a_value"]),
    ("R07", &["a_program_sees_each_result_as_it_was_meant"]),
    ("R08", &["a_program_sees_each_result_as_it_was_meant", "content_becomes_a_value"]),
    ("R10", &["media_reach_the_program_and_not_the_model", "long_media_are_described"]),
    ("R11", &["a_program_sees_each_result_as_it_was_meant"]),
    ("R12", &["what_python_writes_for_no_number_is_null"]),
    ("R13", &["pieces_of_any_size_arrive_whole_over_a_pipe", "pieces_of_any_size_arrive_whole_as"]),
    ("R14", &["long_lines_arrive_whole_up_to_the_limit", "a_line_over_the_limit_costs_only"]),
    ("R17", &["a_program_sees_each_result_as_it_was_meant", "content_becomes_a_value"]),
    ("R18", &["a_program_sees_each_result_as_it_was_meant"]),
    ("R19", &["a_program_sees_each_result_as_it_was_meant"]),
    ("U01", &["noise_on_stdout_is_survived_and_kept"]),
    ("U02", &["noise_on_stdout_is_survived_and_kept"]),
    (
        "U04",
        &["a_crash_fails_what_waits_and_the_next_call_starts_anew", "a_crash_fails_every_call"],
    ),
    ("U05", &["every_refusal_is_told_apart_and_no_call_is_repeated"]),
    ("U07", &["cursors_end_however_they_loop", "pages_are_followed_and_loops_end"]),
    ("U09", &["lost_sessions_in_odd_words_fail_fast_with_those_words"]),
    ("U11", &["a_list_that_is_empty_for_a_moment_is_read_again", "every_tool_has_one_address"]),
    ("U12", &["the_general_stream_is_optional_in_every_way"]),
    ("U14", &["a_server_that_knows_only_older_versions_is_met"]),
    ("U15", &["a_slow_start_delays_nobody_else", "impatience_does_not_end_a_start"]),
    ("U17", &["closing_a_source_ends_all_that_came_of_it", "killing_the_hub_leaves_nothing"]),
    ("U18", &["children_see_a_small_environment", "what_cannot_be_started_says_what_to_do"]),
    ("U19", &["an_answer_that_breaks_off_is_taken_up", "an_answer_that_breaks_off_for_good"]),
    ("U21", &["a_call_without_an_answer_ends_at_its_limit_and_is_cancelled"]),
    ("U22", &["odd_ids_mix_nothing_up", "answers_in_another_order_find_their_calls"]),
    ("U24", &["every_refusal_is_told_apart", "redirects_stay_on_the_origin", "a_source_that_says"]),
    ("U25", &["bad_sources_spoil_no_good_ones", "sources_that_never_answer_delay_no_other"]),
    ("Q02", &["forms_of_a_word_find_each_other", "a_word_inside_another_is_no_match"]),
    ("Q04", &["common_words_decide_nothing"]),
    ("Q05", &["pasted_names_come_first"]),
    (
        "Q06",
        &[
            "nonsense_finds_nothing",
            "what_only_touches_a_query_is_marked_weak",
            "nothing_found_names",
        ],
    ),
    ("Q08", &["names_are_split_and_weigh_more_than_text"]),
    ("Q11", &["a_tool_that_does_everything_does_not_win"]),
    ("Q12", &["odd_queries_still_find", "odd_queries_get_an_answer"]),
    ("Q13", &["pages_are_disjoint_and_stay_in_a_namespace", "a_program_pages_through_the_search"]),
    ("Q14", &["words_of_parameters_count", "the_values_of_a_parameter_are_told_for_search"]),
    ("S02", &["a_result_that_contains_itself_stands_by_name", "recursion_is_finite"]),
    ("S03", &["references_of_every_form"]),
    ("S05", &["references_to_nothing_spoil_one_property", "diagnostics_name_what_was_not_read"]),
    ("S06", &["references_of_every_form"]),
    ("S09", &["descriptions_stay_comments"]),
    ("S11", &["objects_with_further_properties"]),
    ("S12", &["objects_with_further_properties"]),
    ("S13", &["values", "odd_values_and_names_reach_the_source_unchanged"]),
    ("S14", &["values"]),
    ("S15", &["nullable_in_every_dialect", "values"]),
    ("S16", &["plain_types", "roots_that_are_no_objects"]),
    ("S17", &["every_dialect_is_typed_and_checked_alike", "roots_that_are_no_objects"]),
    ("S19", &["roots_that_are_no_objects", "diagnostics_name_what_was_not_read"]),
    ("S20", &["every_dialect_is_typed_and_checked_alike", "nothing_a_schema_points_at_is_fetched"]),
    ("S22", &["lists_and_tuples"]),
    (
        "S24",
        &["properties_of_every_name_are_data", "odd_values_and_names_reach_the_source_unchanged"],
    ),
    ("S25", &["names_of_types_are_legal_and_differ"]),
    ("S28", &["a_type_that_is_only_itself_is_unknown"]),
    ("S29", &["a_result_without_a_shape_is_said_to_have_none"]),
    ("S30", &["values"]),
    ("S31", &["nullable_in_every_dialect"]),
    ("S32", &["plain_types"]),
    ("S34", &["nothing_a_schema_points_at_is_fetched", "references_to_nothing_spoil_one_property"]),
    (
        "Y01",
        &[
            "the_third_call_asks_and_each_is_sent_once_across_a_crash",
            "a_run_outlives_its_hub_and_each_call_is_sent_once",
        ],
    ),
    (
        "Y03",
        &[
            "other_calls_and_other_arguments_diverge_and_send_nothing",
            "the_order_of_keys_is_no_difference",
        ],
    ),
    ("Y04", &["answers_in_any_order_return_to_their_own_calls_and_a_race_keeps_its_winner"]),
];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The text of every Rust file below `folder`.
fn sources(folder: &Path, text: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, text);
        } else if path.extension().is_some_and(|kind| kind == "rs") && !path.ends_with("cases.rs") {
            text.push_str(&std::fs::read_to_string(path).unwrap());
        }
    }
}

#[test]
fn every_line_names_tests_that_exist() {
    let mut text = String::new();
    sources(&project().join("crates"), &mut text);
    for (case, tests) in &COVERED {
        for test in *tests {
            assert!(text.contains(&format!("fn {test}")), "{case}: {test}");
        }
    }
}

#[test]
fn every_case_of_these_kinds_has_a_line() {
    let project = project();
    let beside = project.ancestors().map(|folder| folder.join("shared/cases/cases.jsonl"));
    let Some(cases) = beside.filter_map(|file| std::fs::read_to_string(file).ok()).next() else {
        println!("skipped: no cases beside the project");
        return;
    };
    let known: BTreeSet<&str> = COVERED.iter().map(|(case, _)| *case).collect();
    let mut seen = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        if KINDS.iter().any(|kind| case["kind"] == *kind) {
            let id = case["id"].as_str().unwrap();
            assert!(known.contains(id), "{id} has no test: {}", case["story"]);
            seen += 1;
        }
    }
    assert!(seen > 0);
}
