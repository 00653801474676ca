//! Minimizes least squares (Lawson & Hanson 1974, chapter 23) and quadratic functions over nonnegative
//! unknowns.

use crate::algebra::solve_positive_definite;

/// Returns the step `d` with `u + d >= 0` that minimizes `g d + d H d / 2` for a symmetric positive
/// definite `H`. Each exchange of the active set decreases the objective. Returns the best step found
/// when the maximum number of exchanges is reached.
pub(crate) fn quadratic_step(h: impl Fn(usize, usize) -> f64, g: &[f64], u: &[f64]) -> Vec<f64> {
    let size = u.len();
    let mut step = vec![0.0; size];
    let mut free: Vec<bool> = (0..size).map(|i| u[i] > 0.0 || g[i] < 0.0).collect();
    for _ in 0..3 * size + 10 {
        let moving: Vec<usize> = (0..size).filter(|&i| free[i]).collect();
        let fixed: Vec<usize> = (0..size).filter(|&i| !free[i] && step[i] != 0.0).collect();
        let right: Vec<f64> = moving
            .iter()
            .map(|&i| -g[i] - fixed.iter().map(|&j| h(i, j) * step[j]).sum::<f64>())
            .collect();
        let Some(target) = solve_positive_definite(|i, j| h(moving[i], moving[j]), &right) else {
            break;
        };
        // As far towards the target as the signs allow.
        let mut share = 1.0_f64;
        for (&i, &target) in moving.iter().zip(&target) {
            if u[i] + target < 0.0 {
                share = share.min((u[i] + step[i]) / (step[i] - target));
            }
        }
        for (&i, &target) in moving.iter().zip(&target) {
            let before = u[i] + step[i];
            step[i] += share * (target - step[i]);
            if share < 1.0 && u[i] + target < 0.0 && u[i] + step[i] <= 1e-12 * before {
                (step[i], free[i]) = (-u[i], false);
            }
        }
        if share < 1.0 {
            continue;
        }
        // The unknown at 0 that would decrease the objective most.
        let slope = |i: usize| g[i] + (0..size).map(|j| h(i, j) * step[j]).sum::<f64>();
        let entering = (0..size)
            .filter(|&i| !free[i])
            .map(|i| (slope(i) / h(i, i).sqrt(), i))
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let scale = (0..size).fold(0.0_f64, |most, i| most.max(g[i].abs() / h(i, i).sqrt()));
        match entering {
            Some((slope, i)) if slope < -1e-12 * scale => free[i] = true,
            _ => break,
        }
    }
    step
}

/// Returns the `x >= 0` that minimizes `||A x - b||`; `columns` are the columns of `A`.
///
/// Columns may have any scale. Returns the best `x` found when the maximum number of exchanges is
/// reached.
pub(crate) fn nonnegative_least_squares(columns: &[Vec<f64>], b: &[f64]) -> Vec<f64> {
    let norms: Vec<f64> = columns.iter().map(|column| norm(column)).collect();
    let unit: Vec<Vec<f64>> = columns
        .iter()
        .zip(&norms)
        .map(|(column, norm)| column.iter().map(|v| v / norm.max(f64::MIN_POSITIVE)).collect())
        .collect();
    let scale = norm(b).max(f64::MIN_POSITIVE);
    let mut x = vec![0.0; unit.len()];
    let mut passive: Vec<usize> = Vec::new();
    let mut refused = vec![false; unit.len()];
    for _ in 0..10 * (unit.len() + 1) {
        let residual = residual(&unit, &x, b);
        // The column with the largest scalar product with the residual.
        let entering = (0..unit.len())
            .filter(|k| !passive.contains(k) && !refused[*k] && norms[*k] > 0.0)
            .map(|k| (dot(&unit[k], &residual), k))
            .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        match entering {
            Some((gain, k)) if gain > 1e-15 * scale => passive.push(k),
            _ => break,
        }
        let newest = passive[passive.len() - 1];
        let mut first = true;
        loop {
            let Some(solution) = least_squares(&unit, &passive, b) else {
                // The new column is a linear combination of the passive ones.
                passive.retain(|k| *k != newest);
                refused[newest] = true;
                break;
            };
            if first && solution[solution.len() - 1] <= 0.0 {
                passive.pop();
                refused[newest] = true;
                break;
            }
            first = false;
            // As far towards the solution as the signs allow.
            let mut step = 1.0_f64;
            for (&k, &target) in passive.iter().zip(&solution) {
                if target <= 0.0 {
                    step = step.min(x[k] / (x[k] - target));
                }
            }
            let mut blocked = false;
            for (&k, &target) in passive.iter().zip(&solution) {
                let reached = x[k] + step * (target - x[k]);
                blocked |= target <= 0.0;
                x[k] = if target <= 0.0 && reached <= 1e-16 { 0.0 } else { reached };
            }
            if !blocked {
                refused.fill(false);
                break;
            }
            passive.retain(|&k| x[k] > 0.0);
        }
    }
    x.iter().zip(&norms).map(|(x, norm)| if *norm > 0.0 { x / norm } else { 0.0 }).collect()
}

/// Returns the least-squares solution over chosen columns, refined once, or `None` if the columns are
/// linearly dependent.
pub(crate) fn least_squares(columns: &[Vec<f64>], chosen: &[usize], b: &[f64]) -> Option<Vec<f64>> {
    let rows = b.len();
    if chosen.len() > rows {
        return None;
    }
    // Householder reflections; the vectors stay below the diagonal.
    let mut q: Vec<Vec<f64>> = chosen.iter().map(|&k| columns[k].clone()).collect();
    let mut diagonal = vec![0.0; q.len()];
    for j in 0..q.len() {
        let length = norm(&q[j][j..]);
        if length <= 1e-13 * norm(&columns[chosen[j]]) || length == 0.0 {
            return None;
        }
        let sign = if q[j][j] > 0.0 { 1.0 } else { -1.0 };
        diagonal[j] = -sign * length;
        q[j][j] += sign * length;
        let half = length * q[j][j].abs();
        let (left, right) = q.split_at_mut(j + 1);
        let reflector = &left[j][j..];
        for column in right {
            let factor = dot(reflector, &column[j..]) / half;
            for (value, v) in column[j..].iter_mut().zip(reflector) {
                *value -= factor * v;
            }
        }
    }
    let solve = |b: &[f64]| -> Vec<f64> {
        let mut b = b.to_vec();
        for j in 0..q.len() {
            let factor = dot(&q[j][j..], &b[j..]) / (diagonal[j].abs() * q[j][j].abs());
            for (value, v) in b[j..].iter_mut().zip(&q[j][j..]) {
                *value -= factor * v;
            }
        }
        let mut x = vec![0.0; q.len()];
        for j in (0..q.len()).rev() {
            let rest: f64 = (j + 1..q.len()).map(|k| q[k][j] * x[k]).sum();
            x[j] = (b[j] - rest) / diagonal[j];
        }
        x
    };
    let mut x = solve(b);
    let mut left: Vec<f64> = b.to_vec();
    for (&k, value) in chosen.iter().zip(&x) {
        left.iter_mut().zip(&columns[k]).for_each(|(l, c)| *l -= c * value);
    }
    x.iter_mut().zip(solve(&left)).for_each(|(x, correction)| *x += correction);
    Some(x)
}

fn residual(columns: &[Vec<f64>], x: &[f64], b: &[f64]) -> Vec<f64> {
    let mut left = b.to_vec();
    for (column, &value) in columns.iter().zip(x) {
        if value != 0.0 {
            left.iter_mut().zip(column).for_each(|(l, c)| *l -= c * value);
        }
    }
    left
}

pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_bind_where_they_must() {
        // Without the constraint x = (2, -1); with it, the projection of b on the first column.
        let columns = [vec![1.0, 0.0, 1.0], vec![0.0, 1.0, 1.0]];
        let free = least_squares(&columns, &[0, 1], &[2.0, -1.0, 1.0]).unwrap();
        assert!((free[0] - 2.0).abs() < 1e-15 && (free[1] + 1.0).abs() < 1e-15);
        let x = nonnegative_least_squares(&columns, &[2.0, -1.0, 1.0]);
        assert!((x[0] - 1.5).abs() < 1e-15 && x[1] == 0.0, "{x:?}");
        let x = nonnegative_least_squares(&columns, &[2.0, 3.0, 5.0]);
        assert!((x[0] - 2.0).abs() < 1e-14 && (x[1] - 3.0).abs() < 1e-14, "{x:?}");
        assert_eq!(nonnegative_least_squares(&columns, &[-1.0, -1.0, -1.0]), [0.0, 0.0]);
    }
}
