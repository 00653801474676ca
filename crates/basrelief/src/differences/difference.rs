//! How much two values of a feature differ: one file per difference, and one line in the list here.

use std::fmt;
use std::ops::Deref;

use basrelief_kernels::{LANES, TILE};

use super::bit_code::BitCode;
use super::canberra::Canberra;
use super::constant::Constant;
use super::dosage::Dosage;
use super::expected::{MissingTable, Sorted};
use super::mismatch::Mismatch;
use super::number::Number;
use super::options::Ramp;

/// How much two values of a feature differ.
///
/// The engine has values as [`scale`](Self::scale) gives them, and computes differences by the kernels for the
/// [form](Self::form) of the difference, or by [`tile`](Self::tile) and [`line`](Self::line), which need nothing but
/// [`scaled_pair`](Self::scaled_pair). Each of them is called for many pairs at a time.
pub(crate) trait Difference: fmt::Debug {
    /// The difference of two known values as they are in the table: 0 if they are equal, at most 1. This is
    /// the definition.
    fn pair(&self, a: f64, b: f64) -> f64;

    /// Replaces `out` by values in the unit in which their differences are computed; NaN is missing.
    fn scale(&self, values: &[f64], out: &mut Vec<f64>);

    /// The difference of two known values in that unit.
    fn scaled_pair(&self, a: f64, b: f64) -> f64;

    /// What kernels compute of scaled values.
    fn form(&self) -> Form;

    /// How scaled values are coded in planes of bits, where they are few enough for that.
    fn bit_code(&self) -> Option<BitCode> {
        None
    }

    /// The number that it is of, where its differences are those of numbers that can be rounded.
    fn number(&self) -> Option<Number> {
        None
    }

    /// Whether values of different signs differ as much as can be, and there are such.
    fn spans_signs(&self) -> bool {
        false
    }

    /// The greatest scaled value.
    fn greatest(&self) -> f64 {
        1.0
    }

    /// The expected differences to missing values, which are drawn from the known values of their class.
    fn expected<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a>;

    /// The greatest differences to missing values that the known ones allow.
    fn pessimistic<'a>(&self, values: Sorted<'a, '_>) -> MissingTable<'a>;

    /// Replaces `out` by the differences of one scaled value to others; NaN where one is missing.
    fn line(&self, own: f64, others: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(others.iter().map(|&other| match own.is_nan() || other.is_nan() {
            true => f64::NAN,
            false => self.scaled_pair(own, other),
        }));
    }

    /// Replaces `out` by the differences of the scaled values of two panels; NaN where one is missing.
    fn tile(&self, rows: &[f64; LANES], columns: &[f64; LANES], out: &mut [f64; TILE]) {
        for (line, &own) in out.as_chunks_mut::<LANES>().0.iter_mut().zip(rows) {
            for (out, &other) in line.iter_mut().zip(columns) {
                let is_missing = own.is_nan() || other.is_nan();
                *out = if is_missing { f64::NAN } else { self.scaled_pair(own, other) };
            }
        }
    }

    /// Its parameters, from which it can be made again.
    fn parameters(&self) -> Vec<u64>;
}

/// What kernels compute of two scaled values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Form {
    /// 0.
    Nothing,
    /// `|a - b|`.
    Absolute,
    /// The same on a ramp.
    Ramped(Ramp),
    /// 0 if they are equal, else 1.
    Mismatch,
    /// Anything else: there is no kernel for it.
    Any,
}

/// Declares the differences: the struct of each, which is [`Copy`] and has a function `read` that makes it from its
/// parameters.
macro_rules! differences {
    ($($name:ident)+) => {
        /// The difference of a feature.
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub(crate) enum Rule {
            $(
                #[doc = concat!("See [`", stringify!($name), "`].")]
                $name($name),
            )+
        }

        $(
            impl From<$name> for Rule {
                fn from(difference: $name) -> Self {
                    Self::$name(difference)
                }
            }
        )+

        impl Deref for Rule {
            type Target = dyn Difference;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Self::$name(difference) => difference,)+
                }
            }
        }

        impl Rule {
            /// Its name and its parameters, from which it can be [read](Self::read).
            pub(crate) fn written(&self) -> (&'static str, Vec<u64>) {
                let name = match self {
                    $(Self::$name(_) => stringify!($name),)+
                };
                (name, self.parameters())
            }

            /// The difference of a name and parameters; `None` where there is none.
            pub(crate) fn read(name: &str, parameters: &[u64]) -> Option<Self> {
                match name {
                    $(stringify!($name) => $name::read(parameters).map(Self::from),)+
                    _ => None,
                }
            }
        }
    };
}

differences! { Constant Number Dosage Mismatch Canberra }

impl Rule {
    /// Whether no two rows differ.
    pub(crate) fn is_constant(&self) -> bool {
        self.form() == Form::Nothing
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Differences of every kind, with values that they take.
    fn examples() -> Vec<(Rule, Vec<f64>)> {
        let ramp = Ramp::new(0.1, 0.6);
        let numbers = vec![-2.0, -0.5, 0.0, 0.25, 1.0, 3.0];
        let number = |ramp| Rule::from(Number { least: -2.0, range: 5.0, steps: None, ramp });
        vec![
            (Rule::from(Constant), vec![4.0]),
            (number(None), numbers.clone()),
            (number(ramp), numbers.clone()),
            (Rule::from(Dosage), vec![0.0, 1.0, 2.0]),
            (Rule::from(Mismatch { levels: 4 }), vec![0.0, 1.0, 2.0, 3.0]),
            (Rule::from(Canberra { least: -2.0, greatest: 3.0 }), numbers),
        ]
    }

    #[test]
    fn every_difference_is_symmetric_and_at_most_1() {
        for (rule, values) in examples() {
            let mut scaled = Vec::new();
            rule.scale(&values, &mut scaled);
            let mut line = Vec::new();
            for (i, &a) in values.iter().enumerate() {
                rule.line(scaled[i], &scaled, &mut line);
                for (j, &b) in values.iter().enumerate() {
                    let difference = rule.pair(a, b);
                    assert_eq!(difference.to_bits(), rule.pair(b, a).to_bits(), "{rule:?}");
                    assert!((0.0..=1.0).contains(&difference), "{rule:?} {a} {b}");
                    assert!(i != j || difference == 0.0, "{rule:?} {a}");
                    assert!((line[j] - difference).abs() < 1e-15, "{rule:?} {a} {b}");
                }
            }
        }
    }

    #[test]
    fn tiles_are_lines_and_missing_values_have_none() {
        for (rule, values) in examples() {
            let mut scaled = Vec::new();
            rule.scale(&values, &mut scaled);
            scaled.push(f64::NAN);
            let lanes = |step: usize| -> [f64; LANES] {
                std::array::from_fn(|lane| scaled[lane * step % scaled.len()])
            };
            let (rows, columns) = (lanes(3), lanes(1));
            let (mut tile, mut line) = ([9.0; TILE], Vec::new());
            rule.tile(&rows, &columns, &mut tile);
            for (row, found) in rows.iter().zip(tile.chunks(LANES)) {
                rule.line(*row, &columns, &mut line);
                for ((found, wanted), other) in found.iter().zip(&line).zip(columns) {
                    assert_eq!(found.to_bits(), wanted.to_bits(), "{rule:?}");
                    assert_eq!(found.is_nan(), row.is_nan() || other.is_nan(), "{rule:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for (rule, _) in examples() {
            let (name, parameters) = rule.written();
            assert_eq!(Rule::read(name, &parameters), Some(rule));
            assert_eq!(Rule::read(name, &[&parameters[..], &[1]].concat()), None);
        }
        assert_eq!(Rule::read("Other", &[]), None);
    }

    proptest! {
        /// Where we say that they are metrics: not of a ramp.
        #[test]
        fn differences_keep_the_triangle_inequality(a in -2.0..3.0, b in -2.0..3.0, c in -2.0..3.0) {
            for (rule, values) in examples() {
                let is_number = values.len() == 6;
                if is_number && !matches!(rule.form(), Form::Ramped(_)) {
                    let (ab, bc, ac) = (rule.pair(a, b), rule.pair(b, c), rule.pair(a, c));
                    prop_assert!(ac <= ab + bc + 1e-15, "{:?} {} {} {}", rule, a, b, c);
                }
            }
        }
    }
}
