//! The list of all differences, each in a separate file.

use std::ops::Deref;

use super::canberra::Canberra;
use super::constant::Constant;
use super::difference::{Difference, Form};
use super::dosage::Dosage;
use super::mismatch::Mismatch;
use super::number::Number;
use super::ordinal::Ordinal;

/// Declares the differences. Each has a struct, which is [`Copy`] and has a function `read` that
/// restores it from its parameters.
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

            /// The difference with a name and parameters; `None` if they are invalid.
            pub(crate) fn read(name: &str, parameters: &[u64]) -> Option<Self> {
                match name {
                    $(stringify!($name) => $name::read(parameters).map(Self::from),)+
                    _ => None,
                }
            }
        }
    };
}

differences! { Constant Number Dosage Mismatch Canberra Ordinal }

impl Rule {
    /// Whether all rows are equal in the feature.
    pub(crate) fn is_constant(&self) -> bool {
        self.form() == Form::Nothing
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use basrelief_kernels::{LANES, TILE};

    use super::*;
    use crate::differences::{NumberRange, Ramp};

    /// Differences of every kind, with values for each.
    fn examples() -> Vec<(Rule, Vec<f64>)> {
        let ramp = Ramp::new(0.1, 0.6);
        let numbers = vec![-2.0, -0.5, 0.0, 0.25, 1.0, 3.0];
        let number = |ramp| {
            let on = NumberRange { least: -2.0, range: 5.0, steps: None };
            Rule::from(Number { on, ramp })
        };
        vec![
            (Rule::from(Constant), vec![4.0]),
            (number(None), numbers.clone()),
            (number(ramp), numbers.clone()),
            (Rule::from(Dosage), vec![0.0, 1.0, 2.0]),
            (Rule::from(Mismatch { levels: 4 }), vec![0.0, 1.0, 2.0, 3.0]),
            (Rule::from(Canberra { least: -2.0, greatest: 3.0 }), numbers),
            // The fourth of five levels does not occur.
            (Rule::from(Ordinal { steps: 4 }), vec![0.0, 1.0, 2.0, 4.0]),
            (Rule::from(Ordinal { steps: 1 }), vec![0.0, 1.0]),
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
        /// All differences without a ramp are metrics.
        #[test]
        fn differences_keep_the_triangle_inequality(a in -2.0..3.0, b in -2.0..3.0, c in -2.0..3.0) {
            for (rule, values) in examples() {
                let is_number = values.len() == 6 || matches!(rule, Rule::Ordinal(_));
                if is_number && !matches!(rule.form(), Form::Ramped(_)) {
                    let (ab, bc, ac) = (rule.pair(a, b), rule.pair(b, c), rule.pair(a, c));
                    prop_assert!(ac <= ab + bc + 1e-15, "{:?} {} {} {}", rule, a, b, c);
                }
            }
        }
    }
}
