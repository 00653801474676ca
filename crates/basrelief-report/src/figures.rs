//! Figures as SVG text; the only file that uses the plotting library.

use std::sync::Arc;

use basrelief::data::DenseMatrix;
use basrelief::wording::clean_document;
use basrelief::wording::thousands;
use basrelief::{Error, Result};
use kuva::prelude::{
    Figure, FigureLegendPosition, Heatmap, Layout, LinePlot, LineStyle, MarkerShape, Plot,
    ReferenceLine, ScatterPlot, SvgBackend, TickFormat,
};

/// A curve, or a group of points, of a panel.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// Name in the legend.
    pub name: String,
    /// Points `(x, y)` in the order of the curve; all finite, at least one.
    pub points: Vec<(f64, f64)>,
}

/// One coordinate system with its curves.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// The title.
    pub title: String,
    /// Name of the horizontal axis.
    pub x_label: String,
    /// Name of the vertical axis.
    pub y_label: String,
    /// The curves; curves with the same index in different panels have the same color and dashes.
    pub curves: Vec<Curve>,
}

/// Colors that people with common forms of color blindness can distinguish (Wong 2011), with dashes for print without
/// colors; further curves reuse the colors with other dashes.
const LOOKS: [(&str, LineStyle); 6] = [
    ("#0072B2", LineStyle::Solid),
    ("#D55E00", LineStyle::Dashed),
    ("#009E73", LineStyle::Dotted),
    ("#CC79A7", LineStyle::Solid),
    ("#E69F00", LineStyle::Dashed),
    ("#56B4E9", LineStyle::Dotted),
];

/// Markers of groups of points: group 6 has the color of group 0, but another marker.
const MARKERS: [MarkerShape; 5] = [
    MarkerShape::Circle,
    MarkerShape::Triangle,
    MarkerShape::Square,
    MarkerShape::Diamond,
    MarkerShape::TriangleDown,
];

/// The maximum number of points of a curve with markers; more markers would hide the curve.
const MARKED: usize = 30;

/// The largest number of points of a curve that are drawn: a page has fewer pixels.
const POINTS_OF_CURVE: usize = 2000;

/// The approximate maximum number of parts between ticks of an axis of whole numbers.
const PARTS: f64 = 8.0;

/// Width and height of a panel of curves in pixels.
const PANEL: (f64, f64) = (400.0, 300.0);

/// Width and height of a single panel of curves, as wide as a page.
const WIDE: (f64, f64) = (900.0, 380.0);

/// Width and height of a panel of points.
const SQUARE: (f64, f64) = (420.0, 420.0);

/// Panels of curves, `columns` in a row, with one legend for all: an SVG document.
///
/// If all curves have few points, every point has a marker; otherwise dashes distinguish the curves. A curve of a single
/// point is a dotted horizontal line across the panel. An axis of whole numbers has ticks at whole numbers.
///
/// # Errors
/// [`Error::Internal`]: no panel or column, a curve without points, or a point that is not finite.
pub fn curves(title: &str, columns: usize, panels: &[Panel]) -> Result<String> {
    draw(title, columns, panels, (PANEL, false), lines(panels, false))
}

/// Curves in one panel, as wide as a page: an SVG document. `is_log` makes the horizontal axis logarithmic, which requires
/// positive numbers.
///
/// # Errors
/// As of [`curves`]; [`Error::Internal`]: a logarithmic axis for a number that is not positive.
pub fn wide_curves(title: &str, panel: Panel, is_log: bool) -> Result<String> {
    let mut all = panel.curves.iter().flat_map(|curve| &curve.points);
    if is_log && !all.all(|point| point.0 > 0.0) {
        return Err(Error::Internal(format!(
            "the figure `{title}` has a number without a logarithm"
        )));
    }
    let panels = [panel];
    draw(title, 1, &panels, (WIDE, is_log), lines(&panels, is_log))
}

/// The plot of a curve, which depends on the number of points of all curves.
fn lines(panels: &[Panel], is_log: bool) -> impl Fn(usize, &Curve) -> Drawn {
    let mut all = panels.iter().flat_map(|panel| &panel.curves);
    let are_marked = all.all(|curve| curve.points.len() <= MARKED);
    move |place, curve| {
        // The seventh curve has the color of the first, but neither its dashes nor its markers.
        let (color, _) = &LOOKS[place % LOOKS.len()];
        let (_, style) = &LOOKS[(place + place / LOOKS.len()) % LOOKS.len()];
        let line = LinePlot::new()
            .with_data(thinned(&curve.points, is_log))
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
    }
}

/// At most about [`POINTS_OF_CURVE`] points of a curve, evenly spaced on the horizontal axis, with the first and the last.
fn thinned(points: &[(f64, f64)], is_log: bool) -> Vec<(f64, f64)> {
    let [first, .., last] = points else { return points.to_vec() };
    if points.len() <= POINTS_OF_CURVE {
        return points.to_vec();
    }
    let place = |point: &(f64, f64)| if is_log { point.0.ln() } else { point.0 };
    let step = (place(last) - place(first)).abs() / (POINTS_OF_CURVE - 2) as f64;
    let mut drawn = vec![*first];
    for point in &points[1..points.len() - 1] {
        if (place(point) - drawn.last().map_or(0.0, place)).abs() >= step {
            drawn.push(*point);
        }
    }
    drawn.push(*last);
    drawn
}

/// The plots of a curve.
struct Drawn {
    plots: Vec<Plot>,
    /// A horizontal line across the panel.
    level: Option<ReferenceLine>,
}

/// Panels of points, a group per [`Curve`], `columns` in a row, with one legend for all: an SVG
/// document.
///
/// # Errors
/// [`Error::Internal`]: no panel or column, a group without points, or a point that is not finite.
pub fn points(title: &str, columns: usize, panels: &[Panel]) -> Result<String> {
    draw(title, columns, panels, (SQUARE, false), |place, group| {
        // Many points hide each other unless they are small.
        let size = if group.points.len() > 300 { 1.6 } else { 2.6 };
        let cloud = cloud(place, group).with_size(size).with_marker_opacity(0.7);
        Drawn { plots: vec![Plot::Scatter(cloud)], level: None }
    })
}

/// Points in one panel, a group per [`Curve`], with a dashed line through all points with equal coordinates: an SVG
/// document. Coordinates are at least 0.
///
/// # Errors
/// As of [`points`].
pub fn agreement(title: &str, panel: Panel) -> Result<String> {
    let all = panel.curves.iter().flat_map(|group| &group.points);
    let most = all.fold(0.0_f64, |most, point| most.max(point.0).max(point.1));
    draw(title, 1, &[panel], (SQUARE, false), |place, group| {
        let equal = LinePlot::new()
            .with_data([(0.0, 0.0), (most, most)])
            .with_color("#666666")
            .with_stroke_width(1.0)
            .with_line_style(LineStyle::Dashed);
        let points = Plot::Scatter(cloud(place, group).with_size(4.0));
        // The line is drawn once, below all points.
        let plots = if place == 0 { vec![Plot::Line(equal), points] } else { vec![points] };
        Drawn { plots, level: None }
    })
}

/// The points of a group.
fn cloud(place: usize, group: &Curve) -> ScatterPlot {
    ScatterPlot::new()
        .with_data(group.points.iter().copied())
        .with_color(LOOKS[place % LOOKS.len()].0)
        .with_marker(MARKERS[place % MARKERS.len()])
        .with_legend(&*group.name)
}

/// Heat maps of matrices with titles, `columns` in a row, the first rows at the bottom, with a common scale of colors from 0
/// to 1: an SVG document.
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
                "`{name}` has no entry, or an entry that is not a number"
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

/// The label of a tick of an axis of whole numbers.
fn count(value: f64) -> String {
    let whole = thousands(value.abs().round() as u64);
    if value < 0.0 { format!("-{whole}") } else { whole }
}

/// The distance of ticks of an axis of whole numbers; `None` if any number is not whole.
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

/// Panels of the plots that `plot` returns for the index and the points of a curve, with the size of a panel and whether the
/// horizontal axis is logarithmic.
fn draw(
    title: &str,
    columns: usize,
    panels: &[Panel],
    ((width, height), is_log): ((f64, f64), bool),
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
                    "the curve `{name}` of `{figure}` has no points, or a point that is not a number"
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
        let is_whole = whole_step(panel);
        if is_log {
            layout = layout.with_log_x();
        } else if let Some(step) = is_whole {
            layout = layout.with_x_tick_step(step);
        }
        if is_whole.is_some() {
            layout = layout.with_x_tick_format(TickFormat::Custom(Arc::new(count)));
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

/// The document with its clip paths numbered from 0.
///
/// The plotting library numbers them across the process, so that a figure would depend on previous figures.
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
    fn few_points_have_markers_and_whole_numbers_have_whole_ticks() {
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
        // The horizontal line of the other curve.
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
    fn many_numbers_of_features_have_a_logarithmic_axis() {
        let curve = Curve {
            name: "relieff".to_string(),
            points: [1.0, 10.0, 100.0, 1000.0].map(|x| (x, 30.0 / x)).to_vec(),
        };
        let panel = Panel { curves: vec![curve], ..panel("", 0.3) };
        let svg = wide_curves("log", panel.clone(), true).unwrap();
        for text in [">1<", ">10<", ">100<", ">1,000<"] {
            assert!(svg.contains(text), "{text}: {svg}");
        }
        // Powers of ten have equal distances.
        let places: Vec<f64> = svg
            .split("<circle cx=\"")
            .skip(1)
            .filter_map(|part| part.split('"').next()?.parse().ok())
            .collect();
        assert!((places[1] - places[0] - (places[2] - places[1])).abs() < 0.1, "{places:?}");
        let mut zero = panel;
        zero.curves[0].points[0].0 = 0.0;
        assert!(wide_curves("zero", zero, true).is_err());
    }

    #[test]
    fn agreement_has_one_line_and_no_entry_for_it_in_the_legend() {
        let groups = ["LMNN", "MDM"]
            .map(|name| Curve { name: name.to_string(), points: vec![(1.0, 2.0), (30.0, 20.0)] });
        let panel = Panel { curves: groups.to_vec(), ..panel("", 0.3) };
        let svg = agreement("Table 1", panel).unwrap();
        assert_eq!(svg.matches("stroke-dasharray").count(), 1, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
        assert!(!svg.contains("equal"), "{svg}");
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
        for is_log in [false, true] {
            let drawn = thinned(&points, is_log);
            let least = if is_log { 1000 } else { 1900 };
            assert!((least..=POINTS_OF_CURVE).contains(&drawn.len()), "{}", drawn.len());
            assert_eq!(drawn[0], (1.0, 0.5));
            assert_eq!(drawn.last(), Some(&(300_000.0, 0.5)));
            // On a logarithmic axis, the first numbers are far apart.
            assert_eq!(drawn.contains(&(2.0, 0.5)), is_log);
        }
        for few in [&points[..POINTS_OF_CURVE], &points[..1], &[]] {
            assert_eq!(thinned(few, false), few);
        }
        let curve = Curve { name: "a".into(), points };
        let panel = Panel { curves: vec![curve], ..panel("one", 0.3) };
        let svg = curves("many", 1, &[panel]).unwrap();
        assert!(svg.len() < 200_000, "{}", svg.len());
    }

    #[test]
    fn a_figure_does_not_depend_on_previous_figures() {
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
