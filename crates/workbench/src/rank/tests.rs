use super::knobs::{KNOBS, set};
use super::measure::Figures;
use super::sets::{Labelled, Notes, Parameter, QueryFile, Set, Tool};
use super::*;

fn ids(list: &[&str]) -> Vec<String> {
    list.iter().map(|id| (*id).to_owned()).collect()
}

fn tool(namespace: &str, name: &str, description: &str) -> Tool {
    Tool {
        id: format!("{namespace}/{name}"),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: vec![Parameter {
            name: "path".to_owned(),
            description: "Where it lies".to_owned(),
            values: vec![],
        }],
    }
}

fn small() -> Set {
    let query = |text: &str, id: &str| Labelled { text: text.to_owned(), relevant: ids(&[id]) };
    let queries = vec![query("read a file", "fs/read_file"), query("send mail", "mail/send")];
    Set {
        name: "small".to_owned(),
        tools: vec![
            tool("fs", "read_file", "Read a file"),
            tool("fs", "write_file", "Write a file"),
            tool("mail", "send", "Send mail"),
        ],
        files: vec![QueryFile { name: "small".to_owned(), queries, notes: Notes::default() }],
    }
}

#[test]
fn figures_of_a_ranking() {
    let one = |ranked: &[&str], relevant: &[&str]| Figures::one(&ids(ranked), &ids(relevant));
    let best = one(&["a", "b"], &["a"]);
    assert_eq!((best.ndcg, best.recall_1, best.mrr), (1.0, 1.0, 1.0));
    let third = one(&["x", "y", "a"], &["a"]);
    assert!((third.ndcg - 0.5).abs() < 1e-12 && (third.mrr - 1.0 / 3.0).abs() < 1e-12);
    let half = one(&["a", "x", "y"], &["a", "b"]);
    // 1 of an ideal 1 + 1/log2(3).
    assert!((half.ndcg - 1.0 / (1.0 + 1.0 / 3_f64.log2())).abs() < 1e-12);
    assert_eq!((half.recall_1, half.recall_5), (0.5, 0.5));
    let none = one(&[], &["a"]);
    assert_eq!((none.ndcg, none.recall_10, none.mrr), (0.0, 0.0, 0.0));
}

const TOOL: &str = r#"{"id":"a","namespace":"n","name":"read","inputSchema":
    {"properties":{"to":{"enum":["x",1,null]},"of":{"items":{"enum":["y"]}}}}}"#;
const QUERY: &str = r#"{"text":"read","relevant":["a"]}"#;

/// A folder with one set of these files, loaded.
fn loaded(files: &[(&str, &str)]) -> Result<Vec<Set>, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("README.md"), "not a set").unwrap();
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    std::fs::create_dir(folder.path().join("one")).unwrap();
    for (name, text) in files {
        let text = text.replace('\n', " ").replace("%", "\n");
        std::fs::write(folder.path().join("one").join(name), text).unwrap();
    }
    sets::load(folder.path())
}

#[test]
fn folders_of_other_sets_are_read_and_odd_ones_are_told() {
    let odd = r#"{"text":"read","relevant":["b","a"]}%{"text":"zzz","relevant":[]}"#;
    let two = format!("%{QUERY}%% {odd} %");
    let files =
        [("catalog.jsonl", TOOL), ("queries.dev.jsonl", &two), ("queries.kept.jsonl", QUERY)];
    let sets = loaded(&[&files[..], &[("queries_easy.jsonl", ""), ("notes.txt", "{")]].concat());
    let sets = sets.unwrap();
    let names: Vec<_> = sets[0].files.iter().map(|f| (f.name.as_str(), f.queries.len())).collect();
    assert_eq!(names, [("one", 2), ("one (queries.kept.jsonl)", 1), ("one easy", 0)]);
    assert_eq!(sets[0].files[0].notes, Notes { without: 1, strange: 1 });
    let values: Vec<_> = sets[0].tools[0].parameters.iter().map(|p| p.values.join("|")).collect();
    assert_eq!(values, ["x", "y"]);
    let wrong = |name, text: &str| {
        let with: Vec<_> = files.iter().filter(|f| f.0 != name).copied().collect();
        loaded(&[&with[..], &[(name, text)]].concat()).err().unwrap()
    };
    let torn = format!("{TOOL}%{{\"id\":");
    for (name, text, told) in [
        ("catalog.jsonl", torn.as_str(), "catalog.jsonl:2: EOF"),
        ("catalog.jsonl", r#"{"name":"read"}"#, "catalog.jsonl:1: a tool has no id"),
        ("queries.dev.jsonl", r#"{"text":"x"}"#, ":1: a query has no list called relevant"),
    ] {
        let error = wrong(name, text);
        assert!(error.contains(told), "{error}");
    }
    assert!(loaded(&[]).err().unwrap().contains("expected <set>/catalog.jsonl"));
}

#[test]
fn every_ranker_answers_the_plain_queries() {
    let set = small();
    let rows = report::measure_all(&[set], &Weights::default());
    assert_eq!(report::behind(&rows).len(), baselines::BASELINES.len(), "all are equally good");
    for row in rows {
        assert_eq!(row.rankers.len(), baselines::BASELINES.len() + 1);
        for (name, figures) in row.rankers {
            assert_eq!(figures.recall_1, 1.0, "{name}");
        }
    }
}

#[test]
fn every_knob_turns_one_weight() {
    for knob in KNOBS {
        let mut weights = Weights::default();
        set(&mut weights, &[format!("{}=0.123", knob.name)]).unwrap();
        assert_ne!(weights, Weights::default(), "{}", knob.name);
        assert_eq!(*(knob.at)(&mut weights), 0.123);
    }
    assert!(set(&mut Weights::default(), &["nothing=1".to_owned()]).is_err());
    assert!(set(&mut Weights::default(), &["k1=x".to_owned()]).is_err());
}

#[test]
fn tuning_says_the_same_every_time() {
    let once = || tune::tune(&[small()], 5, &["k1=1.2".to_owned()]).unwrap();
    assert_eq!(once(), once());
}

#[test]
fn options_are_read_in_both_forms() {
    let args = ids(&["--data", "x", "--tries=3", "k1=2"]);
    assert_eq!(option(&args, "--data").as_deref(), Some("x"));
    assert_eq!(option(&args, "--tries").as_deref(), Some("3"));
    assert_eq!(option(&args, "--misses"), None);
    assert_eq!(settings(&args), ["k1=2"]);
}

#[test]
fn growth_is_measured_and_drawn() {
    let points = growth::of_sizes(&[small()], &[10, 20]);
    assert!(points.iter().all(|p| p.index_bytes > 0.0 && p.all_bytes > p.index_bytes));
    assert_eq!(growth::table(&points).lines().count(), points.len() + 2);
    assert!(plot::svg(&points).matches("<polyline").count() == 2);
}
