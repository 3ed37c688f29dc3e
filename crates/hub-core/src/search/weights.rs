//! What weighs how much. Found by `cargo xtask tune` on the dev queries, as a consensus over
//! sets; single digits behind the point are noise.

/// A field of a tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// What one of its words weighs.
    pub weight: f32,
    /// How much its length weakens them, 0 to 1.
    pub length: f32,
    /// How many words it usually has. A constant, so that a segment never depends on others.
    pub usual: f32,
}

/// Weights of fields and rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    /// The tool's name.
    pub name: Field,
    /// Neighbouring words of the name written together (`pull`, `request` → `pullrequest`).
    pub joined: f32,
    /// The namespace's name.
    pub namespace: f32,
    /// The title.
    pub title: Field,
    /// The description's first sentence.
    pub first: Field,
    /// The rest of the description.
    pub rest: Field,
    /// The parameters' names.
    pub parameter: Field,
    /// The parameters' descriptions, and the values they may have.
    pub parameter_text: Field,
    /// How slowly repetition saturates.
    pub k1: f32,
    /// A word of the same meaning, for verbs.
    pub verb: f32,
    /// A word of the same meaning, for all others.
    pub noun: f32,
    /// A word that stands for one which the catalogue lacks.
    pub far: f32,
    /// Another form of the word.
    pub form: f32,
    /// Two words of the query that the catalogue writes as one.
    pub pair: f32,
    /// A number in the query.
    pub number: f32,
    /// A word between quotation marks in the query: mostly a value, not what is looked for.
    pub quoted: f32,
    /// How much rarer a verb may count than the commonest of its meaning.
    pub verb_rarity: f32,
    /// Power of the share of the query that a tool answers.
    pub share: f32,
    /// Share of the best score below which a tool is no match.
    pub floor: f32,
    /// Factor for tools that delete where nobody asked for it.
    pub delete: f32,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            name: Field { weight: 4.0, length: 0.85, usual: 4.0 },
            joined: 0.6,
            namespace: 2.0,
            title: Field { weight: 1.0, length: 0.5, usual: 3.0 },
            first: Field { weight: 1.5, length: 0.5, usual: 9.0 },
            rest: Field { weight: 0.25, length: 0.5, usual: 30.0 },
            parameter: Field { weight: 0.35, length: 0.5, usual: 8.0 },
            parameter_text: Field { weight: 0.1, length: 0.5, usual: 50.0 },
            k1: 1.2,
            verb: 0.6,
            noun: 0.8,
            far: 0.5,
            form: 0.5,
            pair: 0.5,
            number: 0.3,
            quoted: 0.5,
            verb_rarity: 1.5,
            share: 0.2,
            floor: 0.2,
            delete: 0.95,
        }
    }
}
