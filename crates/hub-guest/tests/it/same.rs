//! A program that needs no rewriting is not rewritten: the same bytes, no notice, no map.

use crate::support::program;
use hub_core::ports::Positions;
use proptest::prelude::*;

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,3}_".prop_map(|s| s),
        "[0-9]{1,3}".prop_map(|s| s.trim_start_matches('0').to_owned() + "0"),
        "'[a-z \"/`(]{0,6}'",
        "`[a-z '\"/(]{0,6}`",
        Just("/[a'\"/(]+/g".to_owned()),
        Just("await f_()".to_owned()),
        Just("this".to_owned()),
        Just("(() => { return 1 })".to_owned()),
        Just("async function () {}".to_owned()),
        Just("class {}".to_owned()),
        Just("'😀é'".to_owned()),
    ]
}

/// Within the limit on readings ([`hub_guest`]'s `depth`): each parenthesis that may hold
/// parameters doubles them, each `<` before one does so again. Three levels, with nothing nested on
/// the right of a comparison, come to that limit and not beyond it.
fn expression() -> impl Strategy<Value = String> {
    let leaf = leaf();
    leaf.prop_recursive(3, 24, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) + ({b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}) / ({b}) / 2")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("f_({a}, {b})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a})?.[{b}]")),
            inner.clone().prop_map(|a| format!("[{a}, ...x_]")),
            inner
                .clone()
                .prop_map(|a| format!("{{ a: {a}, [b_]: 1, async c() {{ return {a} }} }}"))
                .prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("`a ${{{a}}} b`")),
            inner.clone().prop_map(|a| format!("(async (x) => {a})")),
            (inner, self::leaf()).prop_map(|(a, b)| format!("(({a}) < ({b}) ? 1 : 2)")),
        ]
    })
}

fn statement() -> impl Strategy<Value = String> {
    let simple = prop_oneof![
        expression().prop_map(|e| format!(";({e});")),
        expression().prop_map(|e| format!("{{ const a = {e}; let b\n b = {e} }}")),
        expression().prop_map(|e| format!("for (const i of [{e}]) {{ if (i) continue; break }}")),
        expression().prop_map(|e| format!("try {{ g_({e}) }} catch (e) {{ h_(e) }} finally {{}}")),
        expression().prop_map(|e| format!("// {}\n", e.replace('\n', " "))),
        expression().prop_map(|e| format!("/* ```\n{} */", e.replace("*/", ""))),
        expression().prop_map(|e| format!("if ({e}) {{ return {e} }} else {{ k_() }}")),
        expression().prop_map(|e| format!("switch ({e}) {{ case 1: break; default: l_() }}")),
        Just("label: for (;;) { break label }".to_owned()),
    ];
    prop_oneof![simple]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_body_stays_the_same(
        statements in proptest::collection::vec(statement(), 0..6),
        result in expression(),
        newline in prop_oneof![Just("\n"), Just("\r\n")],
    ) {
        let code = format!("{}{newline}return {result};", statements.join(newline));
        let read = program(&code);
        prop_assert_eq!(&read.program, &code);
        prop_assert_eq!(read.notices, Vec::<String>::new());
        prop_assert_eq!(read.positions, Positions::Same);
    }
}
