//! Figures as files: an SVG document as SVG, PDF or PNG, in a given width. The only file that uses the libraries that
//! draw PDF and PNG.

use std::borrow::Cow;
use std::path::Path;

use basrelief::{Error, Result};

/// The largest width of a figure in pixels.
const MOST_WIDTH: u32 = 10_000;

/// The pixels of a PNG for each pixel of the drawing, if no width is given: enough for print in a column.
#[cfg(feature = "figures")]
const PIXELS_OF_PNG: f64 = 2.0;

/// Pixels per inch of a PDF, as in CSS.
#[cfg(feature = "figures")]
const PIXELS_PER_INCH: f32 = 96.0;

/// Points per inch of a PDF.
#[cfg(feature = "figures")]
const POINTS_PER_INCH: f32 = 72.0;

/// The format of a figure.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FigureFormat {
    /// Scalable Vector Graphics; the text stays text in the fonts of the reader.
    #[default]
    Svg,
    /// A page in the Portable Document Format, with the font.
    Pdf,
    /// An image of pixels.
    Png,
}

/// The format and the width of figures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FigureStyle {
    /// The format.
    pub format: FigureFormat,
    /// The width in pixels, of which a PDF has 96 per inch; `None` for the width of the drawing, and twice that of a PNG.
    pub width: Option<u32>,
}

impl FigureFormat {
    /// The names, which are also the endings of files.
    pub const NAMES: [&'static str; 3] = ["svg", "pdf", "png"];

    /// The name, which is also the ending of files.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// The format of a name.
    ///
    /// # Errors
    /// Another name; PDF and PNG if this build only writes SVG.
    pub fn from_name(name: &str) -> Result<Self> {
        let all = [Self::Svg, Self::Pdf, Self::Png];
        let found = all.into_iter().find(|format| format.name().eq_ignore_ascii_case(name));
        let refuse = |problem: &str, help: &str| {
            Err(Error::option("figure_format", problem.to_string(), help.to_string()))
        };
        match found {
            Some(format) if format == Self::Svg || cfg!(feature = "figures") => Ok(format),
            Some(_) => refuse(
                "this build writes figures as SVG only",
                "give svg, or build with --features figures",
            ),
            None => refuse("figures are written as SVG, PDF or PNG", "give svg, pdf or png"),
        }
    }

    /// The format of a file by the ending of its name.
    ///
    /// # Errors
    /// Another ending; PDF and PNG if this build only writes SVG.
    pub fn from_path(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        Self::from_name(ending).map_err(|_| {
            let (cause, help) = match cfg!(feature = "figures") {
                true => (
                    "the ending of its name is not .svg, .pdf or .png",
                    "figures are written as SVG, PDF or PNG; use a file name ending in .svg, .pdf or .png",
                ),
                false => (
                    "the ending of its name is not .svg",
                    "this build writes figures as SVG only; use a file name ending in .svg, or build with --features figures",
                ),
            };
            Error::File {
                path: path.to_path_buf(),
                action: "draw to it".to_string(),
                cause: cause.into(),
                help: help.into(),
            }
        })
    }
}

impl FigureStyle {
    /// Checks the width.
    ///
    /// # Errors
    /// A width of 0 or of more than 10,000 pixels.
    pub fn check(&self) -> Result<()> {
        match self.width {
            Some(width) if !(1..=MOST_WIDTH).contains(&width) => Err(Error::option(
                "width",
                format!("a figure cannot be {width} pixels wide"),
                format!("give at least 1 and at most {MOST_WIDTH}"),
            )),
            _ => Ok(()),
        }
    }

    /// The name of a file: that of an SVG with the ending of this format.
    pub fn file_name(&self, svg_name: &str) -> String {
        let stem = svg_name.strip_suffix(".svg").unwrap_or(svg_name);
        format!("{stem}.{}", self.format.name())
    }

    /// The file of a figure of the module [`figures`](crate::figures). It depends on nothing but the document and the
    /// style: the font of PDF and PNG is part of the library.
    ///
    /// # Errors
    /// A width that [`check`](Self::check) refuses; [`Error::Internal`] if the document is not one of
    /// [`figures`](crate::figures).
    pub fn to_file(&self, svg: &str) -> Result<Vec<u8>> {
        self.check()?;
        let size = size_of(svg)
            .ok_or_else(|| Error::Internal("the figure has no width or height".to_string()))?;
        match self.format {
            FigureFormat::Svg => {
                Ok(scaled(svg, size, self.width.map(f64::from)).into_owned().into_bytes())
            }
            #[cfg(feature = "figures")]
            FigureFormat::Pdf => drawn::pdf(&scaled(svg, size, self.width.map(f64::from))),
            #[cfg(feature = "figures")]
            FigureFormat::Png => {
                let width = self.width.map_or(PIXELS_OF_PNG * size.0, f64::from);
                drawn::png(&scaled(svg, size, Some(width.round().max(1.0))))
            }
            #[cfg(not(feature = "figures"))]
            _ => Err(Error::Internal("this build writes figures as SVG only".to_string())),
        }
    }
}

/// The width and the height in the first tag of a document.
fn size_of(svg: &str) -> Option<(f64, f64)> {
    let tag = &svg[..svg.find('>')?];
    let number = |name: &str| {
        let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()?.parse::<f64>().ok().filter(|number| *number > 0.0)
    };
    Some((number("width")?, number("height")?))
}

/// The document in another width.
fn scaled(svg: &str, (width, height): (f64, f64), to: Option<f64>) -> Cow<'_, str> {
    let Some(to) = to.filter(|to| *to != width) else { return Cow::Borrowed(svg) };
    // A whole number of pixels, so that no row of a PNG is transparent.
    let tall = (height * to / width).round().max(1.0);
    let end = svg.find('>').unwrap_or(0);
    let tag = svg[..end]
        .replacen(&attribute(svg, "width"), &format!(" width=\"{to}\""), 1)
        .replacen(&attribute(svg, "height"), &format!(" height=\"{tall}\""), 1);
    Cow::Owned(format!("{tag} viewBox=\"0 0 {width} {height}\"{}", &svg[end..]))
}

/// An attribute of the first tag with its value, as it is written.
fn attribute(svg: &str, name: &str) -> String {
    let start = format!(" {name}=\"");
    let value = svg.split_once(&start).and_then(|(_, rest)| rest.split('"').next());
    format!("{start}{}\"", value.unwrap_or_default())
}

#[cfg(feature = "figures")]
mod drawn {
    use std::io::Read;
    use std::sync::{Arc, OnceLock};

    use basrelief::{Error, Result};
    use flate2::read::GzDecoder;
    use krilla::Document;
    use krilla::geom::Size;
    use krilla::page::PageSettings;
    use krilla_svg::{SurfaceExt, SvgSettings};
    use resvg::usvg::fontdb::{Database, Source};
    use resvg::usvg::{Options, Tree};
    use resvg::{tiny_skia, usvg};

    /// DejaVu Sans, by whose widths the plotting library places text. Its license is next to it.
    const FONT: &[u8] = include_bytes!("../assets/fonts/DejaVuSans.ttf.gz");
    const FAMILY: &str = "DejaVu Sans";

    /// The document with all text in the font of the library.
    fn tree(svg: &str) -> Result<Tree> {
        static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
        let fonts = FONTS.get_or_init(|| {
            let mut font = Vec::new();
            // A file of the library is readable.
            let _ = GzDecoder::new(FONT).read_to_end(&mut font);
            let mut fonts = Database::new();
            fonts.load_font_source(Source::Binary(Arc::new(font)));
            fonts.set_sans_serif_family(FAMILY);
            Arc::new(fonts)
        });
        if fonts.is_empty() {
            return Err(Error::Internal("the font of figures cannot be read".to_string()));
        }
        let options = Options {
            fontdb: Arc::clone(fonts),
            font_family: FAMILY.to_string(),
            ..Options::default()
        };
        Tree::from_str(svg, &options).map_err(|cause| failed(&cause.to_string()))
    }

    fn failed(cause: &str) -> Error {
        Error::Internal(format!("the figure cannot be drawn: {cause}"))
    }

    pub(super) fn png(svg: &str) -> Result<Vec<u8>> {
        let tree = tree(svg)?;
        let size = tree.size().to_int_size();
        let mut pixels = tiny_skia::Pixmap::new(size.width(), size.height())
            .ok_or_else(|| failed("it is too large"))?;
        pixels.fill(tiny_skia::Color::WHITE);
        resvg::render(&tree, usvg::Transform::identity(), &mut pixels.as_mut());
        pixels.encode_png().map_err(|cause| failed(&cause.to_string()))
    }

    pub(super) fn pdf(svg: &str) -> Result<Vec<u8>> {
        let tree = tree(svg)?;
        let points = |pixels: f32| pixels * super::POINTS_PER_INCH / super::PIXELS_PER_INCH;
        let (width, height) = (points(tree.size().width()), points(tree.size().height()));
        let (Some(size), Some(settings)) =
            (Size::from_wh(width, height), PageSettings::from_wh(width, height))
        else {
            return Err(failed("it has no area"));
        };
        let mut document = Document::new();
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        surface
            .draw_svg(&tree, size, SvgSettings::default())
            .ok_or_else(|| failed("a part of it cannot be drawn"))?;
        surface.finish();
        page.finish();
        document.finish().map_err(|cause| failed(&format!("{cause:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Curve, Panel, points};

    fn figure(count: u32) -> String {
        let curve = Curve {
            name: "a < b".to_string(),
            points: (0..count).map(|x| (f64::from(x), f64::from(x * 7 % 11))).collect(),
        };
        let panel = Panel {
            title: "lfe".to_string(),
            x_label: "lfe 1".to_string(),
            y_label: "lfe 2".to_string(),
            curves: vec![curve],
        };
        points("", 1, &[panel]).unwrap()
    }

    fn style(name: &str, width: Option<u32>) -> FigureStyle {
        FigureStyle { format: FigureFormat::from_name(name).unwrap(), width }
    }

    #[test]
    fn formats_are_those_of_endings() {
        let format = |name: &str| FigureFormat::from_path(Path::new(name));
        assert_eq!(format("a/b.SVG").unwrap(), FigureFormat::Svg);
        for name in ["a.bmp", "svg", "a.", "a.svg.gz"] {
            let message = format(name).unwrap_err().to_string();
            assert!(message.contains("use a file name ending in .svg"), "{message}");
        }
        assert_eq!(FigureStyle::default().file_name("curves.svg"), "curves.svg");
    }

    #[test]
    fn an_svg_has_the_width_that_is_given() {
        let svg = figure(3);
        let (width, height) = size_of(&svg).unwrap();
        assert_eq!(style("svg", None).to_file(&svg).unwrap(), svg.as_bytes());
        let wide = String::from_utf8(style("svg", Some(1000)).to_file(&svg).unwrap()).unwrap();
        assert_eq!(size_of(&wide), Some((1000.0, (1000.0 * height / width).round())));
        assert!(wide.contains(&format!(" viewBox=\"0 0 {width} {height}\">")), "{wide}");
        assert_eq!(wide.split_once('>').unwrap().1, svg.split_once('>').unwrap().1);
        for wrong in [0, MOST_WIDTH + 1] {
            let message = style("svg", Some(wrong)).to_file(&svg).unwrap_err().to_string();
            assert!(message.contains("give at least 1 and at most 10000"), "{message}");
        }
        assert!(style("svg", None).to_file("<svg>").is_err());
    }

    #[cfg(feature = "figures")]
    #[test]
    fn pixels_and_pages_have_the_size_of_the_figure_and_text() {
        let svg = figure(1);
        let (width, height) = size_of(&svg).unwrap();
        let shape = |png: &[u8]| {
            assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
            let number = |from: usize| {
                u32::from_be_bytes([png[from], png[from + 1], png[from + 2], png[from + 3]])
            };
            (number(16), number(20))
        };
        let png = style("png", None).to_file(&svg).unwrap();
        assert_eq!(shape(&png), ((2.0 * width) as u32, (2.0 * height).round() as u32));
        let narrow = style("png", Some(300)).to_file(&svg).unwrap();
        assert_eq!(shape(&narrow).0, 300);
        // Text is drawn: without it the picture is another.
        let plain = svg.replace("lfe", "");
        assert_ne!(style("png", None).to_file(&plain).unwrap(), png);
        for one in ["png", "pdf"] {
            assert_eq!(
                style(one, Some(500)).to_file(&svg).unwrap(),
                style(one, Some(500)).to_file(&svg).unwrap()
            );
        }
        // A picture of very many points is not large.
        let curve = Curve {
            name: "relieff".to_string(),
            points: (1..=300_000).map(|x| (f64::from(x), 1.0 / f64::from(x))).collect(),
        };
        let panel = Panel {
            title: String::new(),
            x_label: "features".to_string(),
            y_label: "error %".to_string(),
            curves: vec![curve],
        };
        let many = crate::figures::curves("300,000 features", 1, &[panel]).unwrap();
        for one in ["svg", "pdf", "png"] {
            let size = style(one, None).to_file(&many).unwrap().len();
            assert!(size < 200_000, "{one}: {size} bytes");
        }
        let pdf = style("pdf", Some(960)).to_file(&svg).unwrap();
        assert!(pdf.starts_with(b"%PDF-"));
        let text = String::from_utf8_lossy(&pdf);
        // 960 of 96 pixels per inch are 10 inches, 720 points; the page contains the font.
        assert!(text.contains("/MediaBox [0 0 720 "), "{text}");
        assert!(text.contains("DejaVuSans"), "{text}");
    }
}
