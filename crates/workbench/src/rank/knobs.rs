//! The weights by name, so that a command can turn them.

use hub_core::search::Weights;

/// A weight that can be turned.
pub struct Knob {
    pub name: &'static str,
    /// Values that `tune` tries.
    pub tried: &'static [f32],
    pub at: fn(&mut Weights) -> &mut f32,
}

macro_rules! knobs {
    ($($name:literal $($field:ident).+ = $tried:expr;)*) => {
        /// Every weight.
        pub const KNOBS: &[Knob] =
            &[$(Knob { name: $name, tried: &$tried, at: |w| &mut w.$($field).+ }),*];
    };
}

knobs! {
    "name" name.weight = [1.0, 1.5, 2.0, 3.0, 4.0, 5.0];
    "name.length" name.length = [0.25, 0.5, 0.75, 0.9];
    "joined" joined = [0.5, 1.0, 2.0, 3.0];
    "namespace" namespace = [0.5, 1.0, 1.5, 2.0, 3.0];
    "first" first.weight = [1.0, 1.5, 2.0, 3.0];
    "first.length" first.length = [0.0, 0.25, 0.5, 0.75];
    "rest" rest.weight = [0.1, 0.25, 0.5, 1.0];
    "rest.length" rest.length = [0.25, 0.5, 0.75];
    "parameter" parameter.weight = [0.25, 0.5, 1.0];
    "parameter.length" parameter.length = [0.25, 0.5, 0.75];
    "parameter_text" parameter_text.weight = [0.0, 0.1, 0.25, 0.5];
    "parameter_text.length" parameter_text.length = [0.25, 0.5, 0.75];
    "k1" k1 = [0.6, 0.9, 1.2, 2.0, 3.0];
    "verb" verb = [0.3, 0.5, 0.7, 0.9];
    "noun" noun = [0.3, 0.5, 0.7, 0.9];
    "far" far = [0.5, 0.7, 0.9];
    "form" form = [0.3, 0.5, 0.7, 0.9];
    "pair" pair = [0.25, 0.5, 0.75, 1.0];
    "number" number = [0.0, 0.15, 0.3, 0.6];
    "quoted" quoted = [0.25, 0.5, 0.75, 1.0];
    "verb_rarity" verb_rarity = [1.0, 1.5, 2.0, 4.0, 10.0];
    "share" share = [0.0, 0.25, 0.5, 1.0];
    "floor" floor = [0.0, 0.1, 0.2, 0.3];
    "delete" delete = [0.9, 0.95, 1.0];
}

/// Turns the knobs named in `settings`, each `name=value`.
pub fn set(weights: &mut Weights, settings: &[String]) -> Result<(), String> {
    for setting in settings {
        let (name, value) = setting.split_once('=').ok_or("expected name=value")?;
        let knob = KNOBS.iter().find(|k| k.name == name).ok_or(format!("no weight {name}"))?;
        *(knob.at)(weights) = value.parse().map_err(|e| format!("{setting}: {e}"))?;
    }
    Ok(())
}
