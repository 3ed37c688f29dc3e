//! Curves as SVG, both axes logarithmic: small, and readable on light and dark ground.

/// A named curve.
pub struct Curve<'a> {
    /// As it stands beside the curve.
    pub name: &'a str,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 150.0;
const TOP: f64 = 36.0;
const BOTTOM: f64 = 46.0;

/// Colours that differ in hue and brightness.
const COLOURS: &[&str] = &["#d9480f", "#1971c2", "#2f9e44", "#862e9c"];

/// Draws curves of positive values.
pub fn draw(title: &str, across: &str, up: &str, curves: &[Curve<'_>]) -> String {
    let all = || curves.iter().flat_map(|curve| &curve.points);
    let (left, right) = decades(all().map(|point| point.0));
    let (low, high) = decades(all().map(|point| point.1));
    let share = |value: f64, from: f64, to: f64| (value.log10() - from) / (to - from);
    let x = |value: f64| LEFT + share(value, left, right) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - share(value, low, high) * (HEIGHT - TOP - BOTTOM);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#868e96\">\n"
    );
    svg.push_str(&text(LEFT, 16.0, title));
    svg.push_str(&text(LEFT + 100.0, HEIGHT - 8.0, across));
    svg.push_str(&text(4.0, TOP - 4.0, up));
    for decade in left as i32..=right as i32 {
        let at = x(10f64.powi(decade));
        svg.push_str(&line((at, TOP), (at, HEIGHT - BOTTOM)));
        svg.push_str(&text(at - 8.0, HEIGHT - BOTTOM + 16.0, &10f64.powi(decade).to_string()));
    }
    for decade in low as i32..=high as i32 {
        let at = y(10f64.powi(decade));
        svg.push_str(&line((LEFT, at), (WIDTH - RIGHT, at)));
        svg.push_str(&text(LEFT - 56.0, at + 4.0, &10f64.powi(decade).to_string()));
    }
    for (curve, colour) in curves.iter().zip(COLOURS.iter().cycle()) {
        let at = |point: &(f64, f64)| format!("{:.1},{:.1}", x(point.0), y(point.1));
        let path = curve.points.iter().map(at).collect::<Vec<_>>().join(" ");
        let last = curve.points.last().map_or((0.0, 0.0), |last| (x(last.0), y(last.1)));
        svg.push_str(&format!(
            "<polyline points=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>\n\
             <g fill=\"{colour}\">{}</g>\n",
            text(last.0 + 6.0, last.1 + 4.0, curve.name).trim_end()
        ));
    }
    svg.push_str("</svg>\n");
    svg
}

/// Whole powers of ten around all values; never an empty range.
fn decades(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let (low, high) = (low.log10().floor(), high.log10().ceil());
    (low, high.max(low + 1.0))
}

fn line(from: (f64, f64), to: (f64, f64)) -> String {
    format!(
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"#868e96\" \
         stroke-opacity=\"0.3\"/>\n",
        from.0, from.1, to.0, to.1
    )
}

fn text(x: f64, y: f64, words: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\">{words}</text>\n")
}
