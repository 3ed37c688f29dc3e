//! What weighs how much. Found by `cargo xtask tune` on the dev queries, as a consensus over
//! sets; single digits behind the point are noise.

/// Weights of fields and rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// A word of the tool's name.
    pub name: f32,
    /// A word of the namespace's name.
    pub namespace: f32,
    /// A word of the title.
    pub title: f32,
    /// A word of the description's first sentence.
    pub first: f32,
    /// A word of the rest of the description.
    pub rest: f32,
    /// A word of a parameter's name.
    pub parameter: f32,
    /// A word of a parameter's description.
    pub parameter_text: f32,
    /// How much a long field weakens its words, 0 to 1.
    pub length: f32,
    /// How slowly repetition saturates.
    pub k1: f32,
    /// A word of the same meaning, for verbs.
    pub verb: f32,
    /// A word of the same meaning, for all others.
    pub noun: f32,
    /// Factor for tools that delete where nobody asked for it.
    pub delete: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name: 3.0,
            namespace: 1.5,
            title: 1.0,
            first: 2.0,
            rest: 0.25,
            parameter: 0.5,
            parameter_text: 0.1,
            length: 0.5,
            k1: 1.2,
            verb: 0.5,
            noun: 0.7,
            delete: 0.95,
        }
    }
}

/// Words that a field of each kind usually has; a constant, so that a segment never depends on
/// the other sources.
pub(super) mod usual {
    pub(in crate::search) const NAME: f32 = 4.0;
    pub(in crate::search) const TITLE: f32 = 3.0;
    pub(in crate::search) const FIRST: f32 = 9.0;
    pub(in crate::search) const REST: f32 = 30.0;
    pub(in crate::search) const PARAMETER: f32 = 8.0;
    pub(in crate::search) const PARAMETER_TEXT: f32 = 50.0;
}
