//! Nothing that nests ends the process, at the full length of a program.
//!
//! Each text is read in a process of its own, because an overflow of the stack would end this one.

use crate::support::read;
use hub_core::limits::CODE_CHARS;
use std::io::{Read, Write};
use std::process::{Command, Stdio};

/// What opens a level, what stands inside of all, and what closes a level.
const NESTED: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("[", "1", "]"),
    ("{", ";", "}"),
    ("x = {a:", "1", "}"),
    ("({a:", "1", "})"),
    ("`${", "1", "}`"),
    ("f(", "1", ")"),
    ("a[", "1", "]"),
    ("!", "1", ""),
    ("- ", "1", ""),
    ("typeof ", "1", ""),
    ("void ", "1", ""),
    ("delete ", "a.b", ""),
    ("await ", "1", ""),
    ("new ", "A", ""),
    ("new A(", "", ")"),
    ("++", "a", ""),
    ("a=", "1", ""),
    ("a+=", "1", ""),
    ("a??=", "1", ""),
    ("a=>", "1", ""),
    ("async a=>", "1", ""),
    ("(a)=>", "1", ""),
    ("(a=", "1", ")=>1"),
    ("()=>{", "1", "}"),
    ("({a})=>", "1", ""),
    ("a?b:", "1", ""),
    ("a?", "1", ":1"),
    ("a?(b):", "1", ""),
    ("a?(", "1", "):c"),
    ("a?(b)=>(", "1", "):c"),
    ("a?(b):c=>", "1", ""),
    ("1+", "1", ""),
    ("1**", "1", ""),
    ("a&&", "1", ""),
    ("a??", "1", ""),
    ("a<", "1", ""),
    ("a in ", "b", ""),
    ("1,", "1", ""),
    ("a", "", ".b"),
    ("", "a", ".b"),
    ("", "a", "?.b"),
    ("", "a", "()"),
    ("", "a", "[0]"),
    ("", "a", "``"),
    ("", "a", "!"),
    ("", "a", "++"),
    ("", "x", " as T"),
    ("", "x", " satisfies T"),
    ("<T>", "x", ""),
    ("<T>(", "x", ")"),
    ("f<T>(", "x", ")"),
    ("if(a)", ";", ""),
    ("if(a);else ", ";", ""),
    ("if(a){}else ", ";", ""),
    ("for(;;)", ";", ""),
    ("for(a of b)", ";", ""),
    ("while(a)", ";", ""),
    ("do ", ";", " while(0);"),
    ("a:", ";", ""),
    ("try{", "", "}catch{}"),
    ("switch(a){case 1:", "", "}"),
    ("function f(){", "", "}"),
    ("(function(){", "", "})()"),
    ("async function f(){", "", "}"),
    ("class A{m(){", "", "}}"),
    ("class A extends ", "B", "{}"),
    ("(class extends ", "B", "{})"),
    ("class A{static{", "", "}}"),
    ("class A{[", "a", "](){}}"),
    ("x={get a(){", "", "}}"),
    ("x={[", "1", "]:1}"),
    ("const {a:", "b", "}=c"),
    ("const [", "b", "]=c"),
    ("[", "b", "]=c"),
    ("({a:", "b", "}={})"),
    ("({a=", "b", "}={})"),
    ("(a,", "b", ")"),
    ("...", "a", ""),
    ("throw ", "1", ""),
    ("return ", "1", ""),
    ("/(", "a", ")/"),
    ("let x:", "A", ""),
    ("type X=A<", "B", ">"),
    ("x=f<A<", "B", ">>"),
    ("type X=(", "B", ")"),
    ("type X=[", "B", "]"),
    ("type X={a:", "B", "}"),
    ("type X=()=>", "B", ""),
    ("type X=new()=>", "B", ""),
    ("type X=(a:", "B", ")=>C"),
    ("type X=keyof ", "B", ""),
    ("type X=typeof ", "b", ""),
    ("type X=readonly ", "B[]", ""),
    ("type X=A extends B?C:", "D", ""),
    ("type X=A extends ", "B", "?C:D"),
    ("type X=A|", "B", ""),
    ("type X=A&", "B", ""),
    ("type X=`${", "B", "}`"),
    ("type X={[K in ", "B", "]:C}"),
    ("type X=A[", "B", "]"),
    ("namespace A{", "", "}"),
    ("declare namespace A{", "", "}"),
    ("namespace A.", "B", "{}"),
    ("enum A{B=", "1", "}"),
    ("interface A{a:", "B", "}"),
    ("import(", "a", ")"),
    ("@a(", "b", ") class A{}"),
    ("export default ", "1", ""),
    ("```\n", "1", "\n```"),
    ("/*", "", ""),
    ("\"\\", "", "\""),
];

/// Types and patterns whose opening repeats only its tail: `type X=` once, then `keyof ` often.
const REPEATED: &[(&str, &str, &str, &str)] = &[
    ("type X=", "A<", "B", ">"),
    ("type X=", "(", "B", ")"),
    ("type X=", "[", "B", "]"),
    ("type X=", "{a:", "B", "}"),
    ("type X=", "()=>", "B", ""),
    ("type X=", "new()=>", "B", ""),
    ("type X=", "(a:", "B", ")=>C"),
    ("type X=", "keyof ", "B", ""),
    ("type X=", "readonly ", "B[]", ""),
    ("type X=", "A extends B?C:", "D", ""),
    ("type X=", "A extends ", "B", "?C:D"),
    ("type X=", "A|", "B", ""),
    ("type X=", "A&", "B", ""),
    ("type X=", "`${", "B", "}`"),
    ("type X=", "{[K in ", "B", "]:C}"),
    ("type X=", "A[", "B", "]"),
    ("type X=A", "", "", "[]"),
    ("type X=A", "", "", ".b"),
    ("type X=typeof a", "", "", ".b"),
    ("type X=A", "", "", "?"),
    ("type X=", "?", "A", ""),
    ("let x:", "asserts a is ", "B", ""),
    ("f", "<A", "", ">"),
    ("f<", "A<", "B", ">"),
    ("f(a<", "b<", "c", ""),
    ("function f<T extends ", "A<", "B", ">"),
    ("const ", "{a:", "b", "}"),
    ("const ", "[", "b", "]"),
    ("x=", "class extends ", "B", "{}"),
    ("namespace A", "", "", ".b"),
    ("/", "(", "a", ")"),
    ("/", "(?:", "a", ")"),
    ("/", "(?=", "a", ")"),
    ("/", "[", "a", "]"),
    ("x=/", "[", "a", "]/v"),
    ("x=", "`", "", "`"),
    ("a", "?.", "b", ""),
    ("import a", ".", "b", ""),
    ("import a=b", ".", "c", ""),
    ("@", "a.", "b", ""),
    ("async", "<T>", "(a)=>b", ""),
    ("if(1)", "if(a)", ";", "else;"),
];

/// Openings that the parser may read several times: without a limit the work doubles per level.
const READ_AGAIN: &[(&str, &str)] = &[
    ("({a=a<(", ")>b})=>1"),
    ("a<((...[a=", "])=>1)>b"),
    ("a<([a=", "]=b)>b"),
    ("(a=a<(", ")>b)"),
    ("a<((a?:b,c=", ")=>d)>b"),
    ("(a:b=a as (b:(([a=", "])=>1))=>c)=>d"),
    ("a as ({[", "]:b})"),
    ("(b):c=>a as (d:", ")=>e"),
    ("a?(b):c=>", ":d"),
    ("a?(b):c=>", ""),
    ("<T>(a=", ")=>1"),
    ("async(a=", ")=>b"),
    ("x=>async(a=", ")=>b"),
    ("(function(a=", "){})"),
    ("<T extends (a=", ")=>b>(c)=>d"),
    ("a as b extends infer c extends ", "?d:e"),
    ("a as b extends infer c extends ", ""),
];

fn fill(before: &str, open: &str, inner: &str, close: &str) -> String {
    let room = CODE_CHARS - before.len() - inner.len();
    let count = room / (open.len() + close.len());
    format!("{before}{}{inner}{}", open.repeat(count), close.repeat(count))
}

fn texts() -> Vec<String> {
    let mut all = Vec::new();
    for (open, inner, close) in NESTED {
        all.push(fill("", open, inner, close));
        // Openings that never close nest twice as deep.
        all.push(fill("", if open.is_empty() { close } else { open }, "", ""));
    }
    all.extend(
        REPEATED.iter().map(|(before, open, inner, close)| fill(before, open, inner, close)),
    );
    for (open, close) in READ_AGAIN {
        all.push(fill("x=", open, "y", close));
        all.extend([8, 24, 80].map(|n| format!("x={}y{}", open.repeat(n), close.repeat(n))));
    }
    all
}

#[test]
fn every_production_leaves_the_process_alive() {
    let exe = std::env::current_exe().expect("the test's own path");
    let mut dead = Vec::new();
    for text in texts() {
        let mut child = Command::new(&exe)
            .args(["--exact", "nesting::reads_what_it_is_sent", "--ignored"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a child");
        let mut input = child.stdin.take().expect("its input");
        input.write_all(text.as_bytes()).expect("sent");
        drop(input);
        let ended = child.wait().expect("its end");
        let name: String = text.chars().take(40).collect();
        if !ended.success() {
            dead.push(format!("{ended}: {name}"));
        }
    }
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
#[ignore = "the child of the test above"]
fn reads_what_it_is_sent() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("code");
    match read(&text) {
        Ok(read) => println!("read: {} bytes", read.program.len()),
        Err(error) => println!("refused: {}", error.message),
    }
}
