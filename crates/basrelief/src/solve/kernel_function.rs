//! Kernels: inner products of rows in a feature space, computed without coordinates there.

use std::fmt;
use std::str::FromStr;

use basrelief_kernels::{exponentials, level};
use serde::{Deserialize, Serialize};

use crate::algebra::{for_each_row, lower_row_products, mirrored, unpolled_row_products};
use crate::data::DenseMatrix;
use crate::differences::Metric;
use crate::error::Result as RunResult;
use crate::random::{RandomStream, generator, sample};
use crate::run::Run;

/// Maximum number of rows whose distances give the median; of more rows, a sample is drawn.
const MEDIAN_ROWS: usize = 2000;

/// The maximum degree of a polynomial.
const MOST_DEGREE: u32 = 20;

/// An inner product `k(a, b)` of rows in some feature space.
///
/// All kernels except [`Kernel::Sigmoid`] are positive semidefinite, as inner products must be. The
/// negative part of the sigmoid kernel is excluded from a basis, with a warning.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Kernel {
    /// `a . b`: the feature space is that of the rows themselves.
    Linear,
    /// `(scale a . b + constant)^degree`.
    Polynomial {
        /// From 1 to 20.
        degree: u32,
        /// Above 0.
        scale: f64,
        /// At least 0.
        constant: f64,
    },
    /// `exp(-||a - b||^2 / (2 rho^2))`, Euclidean (Wang et al. 2011, eq. 67).
    Rbf {
        /// Above 0.
        rho: f64,
    },
    /// `exp(-||a - b|| / rho)`, Manhattan.
    Laplacian {
        /// Above 0.
        rho: f64,
    },
    /// `tanh(scale a . b + constant)`.
    Sigmoid {
        /// Above 0.
        scale: f64,
        /// Any number.
        constant: f64,
    },
}

impl Kernel {
    /// `k(a, b)`.
    ///
    /// # Panics
    /// The rows have different lengths.
    pub fn value(&self, a: &[f64], b: &[f64]) -> f64 {
        assert_eq!(a.len(), b.len(), "rows must have the same length");
        let pairs = || a.iter().zip(b);
        match self {
            Kernel::Rbf { .. } => self.evaluate(pairs().map(|(a, b)| (a - b) * (a - b)).sum()),
            Kernel::Laplacian { .. } => self.evaluate(pairs().map(|(a, b)| (a - b).abs()).sum()),
            _ => self.evaluate(pairs().map(|(a, b)| a * b).sum()),
        }
    }

    /// Evaluates the kernel at its argument: the squared Euclidean distance (rbf), the Manhattan
    /// distance (laplacian), or the inner product.
    fn evaluate(&self, x: f64) -> f64 {
        match *self {
            Kernel::Linear => x,
            Kernel::Polynomial { degree, scale, constant } => {
                (scale * x + constant).powi(degree as i32)
            }
            // Divided twice, because the square of a very small or large rho may not be a finite
            // positive number.
            Kernel::Rbf { rho } => (-(x / rho / rho) / 2.0).exp(),
            Kernel::Laplacian { rho } => (-x / rho).exp(),
            Kernel::Sigmoid { scale, constant } => (scale * x + constant).tanh(),
        }
    }

    /// The values `k(a_i, b_j)` of all pairs: rows of `a` x rows of `b`.
    ///
    /// # Panics
    /// The rows have different lengths.
    pub fn matrix(&self, a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
        assert_eq!(a.columns(), b.columns(), "rows must have the same length");
        let mut kernel = match self {
            Kernel::Rbf { .. } => squared_distances(a, b),
            Kernel::Laplacian { .. } => manhattan(a, b),
            _ => unpolled_row_products(a, b),
        };
        for_each_row(&mut kernel, b.rows(), &|_, row| self.of_all(row));
        kernel
    }

    /// Evaluates the kernel at many arguments, in place. Exponentials below 2^-60 become 0.
    fn of_all(&self, values: &mut [f64]) {
        match *self {
            Kernel::Linear => return,
            Kernel::Rbf { rho } => values.iter_mut().for_each(|x| *x = *x / rho / rho / 2.0),
            Kernel::Laplacian { rho } => values.iter_mut().for_each(|x| *x /= rho),
            _ => return values.iter_mut().for_each(|x| *x = self.evaluate(*x)),
        }
        // NaN must not become a number.
        if values.iter().any(|value| value.is_nan()) {
            return values.fill(f64::NAN);
        }
        exponentials(level(), 0.0, values);
    }

    /// The kernel matrix of rows with themselves, exactly symmetric.
    ///
    /// # Errors
    /// [`crate::Error::Cancelled`].
    pub fn gram(&self, rows: &DenseMatrix, run: &Run) -> RunResult<DenseMatrix> {
        let lengths: Vec<f64> = match self {
            Kernel::Rbf { .. } => rows.iter().map(|row| Kernel::Linear.own(row)).collect(),
            _ => Vec::new(),
        };
        mirrored(rows.rows(), run, |range, out| {
            match self {
                Kernel::Laplacian { .. } => {}
                _ => lower_row_products(rows, range.clone(), out),
            }
            for (i, line) in range.zip(out.chunks_mut(rows.rows())) {
                let (line, own) = (&mut line[..=i], rows.row(i));
                match self {
                    Kernel::Rbf { .. } => line_between(line, lengths[i], &lengths),
                    Kernel::Laplacian { .. } => line_of_manhattan(line, own, rows),
                    _ => {}
                }
                self.of_all(line);
                line[i] = self.own(own);
            }
        })
    }

    /// Whether the kernel is positive semidefinite for all rows.
    pub(crate) fn is_semidefinite(&self) -> bool {
        !matches!(self, Kernel::Sigmoid { .. })
    }

    /// `k(a, a)`.
    pub fn own(&self, row: &[f64]) -> f64 {
        match self {
            Kernel::Rbf { .. } | Kernel::Laplacian { .. } => 1.0,
            _ => self.value(row, row),
        }
    }

    /// The squared distance of two rows in the kernel's feature space,
    /// `k(a, a) - 2 k(a, b) + k(b, b)`, at least 0. Nearest neighbors by this distance are kernel
    /// nearest neighbors.
    ///
    /// # Panics
    /// The rows have different lengths.
    pub fn squared_distance(&self, a: &[f64], b: &[f64]) -> f64 {
        (self.own(a) - 2.0 * self.value(a, b) + self.own(b)).max(0.0)
    }

    /// [`squared_distance`](Self::squared_distance) of all pairs: rows of `a` x rows of `b`.
    ///
    /// # Panics
    /// The rows have different lengths.
    pub fn squared_distances(&self, a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
        let own = |rows: &DenseMatrix| rows.iter().map(|row| self.own(row)).collect::<Vec<f64>>();
        let mut distances = self.matrix(a, b);
        between(&mut distances, &own(a), &own(b));
        distances
    }

    /// The metric that orders pairs of rows by distance as the kernel's feature space does; `None` if there is none.
    pub(crate) fn metric(&self) -> Option<Metric> {
        match self {
            Kernel::Linear | Kernel::Rbf { .. } => Some(Metric::Euclidean),
            Kernel::Laplacian { .. } => Some(Metric::Manhattan),
            Kernel::Polynomial { .. } | Kernel::Sigmoid { .. } => None,
        }
    }

    /// The width of a distance-based kernel; `None` for others.
    pub fn rho(&self) -> Option<f64> {
        match *self {
            Kernel::Rbf { rho } | Kernel::Laplacian { rho } => Some(rho),
            _ => None,
        }
    }

    /// Returns the kernel with another width. Kernels without a width are returned unchanged.
    #[must_use]
    pub fn with_rho(self, width: f64) -> Self {
        match self {
            Kernel::Rbf { .. } => Kernel::Rbf { rho: width },
            Kernel::Laplacian { .. } => Kernel::Laplacian { rho: width },
            other => other,
        }
    }

    /// The median of the nonzero distances between rows, in the metric of the kernel, and the number
    /// of rows used: at most 2000, sampled with `seed`. Returns `None` if no two rows differ.
    pub(crate) fn median_distance(&self, rows: &DenseMatrix, seed: u64) -> Option<(f64, usize)> {
        let drawn;
        let rows = if rows.rows() > MEDIAN_ROWS {
            let mut generator = generator(seed, RandomStream::KernelWidth);
            let places = sample(rows.rows() as u32, MEDIAN_ROWS as u32, &mut generator);
            drawn = rows.select_rows(&places.iter().map(|&row| row as usize).collect::<Vec<_>>());
            &drawn
        } else {
            rows
        };
        let euclidean = !matches!(self, Kernel::Laplacian { .. });
        let all = if euclidean { squared_distances(rows, rows) } else { manhattan(rows, rows) };
        let mut distances: Vec<f64> = (0..rows.rows())
            .flat_map(|i| all.row(i)[..i].iter().copied())
            .filter(|&distance| distance > 0.0)
            .collect();
        let middle = distances.len() / 2;
        if distances.is_empty() {
            return None;
        }
        let (below, &mut upper, _) = distances.select_nth_unstable_by(middle, f64::total_cmp);
        let lower = below.iter().copied().fold(0.0, f64::max);
        let root = |distance: f64| if euclidean { distance.sqrt() } else { distance };
        let odd = (below.len() * 2 + 1) == distances.len();
        let median = if odd { root(upper) } else { (root(lower) + root(upper)) / 2.0 };
        Some((median, rows.rows()))
    }
}

/// Converts inner products to squared distances, given the inner products of the rows with
/// themselves. The results are at least 0, and exactly 0 where they are only rounding errors.
fn between(products: &mut DenseMatrix, a: &[f64], b: &[f64]) {
    for_each_row(products, b.len(), &|i, row| line_between(row, a[i], b));
}

fn line_between(products: &mut [f64], own: f64, others: &[f64]) {
    for (value, other) in products.iter_mut().zip(others) {
        let sum = own + other;
        let squared = sum - 2.0 * *value;
        *value = if squared <= 8.0 * f64::EPSILON * sum { 0.0 } else { squared };
    }
}

fn squared_distances(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
    Kernel::Linear.squared_distances(a, b)
}

fn manhattan(a: &DenseMatrix, b: &DenseMatrix) -> DenseMatrix {
    let mut distances = DenseMatrix::zeros(a.rows(), b.rows());
    for_each_row(&mut distances, b.values().len(), &|i, row| line_of_manhattan(row, a.row(i), b));
    distances
}

fn line_of_manhattan(distances: &mut [f64], own: &[f64], others: &DenseMatrix) {
    for (distance, other) in distances.iter_mut().zip(others.iter()) {
        *distance = own.iter().zip(other).map(|(a, b)| (a - b).abs()).sum();
    }
}

/// The source of a kernel's width.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Width {
    /// The width of the given kernel, if it has one.
    #[default]
    Given,
    /// The median distance between rows.
    Median,
    /// The width with the smallest cross-validated error among candidates around the median.
    CrossValidation,
}

/// A kernel whose width may still have to be determined.
///
/// As text: `linear`, `polynomial[:degree=3,scale=1,constant=1]`, `rbf[:rho=median]`,
/// `laplacian[:rho=median]`, `sigmoid[:scale=1,constant=0]`, where `rho` is `median`, `cv` or a
/// number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KernelChoice {
    /// The kernel. Its width is a placeholder unless `width` is [`Width::Given`].
    pub kernel: Kernel,
    /// The source of the width.
    pub width: Width,
}

impl KernelChoice {
    /// Parses a kernel; `none` returns `None`.
    ///
    /// # Errors
    /// A message that describes why the text is not a kernel.
    pub fn parse(text: &str) -> Result<Option<Self>, String> {
        if text == "none" { Ok(None) } else { text.parse().map(Some) }
    }
}

impl From<Kernel> for KernelChoice {
    fn from(kernel: Kernel) -> Self {
        Self { kernel, width: Width::Given }
    }
}

/// The parameters in a kernel's text, consumed one by one.
struct Parameters<'t> {
    kernel: &'t str,
    given: Vec<(&'t str, &'t str)>,
}

impl<'t> Parameters<'t> {
    fn take(&mut self, name: &str) -> Option<&'t str> {
        let place = self.given.iter().position(|(own, _)| *own == name)?;
        Some(self.given.remove(place).1)
    }

    fn number(
        &mut self,
        name: &str,
        default: f64,
        (fits, range): (fn(f64) -> bool, &str),
    ) -> Result<f64, String> {
        let Some(text) = self.take(name) else { return Ok(default) };
        match text.parse::<f64>() {
            Ok(value) if value.is_finite() && fits(value) => Ok(value),
            _ => Err(format!("the {name} of {}, `{text}`, is not a number{range}", self.kernel)),
        }
    }
}

const POSITIVE: (fn(f64) -> bool, &str) = (|value| value > 0.0, " above 0");
const NOT_NEGATIVE: (fn(f64) -> bool, &str) = (|value| value >= 0.0, " of at least 0");
const ANY: (fn(f64) -> bool, &str) = (|_| true, "");

impl FromStr for KernelChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let given = rest.split(',').filter(|part| !part.is_empty()).map(|part| {
            part.split_once('=').ok_or_else(|| format!("`{part}` is not PARAMETER=VALUE"))
        });
        let mut parameters = Parameters { kernel: name, given: given.collect::<Result<_, _>>()? };
        let mut width = Width::Given;
        let mut rho = |parameters: &mut Parameters<'_>| {
            width = match parameters.given.iter().find(|(name, _)| *name == "rho") {
                None => Width::Median,
                Some((_, "median")) => Width::Median,
                Some((_, "cv")) => Width::CrossValidation,
                Some(_) => return parameters.number("rho", 1.0, POSITIVE),
            };
            parameters.take("rho");
            Ok(1.0)
        };
        let kernel = match name {
            "linear" => Kernel::Linear,
            "polynomial" => Kernel::Polynomial {
                degree: match parameters.take("degree") {
                    None => 3,
                    Some(degree) => degree
                        .parse()
                        .ok()
                        .filter(|degree| (1..=MOST_DEGREE).contains(degree))
                        .ok_or_else(|| {
                            format!(
                                "the degree of polynomial, `{degree}`, is not a whole number from \
                                 1 to {MOST_DEGREE}"
                            )
                        })?,
                },
                scale: parameters.number("scale", 1.0, POSITIVE)?,
                constant: parameters.number("constant", 1.0, NOT_NEGATIVE)?,
            },
            "rbf" => Kernel::Rbf { rho: rho(&mut parameters)? },
            "laplacian" => Kernel::Laplacian { rho: rho(&mut parameters)? },
            "sigmoid" => Kernel::Sigmoid {
                scale: parameters.number("scale", 1.0, POSITIVE)?,
                constant: parameters.number("constant", 0.0, ANY)?,
            },
            other => {
                return Err(format!(
                    "`{other}` is not a kernel; use linear, polynomial, rbf, laplacian or sigmoid"
                ));
            }
        };
        match parameters.given.first() {
            Some((unknown, _)) => {
                Err(format!("unexpected parameter `{unknown}` of the kernel {name}"))
            }
            None => Ok(Self { kernel, width }),
        }
    }
}

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kernel::Linear => f.write_str("linear"),
            Kernel::Polynomial { degree, scale, constant } => {
                write!(f, "polynomial:degree={degree},scale={scale},constant={constant}")
            }
            Kernel::Rbf { rho } => write!(f, "rbf:rho={rho}"),
            Kernel::Laplacian { rho } => write!(f, "laplacian:rho={rho}"),
            Kernel::Sigmoid { scale, constant } => {
                write!(f, "sigmoid:scale={scale},constant={constant}")
            }
        }
    }
}

impl FromStr for Kernel {
    type Err = String;

    /// Parses a kernel with all its parameters, as [`Display`](fmt::Display) writes it.
    fn from_str(text: &str) -> Result<Self, String> {
        let choice: KernelChoice = text.parse()?;
        match choice.width {
            Width::Given => Ok(choice.kernel),
            _ => Err(format!("`{text}` does not specify rho as a number")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KERNELS: [Kernel; 5] = [
        Kernel::Linear,
        Kernel::Polynomial { degree: 3, scale: 0.5, constant: 1.0 },
        Kernel::Rbf { rho: 0.7 },
        Kernel::Laplacian { rho: 2.0 },
        Kernel::Sigmoid { scale: 0.25, constant: -0.5 },
    ];

    fn rows(count: usize, columns: usize) -> DenseMatrix {
        let value = |k: usize| ((k * 7919 + 13) % 1009) as f64 / 504.0 - 1.0;
        DenseMatrix::new((0..count * columns).map(value).collect(), count, columns)
    }

    #[test]
    fn values_are_those_of_the_definition() {
        let (a, b) = ([1.0, 2.0], [3.0, 0.0]);
        for (kernel, expected) in KERNELS.into_iter().zip([
            3.0,
            2.5_f64.powi(3),
            (-8.0 / (2.0 * 0.49_f64)).exp(),
            (-4.0_f64 / 2.0).exp(),
            0.25_f64.tanh(),
        ]) {
            assert!((kernel.value(&a, &b) - expected).abs() < 1e-15, "{kernel}");
        }
    }

    #[test]
    fn matrices_hold_the_values_of_all_pairs() {
        let (a, b) = (rows(150, 5), rows(7, 5));
        for kernel in KERNELS {
            let (matrix, distances) = (kernel.matrix(&a, &b), kernel.squared_distances(&a, &b));
            for i in 0..150 {
                for j in 0..7 {
                    let value = kernel.value(a.row(i), b.row(j));
                    assert!((matrix.row(i)[j] - value).abs() < 1e-13, "{kernel}");
                    let distance = kernel.squared_distance(a.row(i), b.row(j));
                    assert!((distances.row(i)[j] - distance).abs() < 1e-13, "{kernel}");
                }
            }
            let gram = kernel.gram(&a, &Run::new(Some(1)).unwrap()).unwrap();
            assert_eq!(gram, gram.transposed());
            assert!((gram.row(3)[3] - kernel.own(a.row(3))).abs() < 1e-15);
            assert_eq!(kernel.matrix(&a, &DenseMatrix::zeros(0, 5)), DenseMatrix::zeros(150, 0));
        }
    }

    #[test]
    fn the_median_is_that_of_different_rows() {
        // By hand: the distances are 0, 3, 4, 3, 4 and 1.
        let rows = DenseMatrix::new(vec![0.0, 0.0, 3.0, 4.0], 4, 1);
        for kernel in [Kernel::Rbf { rho: 1.0 }, Kernel::Laplacian { rho: 1.0 }] {
            assert_eq!(kernel.median_distance(&rows, 0), Some((3.0, 4)));
            assert_eq!(kernel.median_distance(&DenseMatrix::zeros(3, 2), 0), None);
        }
        // 1 four times, 4 twice, 3 twice: the mean of 1 and 3.
        let rows = DenseMatrix::new(vec![0.0, 0.0, 1.0, 1.0, 4.0], 5, 1);
        assert_eq!(Kernel::Rbf { rho: 1.0 }.median_distance(&rows, 0), Some((2.0, 5)));
    }

    #[test]
    fn more_rows_are_sampled_by_the_seed() {
        let rows = rows(2500, 2);
        let kernel = Kernel::Rbf { rho: 1.0 };
        let (median, count) = kernel.median_distance(&rows, 1).unwrap();
        assert_eq!(count, 2000);
        assert_eq!(kernel.median_distance(&rows, 1), Some((median, count)));
        assert_ne!(kernel.median_distance(&rows, 2).unwrap().0, median);
    }

    #[test]
    fn texts_read_back_and_wrong_ones_are_refused() {
        for kernel in KERNELS {
            assert_eq!(kernel.to_string().parse(), Ok(kernel));
        }
        let width = |text: &str| text.parse::<KernelChoice>().map(|choice| choice.width);
        assert_eq!(width("rbf"), Ok(Width::Median));
        assert_eq!(width("laplacian:rho=cv"), Ok(Width::CrossValidation));
        assert_eq!(width("rbf:rho=0.5"), Ok(Width::Given));
        assert_eq!(KernelChoice::parse("none"), Ok(None));
        for (text, words) in [
            ("rbf:rho=0", "above 0"),
            ("rbf:rho=-1", "above 0"),
            ("rbf:rho=inf", "above 0"),
            ("rbf:rho=nan", "above 0"),
            ("rbf:sigma=1", "parameter `sigma`"),
            ("rbf:1", "PARAMETER=VALUE"),
            ("polynomial:degree=0", "from 1 to 20"),
            ("polynomial:degree=2.5", "from 1 to 20"),
            ("polynomial:constant=-1", "at least 0"),
            ("polynomial:scale=0", "above 0"),
            ("sigmoid:constant=x", "not a number"),
            ("gauss", "not a kernel"),
            ("", "not a kernel"),
        ] {
            let message = text.parse::<KernelChoice>().unwrap_err();
            assert!(message.contains(words), "{text}: {message}");
        }
        assert!("rbf:rho=cv".parse::<Kernel>().is_err());
    }
}
