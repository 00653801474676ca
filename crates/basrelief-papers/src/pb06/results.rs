//! The separabilities, by problem and by the total number of attributes.

use std::collections::BTreeMap;

use crate::claims::Subject;
use crate::statistics::Estimate;

/// The methods, and their indices in every triple of results.
pub(super) const METHODS: [&str; 3] = ["relieff", "drelieff", "pdrelieff"];
pub(super) const RELIEFF: usize = 0;
pub(super) const DOUBLE: usize = 1;
pub(super) const PROGRESSIVE: usize = 2;

/// The problems by their generators.
pub(super) const RDG1_CONTINUOUS: &str = "rdg1-continuous";
pub(super) const RBF: &str = "rbf";
pub(super) const NON_MONOTONIC: &str = "non-monotonic";
pub(super) const MAJORITY: &str = "majority";
pub(super) const MODULO_P: &str = "modulo-p";
pub(super) const RDG1_CATEGORICAL: &str = "rdg1-categorical";

/// The data sets of one problem with one pair of numbers of attributes.
pub(super) struct Cell {
    pub(super) attributes: usize,
    /// One triple per data set, in the order of [`METHODS`]; empty if only one class is possible.
    pub(super) separabilities: Vec<[f64; 3]>,
    /// The number of data sets with one class that were drawn again.
    pub(super) redrawn: u64,
}

/// The data sets of one problem by the total number of attributes.
pub(super) struct ProblemResults {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) by_total: BTreeMap<usize, Vec<Vec<[f64; 3]>>>,
    pub(super) left_out: usize,
    pub(super) redrawn: u64,
}

impl ProblemResults {
    pub(super) fn new(name: &'static str, title: &'static str, cells: Vec<Cell>) -> Self {
        let mut all = Self { name, title, by_total: BTreeMap::new(), left_out: 0, redrawn: 0 };
        for cell in cells {
            all.redrawn += cell.redrawn;
            if cell.separabilities.is_empty() {
                all.left_out += 1;
            } else {
                all.by_total.entry(cell.attributes).or_default().push(cell.separabilities);
            }
        }
        all
    }

    /// The mean of `of`, a function of the triple of a data set, at every total number of attributes: first over the
    /// data sets of a pair of numbers, then over the pairs.
    pub(super) fn curve(&self, of: impl Fn(&[f64; 3]) -> f64) -> Vec<(usize, Estimate)> {
        self.by_total
            .iter()
            .map(|(&total, pairs)| {
                let means: Vec<Estimate> = pairs
                    .iter()
                    .map(|triples| {
                        Estimate::of_draws(&triples.iter().map(&of).collect::<Vec<f64>>())
                    })
                    .collect();
                (total, Estimate::mean(&means))
            })
            .collect()
    }

    /// The mean of a curve.
    pub(super) fn mean(&self, of: impl Fn(&[f64; 3]) -> f64) -> Estimate {
        Estimate::mean(&self.curve(of).into_iter().map(|(_, mean)| mean).collect::<Vec<_>>())
    }

    /// The means of a curve over few attributes (up to a third of the largest number) and over many.
    pub(super) fn few_and_many(&self, of: impl Fn(&[f64; 3]) -> f64) -> [Estimate; 2] {
        let bound = self.few();
        let (few, many): (Vec<_>, Vec<_>) =
            self.curve(of).into_iter().partition(|(total, _)| *total <= bound);
        [few, many]
            .map(|part| Estimate::mean(&part.into_iter().map(|(_, mean)| mean).collect::<Vec<_>>()))
    }

    /// The largest number of attributes that is considered few: a third of the largest number, but not less than the
    /// smallest one.
    pub(super) fn few(&self) -> usize {
        let (least, most) = (self.by_total.keys().next(), self.by_total.keys().next_back());
        (most.copied().unwrap_or(0) / 3).max(least.copied().unwrap_or(0))
    }
}

/// The difference of the methods `a` and `b` on a data set.
pub(super) fn lead(a: usize, b: usize) -> impl Fn(&[f64; 3]) -> f64 {
    move |triple| triple[a] - triple[b]
}

impl Subject for ProblemResults {
    fn name(&self) -> &'static str {
        self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two pairs of 3 attributes with two data sets each, one pair of 4; first method only.
    fn by_hand() -> ProblemResults {
        let cell = |attributes, values: [f64; 2]| Cell {
            attributes,
            separabilities: values.map(|value| [value, 0.0, 0.0]).to_vec(),
            redrawn: 1,
        };
        let nothing = Cell { attributes: 2, separabilities: Vec::new(), redrawn: 0 };
        let cells = vec![nothing, cell(3, [0.0, 1.0]), cell(4, [0.5, 0.5]), cell(3, [0.25, 0.75])];
        ProblemResults::new("name", "title", cells)
    }

    #[test]
    fn means_are_over_data_sets_then_pairs_then_numbers_of_attributes() {
        let problem = by_hand();
        assert_eq!((problem.left_out, problem.redrawn), (1, 3));
        let curve = problem.curve(|triple| 2.0 * triple[0]);
        assert_eq!(curve.len(), 2);
        let (total, mean) = curve[0];
        assert_eq!((total, mean.value), (3, 1.0));
        // Twice 0, 1 and 0.25, 0.75: the errors are 1 and 1/2; the root of their sum of squares, halved.
        assert!((mean.error - 1.25f64.sqrt() / 2.0).abs() < 1e-15, "{}", mean.error);
        assert_eq!(curve[1], (4, Estimate { value: 1.0, error: 0.0 }));
        assert_eq!(problem.mean(|triple| triple[0]).value, 0.5);
        let [few, many] = problem.few_and_many(|triple| triple[0]);
        assert_eq!((few.value, many.error), (0.5, 0.0));
    }
}
