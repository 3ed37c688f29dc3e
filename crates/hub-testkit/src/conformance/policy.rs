//! Rules and their history.

use super::ok;
use crate::fixtures::{T0, rule};
use hub_core::id::RuleId;
use hub_core::policy::{ArgumentCondition, ArgumentTest, Verdict};
use hub_core::ports::Store;
use std::sync::Arc;

pub(super) async fn rules_are_versioned(store: Arc<dyn Store>) {
    let (before, none) = ok!(store.rules());
    assert_eq!(none, []);
    let mut b = rule("b", "b.*", Verdict::Ask);
    b.arguments = vec![
        ArgumentCondition {
            pointer: "/a/0".to_owned(),
            test: ArgumentTest::Range { min: Some(0.1), max: None },
        },
        ArgumentCondition {
            pointer: "/p".to_owned(),
            test: ArgumentTest::PathUnder("/srv".to_owned()),
        },
    ];
    let put = vec![b.clone(), rule("a", "a.*", Verdict::Deny)];
    let first = ok!(store.change_rules(put, Vec::new(), "me".to_owned(), T0));
    assert!(first > before);
    assert_eq!(ok!(store.rules()), (first, vec![b.clone(), rule("a", "a.*", Verdict::Deny)]));
    let again = ok!(store.change_rules(vec![b.clone()], Vec::new(), "me".to_owned(), T0));
    assert_eq!(again, first, "what is there already is no change");
    let unknown = vec![RuleId::new("rule_none")];
    assert_eq!(ok!(store.change_rules(Vec::new(), unknown, "me".to_owned(), T0)), first);
    b.decision = Verdict::Confirm;
    let put = vec![b.clone(), rule("c", "**", Verdict::Allow)];
    let remove = vec![RuleId::new("rule_a")];
    let second = ok!(store.change_rules(put, remove, "you".to_owned(), T0));
    assert!(second > first);
    let (version, rules) = ok!(store.rules());
    assert_eq!((version, rules), (second, vec![b, rule("c", "**", Verdict::Allow)]));
}

pub(super) async fn history_is_newest_first(store: Arc<dyn Store>) {
    let a = rule("a", "a.*", Verdict::Deny);
    ok!(store.change_rules(vec![a.clone()], Vec::new(), "me".to_owned(), T0));
    ok!(store.change_rules(Vec::new(), vec![a.id.clone()], "you".to_owned(), T0.plus(1)));
    let history = ok!(store.rule_history(9));
    assert_eq!(history.len(), 2);
    assert_eq!((history[0].who.as_str(), &history[0].removed), ("you", &vec![a.clone()]));
    assert_eq!((history[1].at, &history[1].put), (T0, &vec![a]));
    assert!(history[0].version > history[1].version);
    assert_eq!(ok!(store.rule_history(1)), history[..1]);
}
