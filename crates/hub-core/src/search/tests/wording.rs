//! How text becomes words.

use super::fixtures::{catalog, found, raws};
use crate::search::words;

fn split(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    words::split(text, &mut |word| out.push(word.text.to_owned()));
    out
}

#[test]
fn names_are_split_at_case_digits_and_signs() {
    for (text, wanted) in [
        ("createIssue", "create issue"),
        ("HTTPServer", "http server"),
        ("getHTTPSUrl", "get https url"),
        ("list_PRs", "list prs"),
        ("VMs and URLs", "vms and urls"),
        ("HTTPService", "http service"),
        ("oauth2Token", "oauth 2 token"),
        ("issues/list-for.repo", "issues list for repo"),
        ("v1.30", "v 1 30"),
        ("user's won't", "user won"),
        ("ÜberGröße", "uber grosse"),
        ("naïve façade", "naive facade"),
        ("ＡＰＩ２", "api 2"),
        ("Привет мир", "привет мир"),
        ("查询文件", "查 询 文 件"),
        ("API文档", "api 文 档"),
        ("हिन्दी", "हिन्दी"),
        ("🚀 go", "go"),
        ("", ""),
    ] {
        assert_eq!(split(text).join(" "), wanted, "{text}");
    }
}

#[test]
fn plurals_fold_onto_their_singular() {
    for (many, one) in [
        ("issues", "issue"),
        ("repositories", "repository"),
        ("branches", "branch"),
        ("boxes", "box"),
        ("addresses", "address"),
        ("classes", "class"),
        ("databases", "database"),
        ("pushes", "push"),
        ("vms", "vm"),
    ] {
        assert_eq!(words::fold(many), words::fold(one), "{many}");
    }
    for kept in ["status", "news", "analysis", "bus", "address", "s"] {
        assert_eq!(words::fold(kept), kept);
    }
}

#[test]
fn every_script_is_searched() {
    let tools = [
        ("a", "query_order", "查询订单状态"),
        ("a", "search_web", "在网络上搜索网页"),
        ("a", "weather", "Погода на завтра"),
        ("a", "mail", "メールを送信する"),
        ("a", "thai", "ค้นหาไฟล์"),
        ("a", "arabic", "البحث عن الملفات"),
        ("a", "umlaut", "Übersicht über Verträge"),
    ];
    let catalog = catalog(&tools);
    for (query, wanted) in [
        ("订单", "a/query_order"),
        ("搜索网页", "a/search_web"),
        ("погода", "a/weather"),
        ("ПОГОДА", "a/weather"),
        ("送信", "a/mail"),
        ("ไฟล์", "a/thai"),
        ("الملفات", "a/arabic"),
        ("vertrage", "a/umlaut"),
        ("VERTRÄGE", "a/umlaut"),
    ] {
        let hits = raws(&catalog, &found(&catalog, query));
        assert_eq!(hits.first().map(String::as_str), Some(wanted), "{query}");
    }
}

#[test]
fn words_written_together_or_apart_are_the_same() {
    let tools = [
        ("k", "readConfigMap", "Reads one"),
        ("k", "listFilesystem", "Lists one"),
        ("k", "pull_request_merge", "Merges one"),
        ("k", "mapConfigReader", "Other"),
        ("k", "s3_put", "Stores"),
    ];
    let catalog = catalog(&tools);
    for (query, wanted) in [
        ("configmap", "k/readConfigMap"),
        ("config map", "k/readConfigMap"),
        ("file system", "k/listFilesystem"),
        ("pullrequest", "k/pull_request_merge"),
        ("s3", "k/s3_put"),
        ("S3 put", "k/s3_put"),
    ] {
        let hits = raws(&catalog, &found(&catalog, query));
        assert_eq!(hits.first().map(String::as_str), Some(wanted), "{query}");
    }
}
