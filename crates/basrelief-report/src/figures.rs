//! Figures as SVG text; the only file that knows the plotting library.

use basrelief::data::DenseMatrix;
use basrelief::wording::clean_document;
use basrelief::{Error, Result};
use kuva::prelude::{
    Figure, FigureLegendPosition, Heatmap, Layout, LinePlot, LineStyle, MarkerShape, Plot,
    ReferenceLine, ScatterPlot, SvgBackend,
};

/// A curve, or a group of points, of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points `(x, y)`, which a curve joins in this order; all finite, at least one.
    pub points: Vec<(f64, f64)>,
}

/// One coordinate system with its curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The title above it.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// The curves; the same place in every panel means the same color and dashes.
    pub curves: Vec<Curve>,
}

/// Colors that people with any common color blindness tell apart (Wong 2011), with dashes for
/// print without colors; reused where there are more curves, with other
/// dashes.
const LOOKS: [(&str, LineStyle); 6] = [
    ("#0072B2", LineStyle::Solid),
    ("#D55E00", LineStyle::Dashed),
    ("#009E73", LineStyle::Dotted),
    ("#CC79A7", LineStyle::Solid),
    ("#E69F00", LineStyle::Dashed),
    ("#56B4E9", LineStyle::Dotted),
];

/// Markers of groups of points: group 6 has the color of group 0, but not its marker.
const MARKERS: [MarkerShape; 5] = [
    MarkerShape::Circle,
    MarkerShape::Triangle,
    MarkerShape::Square,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
];

/// Points of a curve up to which each may have a marker: more would hide the curve.
const MARKED: usize = 30;

/// Points of a curve that are drawn at most: there are fewer pixels.
const POINTS_OF_CURVE: usize = 2000;

/// Parts that ticks divide an axis of whole numbers into, at most about.
const PARTS: f64 = 8.0;

/// Width and height of a panel of curves in pixels.
const PANEL: (f64, f64) = (400.0, 300.0);

/// Width and height of a panel of points.
const SQUARE: (f64, f64) = (420.0, 420.0);

/// Panels of curves, `columns` in a row, with one legend for all: an SVG document.
///
/// Where all curves have few points each point has a marker; otherwise curves differ by dashes. A curve of a single
/// point is a dotted level through the whole panel. An axis of whole numbers has ticks at whole numbers.
///
/// # Errors
/// [`Error::Internal`]: no panel or column, a curve without points, or a point that is not finite.
pub fn curves(title: &str, columns: usize, panels: &[Panel]) -> Result<String> {
    let panels: Vec<Panel> = panels.iter().map(thinned).collect();
    let panels = panels.as_slice();
    let mut all = panels.iter().flat_map(|panel| &panel.curves);
    let are_marked = all.all(|curve| curve.points.len() <= MARKED);
    draw(title, columns, panels, PANEL, |place, curve| {
        // The seventh curve has the color of the first, but neither its dashes nor its markers.
        let (color, _) = &LOOKS[place % LOOKS.len()];
        let (_, style) = &LOOKS[(place + place / LOOKS.len()) % LOOKS.len()];
        let line = LinePlot::new()
            .with_data(curve.points.iter().copied())
            .with_color(*color)
            .with_stroke_width(1.5);
        let markers = ScatterPlot::new()
            .with_data(curve.points.iter().copied())
            .with_color(*color)
            .with_marker(MARKERS[place % MARKERS.len()])
            .with_size(3.5)
            .with_legend(&*curve.name);
        match curve.points.as_slice() {
            [(_, height)] => {
                let level = ReferenceLine::horizontal(*height)
                    .with_color(*color)
                    .with_stroke_width(1.5)
                    .with_dasharray("2 4");
                Drawn { plots: vec![Plot::Scatter(markers)], level: Some(level) }
            }
            _ if are_marked => {
                Drawn { plots: vec![Plot::Line(line), Plot::Scatter(markers)], level: None }
            }
            _ => {
                let line = line.with_line_style(style.clone()).with_legend(&*curve.name);
                Drawn { plots: vec![Plot::Line(line)], level: None }
            }
        }
    })
}

/// The panel with at most [`POINTS_OF_CURVE`] points of each curve, evenly spaced, and the last.
fn thinned(panel: &Panel) -> Panel {
    let mut panel = panel.clone();
    for curve in &mut panel.curves {
        let (count, last) = (curve.points.len(), curve.points.last().copied());
        if count > POINTS_OF_CURVE {
            let step = (count - 1).div_ceil(POINTS_OF_CURVE - 1);
            let kept = curve.points[..count - 1].iter().step_by(step).copied();
            curve.points = kept.chain(last).collect();
        }
    }
    panel
}

/// The drawing of a curve.
struct Drawn {
    plots: Vec<Plot>,
    /// A line through the whole panel.
    level: Option<ReferenceLine>,
}

/// Panels of points, a group per [`Curve`], `columns` in a row, with one legend for all: an SVG
/// document.
///
/// # Errors
/// [`Error::Internal`]: no panel or column, a group without points, or a point that is not finite.
pub fn points(title: &str, columns: usize, panels: &[Panel]) -> Result<String> {
    draw(title, columns, panels, SQUARE, |place, group| {
        // Many points hide each other unless they are small.
        let size = if group.points.len() > 300 { 1.6 } else { 2.6 };
        let cloud = ScatterPlot::new()
            .with_data(group.points.iter().copied())
            .with_color(LOOKS[place % LOOKS.len()].0)
            .with_marker(MARKERS[place % MARKERS.len()])
            .with_size(size)
            .with_marker_opacity(0.7)
            .with_legend(&*group.name);
        Drawn { plots: vec![Plot::Scatter(cloud)], level: None }
    })
}

/// Matrices as pictures, `columns` in a row, their first rows at the bottom, each with its title; all share one
/// scale of colors from 0 to 1: an SVG document.
///
/// # Errors
/// [`Error::Internal`]: no matrix or column, a matrix without entries, or an entry that is not finite.
pub fn heat_maps(
    title: &str,
    columns: usize,
    matrices: &[(String, DenseMatrix)],
) -> Result<String> {
    if matrices.is_empty() || columns == 0 {
        return Err(Error::Internal(format!("the figure `{title}` has no panel")));
    }
    let (mut plots, mut layouts) = (Vec::new(), Vec::new());
    for (name, matrix) in matrices {
        if matrix.values().is_empty() || !matrix.values().iter().all(|value| value.is_finite()) {
            return Err(Error::Internal(format!(
                "`{name}` has no entry, or one that is not a number"
            )));
        }
        let rows: Vec<Vec<f64>> = matrix.iter().map(<[f64]>::to_vec).collect();
        let drawn = vec![Plot::Heatmap(Heatmap::new().with_data(rows))];
        layouts.push(Layout::auto_from_plots(&drawn).with_title(&**name));
        plots.push(drawn);
    }
    let scene = Figure::new(matrices.len().div_ceil(columns), columns)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_title(title)
        .with_cell_size(SQUARE.0, SQUARE.1)
        .render();
    let svg = renumbered(&SvgBackend::default().render_scene(&scene));
    Ok(clean_document(&svg).into_owned())
}

/// The distance of ticks of an axis of whole numbers; `None` where any number is not whole.
fn whole_step(panel: &Panel) -> Option<f64> {
    let all = || panel.curves.iter().flat_map(|curve| &curve.points).map(|point| point.0);
    if !all().all(|x| x == x.trunc()) {
        return None;
    }
    let spread = all().fold(f64::NEG_INFINITY, f64::max) - all().fold(f64::INFINITY, f64::min);
    let power = 10_f64.powf((spread / PARTS).max(1.0).log10().floor());
    let step = [1.0, 2.0, 5.0].into_iter().find(|times| spread / (times * power) <= PARTS);
    Some(step.unwrap_or(10.0) * power)
}

/// Panels of whatever `plot` makes of the place and the points of a curve.
fn draw(
    title: &str,
    columns: usize,
    panels: &[Panel],
    (width, height): (f64, f64),
    plot: impl Fn(usize, &Curve) -> Drawn,
) -> Result<String> {
    if panels.is_empty() || columns == 0 {
        return Err(Error::Internal(format!("the figure `{title}` has no panel")));
    }
    let mut plots = Vec::with_capacity(panels.len());
    let mut layouts = Vec::with_capacity(panels.len());
    for panel in panels {
        for curve in &panel.curves {
            let finite = |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite();
            if curve.points.is_empty() || !curve.points.iter().all(finite) {
                let (figure, name) = (&panel.title, &curve.name);
                return Err(Error::Internal(format!(
                    "the curve `{name}` of `{figure}` has no points, or one that is not a number"
                )));
            }
        }
        let (mut drawn, mut levels) = (Vec::new(), Vec::new());
        for (place, curve) in panel.curves.iter().enumerate() {
            let Drawn { plots, level } = plot(place, curve);
            drawn.extend(plots);
            levels.extend(level);
        }
        let mut layout = Layout::auto_from_plots(&drawn)
            .with_title(&*panel.title)
            .with_x_label(&*panel.x_label)
            .with_y_label(&*panel.y_label);
        for level in levels {
            layout = layout.with_reference_line(level);
        }
        if let Some(step) = whole_step(panel) {
            layout = layout.with_x_tick_step(step);
        }
        layouts.push(layout);
        plots.push(drawn);
    }
    let scene = Figure::new(panels.len().div_ceil(columns), columns)
        .with_plots(plots)
        .with_layouts(layouts)
        .with_title(title)
        .with_cell_size(width, height)
        .with_shared_legend_position(FigureLegendPosition::Bottom)
        .render();
    let svg = renumbered(&SvgBackend::default().render_scene(&scene));
    Ok(clean_document(&svg).into_owned())
}

/// The same document with its clip paths numbered from 0.
///
/// The plotting library numbers them through the whole process, so that a figure would depend on
/// those drawn before it.
fn renumbered(svg: &str) -> String {
    const ID: &str = "kuva-clip-";
    let mut parts = svg.split(ID);
    let mut text = parts.next().unwrap_or_default().to_string();
    let mut seen: Vec<&str> = Vec::new();
    for part in parts {
        let end = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let (number, rest) = part.split_at(end);
        let place = seen.iter().position(|known| *known == number).unwrap_or_else(|| {
            seen.push(number);
            seen.len() - 1
        });
        text.push_str(&format!("{ID}{place}{rest}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(title: &str, height: f64) -> Panel {
        let curve = |name: &str, factor: f64| Curve {
            name: name.to_string(),
            points: (0..150).map(|x| (f64::from(x), factor * height / f64::from(x + 1))).collect(),
        };
        Panel {
            title: title.to_string(),
            x_label: "attributes".to_string(),
            y_label: "separability".to_string(),
            curves: vec![curve("relieff", 1.0), curve("a < b & c", 0.9), curve("third", -0.8)],
        }
    }

    #[test]
    fn titles_axes_and_legend_are_named_and_curves_are_drawn() {
        let panels: Vec<Panel> = (1..=6).map(|n| panel(&format!("panel {n}"), 0.3)).collect();
        let svg = curves("Six panels", 3, &panels).unwrap();
        assert!(svg.starts_with("<svg") && svg.ends_with("</svg>"));
        for word in ["Six panels", "panel 1", "panel 6", "relieff", "a &lt; b &amp; c"] {
            assert!(svg.contains(word), "{word}");
        }
        assert_eq!(svg.matches("separability").count(), 6);
        assert_eq!(svg.matches(">attributes<").count(), 6);
        // One path with 150 points per curve.
        let paths: Vec<&str> = svg.split("<path d=\"").skip(1).collect();
        assert_eq!(paths.len(), 18);
        for path in paths {
            let points = path.split('"').next().unwrap().matches(['M', 'L']).count();
            assert_eq!(points, 150);
        }
    }

    #[test]
    fn few_points_have_markers_and_whole_numbers_whole_ticks() {
        let curve = |name: &str, points: &[(f64, f64)]| Curve {
            name: name.to_string(),
            points: points.to_vec(),
        };
        let mut panel = panel("one", 0.3);
        panel.curves = vec![
            curve("lfe", &[(1.0, 0.3), (2.0, 0.2), (3.0, 0.25)]),
            curve("euclidean", &[(3.0, 0.27)]),
        ];
        assert_eq!(whole_step(&panel), Some(1.0));
        let svg = curves("few", 1, &[panel.clone()]).unwrap();
        // A marker at each of three points, and one in the legend.
        assert_eq!(svg.matches("<circle").count(), 4, "{svg}");
        // The level of the other.
        assert_eq!(svg.matches("stroke-dasharray=\"2 4\"").count(), 1, "{svg}");
        for (text, count) in [(">1<", 1), (">2<", 1), (">3<", 1), (">1.5<", 0), (">2.5<", 0)] {
            assert_eq!(svg.matches(text).count(), count, "{text}: {svg}");
        }
        for (most, step) in [(9.0, 1.0), (10.0, 2.0), (50.0, 10.0), (81.0, 10.0), (82.0, 20.0)] {
            panel.curves = vec![curve("lfe", &[(1.0, 0.0), (most, 0.0)])];
            assert_eq!(whole_step(&panel), Some(step), "{most}");
        }
        panel.curves = vec![curve("lfe", &[(1.5, 0.0)])];
        assert_eq!(whole_step(&panel), None);
    }

    #[test]
    fn points_are_drawn_group_by_group() {
        let svg = points("A map", 1, &[panel("lfe", 0.3)]).unwrap();
        for word in ["A map", ">lfe<", "relieff", "a &lt; b &amp; c"] {
            assert!(svg.contains(word), "{word}");
        }
        // 150 circles, and one in the legend.
        assert!(svg.matches("<circle").count() >= 150, "{svg}");
        assert!(points("none", 1, &[]).is_err());
    }

    #[test]
    fn matrices_become_pictures() {
        let matrix = DenseMatrix::new(vec![1.0, 0.5, 0.0, 0.25, 0.75, 0.1], 2, 3);
        let svg = heat_maps("Metrics", 2, &[("lfe".to_string(), matrix.clone())]).unwrap();
        assert!(
            svg.contains("Metrics") && svg.contains(">lfe<") && svg.matches("<rect").count() >= 6
        );
        let mut bad = matrix;
        bad.row_mut(0)[0] = f64::NAN;
        assert!(heat_maps("bad", 1, &[("x".to_string(), bad)]).is_err());
        assert!(heat_maps("none", 1, &[]).is_err());
    }

    #[test]
    fn a_curve_of_300_000_points_is_thinned() {
        let points: Vec<(f64, f64)> = (1..=300_000).map(|x| (f64::from(x), 0.5)).collect();
        let curve = |points: &[(f64, f64)]| Curve { name: "a".into(), points: points.to_vec() };
        let mut panel = panel("one", 0.3);
        panel.curves = vec![curve(&points), curve(&points[..POINTS_OF_CURVE]), curve(&points[..1])];
        let drawn = thinned(&panel);
        assert!((1900..=POINTS_OF_CURVE).contains(&drawn.curves[0].points.len()));
        assert_eq!(drawn.curves[0].points[0], (1.0, 0.5));
        assert_eq!(drawn.curves[0].points.last(), Some(&(300_000.0, 0.5)));
        assert_eq!(drawn.curves[1..], panel.curves[1..]);
        let svg = curves("many", 1, &[panel]).unwrap();
        assert!(svg.len() < 200_000, "{}", svg.len());
    }

    #[test]
    fn a_figure_does_not_depend_on_those_drawn_before() {
        let panels = [panel("one", 0.3), panel("two", 0.3)];
        assert!(curves("twice", 2, &panels).unwrap() == curves("twice", 2, &panels).unwrap());
        assert_eq!(
            renumbered("a kuva-clip-12) kuva-clip-7 kuva-clip-12"),
            "a kuva-clip-0) kuva-clip-1 kuva-clip-0"
        );
    }

    #[test]
    fn curves_without_points_or_numbers_are_refused() {
        assert!(curves("none", 3, &[]).is_err());
        for points in [Vec::new(), vec![(0.0, f64::NAN)]] {
            let mut panel = panel("one", 0.3);
            panel.curves[1].points = points;
            let error = curves("bad", 1, &[panel]).unwrap_err().to_string();
            assert!(error.contains("`a < b & c` of `one`"), "{error}");
        }
    }
}
