//! The order of a reading: fence, depth, parse, refusals, shape, types.

use crate::edit::Edits;
use crate::fault::Fault;
use crate::preflight::Call;
use crate::shape::{self, fence};
use crate::strip::Types;
use crate::text::count;
use crate::{depth, edit, guess, parse, places, preflight, refuse, scope, stack, strip};
use hub_core::limits;
use hub_core::ports::{
    KnownTools, Place, Positions, Prepare, PrepareError, Prepared, Sought, Told,
};
use oxc_allocator::Allocator;
use oxc_semantic::SemanticBuilder;
use std::sync::Arc;

/// Turns code as sent into a program.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reader;

impl Reader {
    /// A reader; it keeps nothing between two programs.
    pub fn new() -> Self {
        Self
    }
}

impl Prepare for Reader {
    fn prepare(&self, code: &str, tools: &dyn KnownTools) -> Result<Prepared, PrepareError> {
        fits(code)?;
        // The tools are asked on the caller's thread: they need no stack.
        let draft = stack::with_room(code, |code| Ok(read(code)));
        judge(code, draft.unwrap_or_else(|f| Err(f.place(code)))?, tools)
    }

    fn prepare_apart(&self, code: Arc<str>, tools: Box<dyn KnownTools + Send>, told: Told) {
        if let Err(error) = fits(&code) {
            return told(Err(error));
        }
        let work = move |code: &str| Ok(read(code).and_then(|draft| judge(code, draft, &*tools)));
        let text = code.clone();
        stack::apart(code, work, move |done| {
            told(done.unwrap_or_else(|fault| Err(fault.place(&text))));
        });
    }

    fn places(&self, code: &str, calls: &[Sought<'_>]) -> Vec<Vec<Place>> {
        match stack::with_room(code, |code| Ok(read(code))) {
            Ok(Ok(draft)) => {
                places::of(&draft.calls, draft.unfenced.as_deref().unwrap_or(code), calls)
            }
            // It ran once; another version of the hub may read it otherwise.
            _ => vec![Vec::new(); calls.len()],
        }
    }
}

/// Refuses what is too long to be read.
fn fits(code: &str) -> Result<(), PrepareError> {
    let chars = code.chars().count();
    if chars <= limits::CODE_CHARS {
        return Ok(());
    }
    let most = limits::CODE_CHARS;
    let message = format!("The code has {chars} characters; at most {most} are allowed.");
    let hint = "Send less code, or fetch long data with tools instead of writing it out.";
    Err(Fault::new(message).hint(hint).place(code))
}

/// What the tools say of a program that could be read.
fn judge(code: &str, draft: Draft, tools: &dyn KnownTools) -> Result<Prepared, PrepareError> {
    if let Some((word, error)) = draft.command
        && !tools.is_namespace(&word)
    {
        return Err(error);
    }
    let mut prepared = draft.prepared;
    let text = draft.unfenced.as_deref().unwrap_or(code);
    let found = preflight::judge(&draft.calls, text, tools)?;
    prepared.notices.extend(found);
    prepared.notices.truncate(limits::NOTICES);
    Ok(prepared)
}

/// A program, and the calls that it makes on names it does not bind.
struct Draft {
    prepared: Prepared,
    calls: Vec<Call>,
    /// The text that was read, where it is not the code as sent.
    unfenced: Option<String>,
    /// A shell command that parses: its first word, and the refusal.
    command: Option<(String, PrepareError)>,
}

/// Reads code, out of its fence where it has one.
fn read(code: &str) -> Result<Draft, PrepareError> {
    let unfenced = |code| {
        fence::unwrap(code).map(|inner| {
            let mut draft = body(&inner.text, true).map_err(|fault| fault.place(&inner.text))?;
            draft.prepared.notices.insert(0, inner.notice.to_owned());
            draft.unfenced = Some(inner.text);
            Ok(draft)
        })
    };
    if fence::starts(code)
        && let Some(draft) = unfenced(code)
    {
        return draft;
    }
    body(code, false).or_else(|fault| unfenced(code).unwrap_or_else(|| Err(fault.place(code))))
}

/// Reads a function body.
fn body(text: &str, unfenced: bool) -> Result<Draft, Fault> {
    let seen = depth::check(text)?;
    let arena = Allocator::default();
    let program = parse::typescript(&arena, &text[..seen]).map_err(|fault| guessed(fault, text))?;
    if seen < text.len() {
        return Err(Fault::new("This closes nothing.").at(count(seen - 1)));
    }
    if !unfenced && fence::stands_in(text, &program.comments) {
        return Err(Fault::new("There is a code fence in the code.").hint("Send bare code."));
    }
    refuse::check(&program)?;
    let built = SemanticBuilder::new_compiler().build(&program);
    let scoping = built.semantic.into_scoping();
    if let Some(found) = built.diagnostics.errors().find(|e| !scope::is_allowed(e, &scoping)) {
        return Err(parse::fault(found));
    }
    let shaped = shape::shape(&program, text, &scoping);
    let command = shape::command(&program, text, &scoping).map(|(word, at, hint)| {
        let fault = Fault::new(format!("`{word}` is a shell command.")).at(at).hint(hint);
        (word.to_owned(), fault.place(text))
    });
    let types = strip::types(&program, text);
    let calls = preflight::find(&program, &scoping, shaped.called);
    let notices = shaped.notices.iter().map(|n| (*n).to_owned()).collect();
    let (program, positions) = print(text, shaped.edits, types)?;
    Ok(Draft { prepared: Prepared { program, notices, positions }, calls, unfenced: None, command })
}

/// A refusal with what the text seems to be, where it seems to be something else than code.
fn guessed(fault: Fault, text: &str) -> Fault {
    match guess::hint(text) {
        Some(hint) => fault.hint(hint),
        None => fault,
    }
}

/// The program's text without TypeScript, and where its places came from.
fn print(text: &str, shape: Edits, types: Types) -> Result<(String, Positions), Fault> {
    let has_types = !types.edits.is_empty() || !types.module.is_empty();
    let face = shape.and(types.module);
    if !types.transform {
        let (program, positions) = face.clone().and(types.edits).apply(text);
        if !has_types {
            // Read once more: where the parser takes back a try at type arguments it forgets what
            // it had found wrong before them.
            parse::javascript(&Allocator::default(), text)?;
            return Ok((program, positions));
        }
        if parse::javascript(&Allocator::default(), &program).is_ok() {
            return Ok((program, positions));
        }
    }
    let (text, first) = face.apply(text);
    let (program, map) = strip::transform(&text)?;
    Ok((program, edit::chain(map, &first)))
}
