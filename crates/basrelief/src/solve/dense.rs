//! Dense linear algebra. This is the only file that knows the library behind it.

use faer::linalg::solvers::Solve;
use faer::{Mat, Side};

/// Solves `A x = b` for a symmetric positive definite `A`, of which `lower(i, j)`, `i >= j`, gives
/// the entries; `None` when it is not positive definite to rounding.
pub(crate) fn solve_positive_definite(
    lower: impl Fn(usize, usize) -> f64,
    b: &[f64],
) -> Option<Vec<f64>> {
    let size = b.len();
    let matrix = Mat::from_fn(size, size, |i, j| lower(i.max(j), i.min(j)));
    let factor = matrix.llt(Side::Lower).ok()?;
    let x = factor.solve(Mat::from_fn(size, 1, |i, _| b[i]));
    let x: Vec<f64> = (0..size).map(|i| x[(i, 0)]).collect();
    x.iter().all(|value| value.is_finite()).then_some(x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_and_says_when_it_cannot() {
        let x = solve_positive_definite(|i, j| [[4.0, 0.0], [2.0, 3.0]][i][j], &[8.0, 7.0]);
        let x = x.unwrap();
        assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15, "{x:?}");
        assert!(solve_positive_definite(|_, _| 1.0, &[1.0, 1.0]).is_none());
    }
}
