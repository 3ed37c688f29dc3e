//! Draws the growth as SVG: milliseconds per search by number of tools, both logarithmic.

use super::growth::Point;
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const EDGE: f64 = 56.0;
/// Decades shown: tools 10³ to 10⁵, milliseconds 10⁻² to 10¹.
const TOOLS: (f64, f64) = (3.0, 5.0);
const MILLIS: (f64, f64) = (-2.0, 1.0);

/// The plot.
pub fn svg(points: &[Point]) -> String {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    grid(&mut out);
    let mut shapes: Vec<usize> = points.iter().map(|p| p.per_namespace).collect();
    shapes.dedup();
    for (shape, colour) in shapes.into_iter().zip(["#1663c7", "#c7601a"]) {
        let line: Vec<&Point> = points.iter().filter(|p| p.per_namespace == shape).collect();
        let path: Vec<String> =
            line.iter().map(|p| format!("{:.1},{:.1}", x(p.tools as f64), y(p.mean_ms))).collect();
        let _ = writeln!(
            out,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        if let Some(last) = line.last() {
            let _ = writeln!(
                out,
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\" text-anchor=\"end\">{shape} tools \
                 per namespace</text>",
                x(last.tools as f64) - 90.0,
                y(last.mean_ms) + if shape < 1_000 { -4.0 } else { 40.0 }
            );
        }
    }
    for (tools, millis) in [(1e4, 1.0), (1e5, 10.0)] {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"none\" stroke=\"#333\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">goal</text>",
            x(tools),
            y(millis),
            x(tools) - 8.0,
            y(millis) + 4.0
        );
    }
    out.push_str("</svg>\n");
    out
}

fn grid(out: &mut String) {
    for decade in 3..=5 {
        let at = x(10_f64.powi(decade));
        let label = ["1,000", "10,000", "100,000 tools"][decade as usize - 3];
        let _ = writeln!(
            out,
            "<path d=\"M{at:.1} {EDGE}V{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            HEIGHT - EDGE,
            HEIGHT - EDGE + 20.0
        );
    }
    for decade in -2..=1 {
        let at = y(10_f64.powi(decade));
        let label = ["0.01", "0.1", "1", "10 ms"][(decade + 2) as usize];
        let _ = writeln!(
            out,
            "<path d=\"M{EDGE} {at:.1}H{:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            WIDTH - EDGE,
            EDGE - 8.0,
            at + 4.0
        );
    }
}

fn x(tools: f64) -> f64 {
    EDGE + (tools.log10() - TOOLS.0) / (TOOLS.1 - TOOLS.0) * (WIDTH - 2.0 * EDGE)
}

fn y(millis: f64) -> f64 {
    let share = (millis.log10() - MILLIS.0) / (MILLIS.1 - MILLIS.0);
    HEIGHT - EDGE - share.clamp(0.0, 1.0) * (HEIGHT - 2.0 * EDGE)
}
