//! The way for TypeScript that is more than types: transformed and printed anew, with a map.

use super::places::Places;
use crate::fault::Fault;
use crate::parse;
use crate::text::count;
use oxc_allocator::Allocator;
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_semantic::SemanticBuilder;
use oxc_transformer::{TransformOptions, Transformer};
use std::path::Path;

/// A printed program: text, and for its places those of the text before.
pub type Printed = (String, Vec<(u32, u32, u32, u32)>);

/// Transforms and prints a text that has passed all checks.
pub fn transform(text: &str) -> Result<Printed, Fault> {
    let arena = Allocator::default();
    let mut program = parse::typescript(&arena, text)?;
    let scoping = SemanticBuilder::new().with_enum_eval(true).build(&program);
    let scoping = scoping.semantic.into_scoping();
    let mut options = TransformOptions::default();
    options.typescript.only_remove_type_imports = true;
    let done = Transformer::new(&arena, Path::new("code.ts"), &options)
        .build_with_scoping(scoping, &mut program);
    if let Some(found) = done.diagnostics.errors().next() {
        return Err(parse::fault(found));
    }
    let options =
        CodegenOptions { source_map_path: Some("code.ts".into()), ..CodegenOptions::default() };
    let printed = Codegen::new().with_options(options).build(&program);
    // A declaration in the place of a statement (`label: enum E {}`) is lost, and half a statement
    // is printed.
    parse::javascript(&Allocator::default(), &printed.code)
        .map_err(|_| Fault::new("A declaration stands where only a statement may.").at(0))?;
    let (from, to) = (Places::of(text), Places::of(&printed.code));
    let places = printed.map.map(|map| {
        map.get_tokens()
            .map(|t| {
                let (line, column) = to.place(t.get_dst_line(), t.get_dst_col());
                let (code_line, code_column) = from.place(t.get_src_line(), t.get_src_col());
                (line, column, code_line, code_column)
            })
            .collect()
    });
    Ok((printed.code.clone(), every_line(&printed.code, places.unwrap_or_default())))
}

/// Adds an entry for lines that have none, so that a place never comes from another line's end.
fn every_line(code: &str, mut places: Vec<(u32, u32, u32, u32)>) -> Vec<(u32, u32, u32, u32)> {
    places.sort_unstable();
    let mut all = Vec::with_capacity(places.len());
    let mut next = places.into_iter().peekable();
    let mut last = (1, 1);
    for line in 1..=count(code.lines().count().max(1)) {
        let start = next.peek().filter(|p| p.0 == line).map_or(last, |p| (p.2, p.3));
        all.push((line, 1, start.0, start.1));
        while let Some(place) = next.next_if(|p| p.0 == line) {
            last = (place.2, place.3);
            if place.1 > 1 {
                all.push(place);
            } else if let Some(first) = all.last_mut() {
                *first = place;
            }
        }
    }
    all
}
