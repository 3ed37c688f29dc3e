use super::super::{ArgumentCondition, ArgumentTest, check, explain, outdone};
use super::*;
use crate::time::UnixMillis;
use serde_json::json;

mod oracle;

pub(super) fn rule(id: &str, pattern: &str, decision: Verdict) -> Rule {
    Rule {
        id: RuleId::new(id),
        pattern: pattern.to_owned(),
        connection: None,
        arguments: Vec::new(),
        client: None,
        decision,
        note: String::new(),
        origin: RuleOrigin::Person,
        bound_to: None,
        created_at: UnixMillis(0),
    }
}

pub(super) fn with_call<T>(arguments: Option<&Value>, look: impl FnOnce(Call<'_>) -> T) -> T {
    let client = KeyId::new("key_a");
    look(Call {
        address: "files.read",
        connection: Some("work"),
        client: &client,
        arguments,
        annotations: Annotations::default(),
        effect: Effect::Effect,
        free_destination: false,
        scope: Some(Digest::of(b"now")),
    })
}

fn verdict(rules: &[Rule], arguments: Value) -> (Verdict, Option<String>) {
    with_call(Some(&arguments), |call| {
        let found = judge(rules, &call);
        (found.verdict, found.rule.map(|r| r.to_string()))
    })
}

fn when(mut rule: Rule, pointer: &str, test: ArgumentTest) -> Rule {
    rule.arguments.push(ArgumentCondition { pointer: pointer.to_owned(), test });
    rule
}

#[test]
fn patterns_cover_whole_segments() {
    let table = [
        ("files.read", true),
        ("files.*", true),
        ("*.read", true),
        ("*.*", true),
        ("**", true),
        ("files.**", true),
        ("files.read.**", true),
        ("*", false),
        ("files", false),
        ("files.rea*", false),
        ("**.read", false),
        ("files.read.*", false),
        ("Files.read", false),
        ("", false),
    ];
    for (pattern, covers) in table {
        let found = verdict(&[rule("r", pattern, Verdict::Deny)], json!({})).0;
        assert_eq!(found == Verdict::Deny, covers, "{pattern}");
    }
}

#[test]
fn the_more_specific_rule_decides_in_the_order_of_the_contract() {
    let plain = rule("plain", "files.read", Verdict::Allow);
    let ladder = [
        rule("0", "**", Verdict::Deny),
        Rule { client: Some(KeyId::new("key_a")), ..rule("1", "*.*", Verdict::Allow) },
        Rule { connection: Some("work".into()), ..rule("2", "**", Verdict::Deny) },
        rule("3", "files.*", Verdict::Allow),
        Rule { connection: Some("work".into()), ..rule("4", "*.read", Verdict::Deny) },
        rule("5", "files.read", Verdict::Allow),
        Rule { client: Some(KeyId::new("key_a")), ..rule("6", "files.read", Verdict::Deny) },
        Rule { connection: Some("work".into()), ..plain },
        when(rule("8", "**", Verdict::Deny), "/a", ArgumentTest::Equals(json!(1))),
        when(rule("9", "files.read", Verdict::Allow), "/a", ArgumentTest::Equals(json!(1))),
    ];
    for n in 1..=ladder.len() {
        let mut rules = ladder[..n].to_vec();
        rules.reverse();
        let found = verdict(&rules, json!({ "a": 1 }));
        assert_eq!(found.1.as_deref(), Some(ladder[n - 1].id.as_str()), "{n}");
        rules.reverse();
        assert_eq!(verdict(&rules, json!({ "a": 1 })), found);
    }
}

#[test]
fn an_organisations_deny_comes_first() {
    let organisation =
        Rule { origin: RuleOrigin::Organisation, ..rule("org", "**", Verdict::Deny) };
    let person =
        when(rule("p", "files.read", Verdict::Allow), "/a", ArgumentTest::Equals(1.into()));
    assert_eq!(verdict(&[person.clone(), organisation], json!({ "a": 1 })).0, Verdict::Deny);
    let asks = Rule { origin: RuleOrigin::Organisation, ..rule("org", "**", Verdict::Ask) };
    assert_eq!(verdict(&[person, asks], json!({ "a": 1 })).0, Verdict::Allow);
}

#[test]
fn on_a_tie_always_beats_the_ask_that_led_to_it_and_nothing_else() {
    let always = Rule {
        bound_to: Some(Digest::of(b"now")),
        created_at: UnixMillis(5),
        ..rule("always", "files.read", Verdict::Allow)
    };
    let tied =
        |decision, at| Rule { created_at: UnixMillis(at), ..rule("other", "files.read", decision) };
    let table = [
        (tied(Verdict::Ask, 4), Verdict::Allow),
        (tied(Verdict::Ask, 6), Verdict::Ask),
        (tied(Verdict::Confirm, 4), Verdict::Confirm),
        (tied(Verdict::Deny, 4), Verdict::Deny),
    ];
    for (other, expected) in table {
        assert_eq!(verdict(&[always.clone(), other], json!({})).0, expected);
    }
    let plain = Rule { bound_to: None, ..always.clone() };
    assert_eq!(verdict(&[plain, tied(Verdict::Ask, 4)], json!({})).0, Verdict::Ask);
    let from_file = Rule { origin: RuleOrigin::File, ..always };
    assert_eq!(verdict(&[from_file, tied(Verdict::Ask, 4)], json!({})).0, Verdict::Ask);
}

#[test]
fn a_rule_bound_to_another_definition_is_asleep() {
    let mut bound = rule("b", "files.read", Verdict::Allow);
    bound.bound_to = Some(Digest::of(b"before"));
    assert_eq!(verdict(&[bound.clone()], json!({})), (Verdict::Ask, None));
    let text = with_call(None, |call| explain(&[bound.clone()], &call));
    assert!(text.contains("asleep"), "{text}");
    bound.bound_to = Some(Digest::of(b"now"));
    assert_eq!(verdict(&[bound], json!({})).0, Verdict::Allow);
}

#[test]
fn always_is_offered_only_where_it_would_hold() {
    let always = Rule {
        bound_to: Some(Digest::of(b"now")),
        created_at: UnixMillis(9),
        client: Some(KeyId::new("key_a")),
        ..rule("always", "files.read", Verdict::Allow)
    };
    let narrower = when(rule("n", "files.**", Verdict::Ask), "/a", ArgumentTest::Equals(1.into()));
    for (a, holds) in [(1, false), (2, true)] {
        let arguments = json!({ "a": a });
        let rules = [narrower.clone(), rule("d", "files.*", Verdict::Deny)];
        with_call(Some(&arguments), |call| {
            assert_eq!(would_hold(&rules, &always, &call), holds);
        });
    }
}

#[test]
fn what_is_chosen_for_one_call_lifts_no_prohibition_of_others() {
    let under = |path: &str| ArgumentTest::PathUnder(path.into());
    let always = |test| {
        let rule = rule("new", "files.read", Verdict::Allow);
        let client = Some(KeyId::new("key_a"));
        when(Rule { client, bound_to: Some(Digest::of(b"now")), ..rule }, "/path", test)
    };
    let secret = when(rule("no", "files.*", Verdict::Deny), "/path", under("/d/secret"));
    let ask = when(rule("ask", "files.read", Verdict::Ask), "/path", under("/d"));
    let plain = |pattern, decision| rule("no", pattern, decision);
    let table = [
        ("the folder above", always(under("/d")), vec![secret.clone()], true),
        ("a folder beside", always(under("/d/open")), vec![secret.clone()], false),
        ("one file in it", always(ArgumentTest::Equals(json!("/d/secret/a"))), vec![secret], true),
        ("less exact", always(under("/d")), vec![plain("files.**", Verdict::Confirm)], true),
        ("another tool", always(under("/d")), vec![plain("files.write", Verdict::Deny)], false),
        ("an ask", always(under("/d")), vec![plain("**", Verdict::Ask)], false),
        // Where a person made an exception already, nothing is lifted.
        ("an exception", always(under("/d")), vec![plain("files.*", Verdict::Deny), ask], false),
    ];
    for (what, new, rules, expected) in table {
        assert_eq!(outdone(&rules, &new, None).is_some(), expected, "{what}");
    }
    let veto = Rule { origin: RuleOrigin::Organisation, ..plain("**", Verdict::Deny) };
    assert_eq!(outdone(&[veto], &always(under("/d")), None), None);
    // "Allow less" of a rule for all tools would come before the one that confirms a tool.
    let wide = rule("new", "files.*", Verdict::Allow);
    let less = when(wide.clone(), "/path", under("/d"));
    let confirm = [plain("files.read", Verdict::Confirm)];
    assert_eq!(outdone(&confirm, &less, Some(&wide)), confirm.first());
    let exact = rule("new", "files.read", Verdict::Allow);
    let less = when(exact.clone(), "/path", under("/d"));
    let broad = [plain("files.*", Verdict::Deny)];
    assert_eq!(outdone(&broad, &less, Some(&exact)), None, "it came first before");
}

#[test]
fn defaults_follow_the_annotations() {
    let (yes, no) = (Some(true), Some(false));
    // effect, free destination, destructive, open world
    let table = [
        (Effect::Read, false, None, None, Verdict::Allow),
        (Effect::Read, false, None, yes, Verdict::Allow),
        (Effect::Read, true, None, None, Verdict::Ask),
        (Effect::Read, true, None, yes, Verdict::Ask),
        (Effect::Read, true, None, no, Verdict::Allow),
        (Effect::Effect, false, no, no, Verdict::Allow),
        (Effect::Effect, false, no, None, Verdict::Ask),
        (Effect::Effect, false, no, yes, Verdict::Ask),
        (Effect::Effect, false, None, no, Verdict::Ask),
        (Effect::Effect, false, yes, no, Verdict::Ask),
        (Effect::Effect, false, None, None, Verdict::Ask),
    ];
    for (effect, free_destination, destructive_hint, open_world_hint, expected) in table {
        let annotations =
            Annotations { destructive_hint, open_world_hint, ..Annotations::default() };
        let found = with_call(None, |call| {
            judge(&[], &Call { effect, free_destination, annotations, ..call })
        });
        assert_eq!((found.verdict, found.rule), (expected, None), "{annotations:?} {effect:?}");
    }
}

#[test]
fn unknown_arguments_leave_conditional_rules_out() {
    let deny = when(rule("d", "**", Verdict::Deny), "/a", ArgumentTest::Equals(1.into()));
    with_call(None, |call| {
        assert_eq!(judge(std::slice::from_ref(&deny), &call).verdict, Verdict::Ask);
        assert!(explain(&[deny], &call).contains("depends on the arguments"));
    });
}

#[test]
fn an_unclear_value_neither_frees_nor_slips_past() {
    let under = |id, decision| {
        let root = ArgumentTest::PathUnder("/srv/docs".into());
        when(rule(id, "files.read", decision), "/path", root)
    };
    let (free, forbid) = (under("free", Verdict::Allow), under("forbid", Verdict::Deny));
    let escape = json!({ "path": "/srv/docs/../../etc/passwd" });
    assert_eq!(verdict(std::slice::from_ref(&free), escape.clone()).0, Verdict::Ask);
    assert_eq!(verdict(std::slice::from_ref(&forbid), escape.clone()).0, Verdict::Deny);
    // An asking rule that may match hides no forbidding one that does.
    let asks = under("asks", Verdict::Ask);
    let deny = rule("deny", "files.*", Verdict::Deny);
    assert_eq!(verdict(&[asks, deny], escape).0, Verdict::Deny);
    for absent in [json!({}), json!({ "path": null }), json!([])] {
        assert_eq!(verdict(std::slice::from_ref(&free), absent.clone()), (Verdict::Ask, None));
        assert_eq!(verdict(std::slice::from_ref(&forbid), absent), (Verdict::Ask, None));
    }
}

#[test]
fn explain_names_the_decision_and_what_lost() {
    let rules = [
        rule("broad", "**", Verdict::Deny),
        Rule { note: "trusted\u{1b}[2J".into(), ..rule("near", "files.read", Verdict::Allow) },
        when(rule("cond", "**", Verdict::Ask), "/a", ArgumentTest::Equals(2.into())),
    ];
    let arguments = json!({ "a": 1 });
    let text = with_call(Some(&arguments), |call| explain(&rules, &call));
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "files.read: allow");
    assert!(lines[1].starts_with("rule near of a person: allow files.read ("), "{text}");
    assert!(lines[2].contains("cond") && lines[2].ends_with("its conditions do not hold"));
    assert!(lines[3].contains("broad") && lines[3].ends_with("a more specific rule decides"));
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_rule_that_could_never_match_is_refused() {
    for pattern in ["", "a..b", "a.", "a*.b", "**.b", "a.***", " a.b"] {
        assert!(check(&rule("r", pattern, Verdict::Deny)).is_err(), "{pattern:?}");
    }
    for pattern in ["a.b", "*", "**", "a.*", "*.b", "a.**", "*.**"] {
        assert_eq!(check(&rule("r", pattern, Verdict::Deny)), Ok(()), "{pattern}");
    }
    let conditions = [
        ("a", ArgumentTest::Equals(json!(1)), false),
        ("/a~2", ArgumentTest::Equals(json!(1)), false),
        ("/a~", ArgumentTest::Equals(json!(1)), false),
        ("/a~1b~0", ArgumentTest::Equals(json!(1)), true),
        ("", ArgumentTest::Equals(json!(1)), true),
        ("/a", ArgumentTest::OneOf(vec![]), false),
        ("/a", ArgumentTest::Range { min: None, max: None }, false),
        ("/a", ArgumentTest::Range { min: Some(2.0), max: Some(1.0) }, false),
        ("/a", ArgumentTest::Range { min: Some(1.0), max: Some(1.0) }, true),
        ("/a", ArgumentTest::PathUnder("/a/../b".into()), false),
        ("/a", ArgumentTest::PathUnder("~/b".into()), false),
        ("/a", ArgumentTest::PathUnder("/".into()), true),
        ("/a", ArgumentTest::UrlHost("https://a.b".into()), false),
        ("/a", ArgumentTest::UrlHost("a.b/c".into()), false),
        ("/a", ArgumentTest::UrlHost("".into()), false),
        ("/a", ArgumentTest::UrlHost("a.b:8443".into()), true),
    ];
    for (pointer, test, good) in conditions {
        let found = check(&when(rule("r", "**", Verdict::Deny), pointer, test.clone()));
        assert_eq!(found.is_ok(), good, "{pointer} {test:?}");
    }
}
