//! The textbook version of the methods whose weights change the distances.

use basrelief::methods::{IRelief, NearestSettings, Simba, Utility};
use basrelief::neighbors::{Metric, MissingPolicy};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::Naive;

/// The order in which a sequential method visits all rows: a shuffle from the back by the stream
/// of that purpose.
pub fn visiting_order(rows: usize, seed: u64) -> Vec<usize> {
    visiting_orders(rows, seed, 1).remove(0)
}

/// The orders of several restarts, each a shuffle of the one before.
pub fn visiting_orders(rows: usize, seed: u64, count: usize) -> Vec<Vec<usize>> {
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(3);
    let mut order: Vec<usize> = (0..rows).collect();
    let mut orders = Vec::new();
    for _ in 0..count {
        for place in (1..rows).rev() {
            order.swap(place, generator.random_range(0..=place as u32) as usize);
        }
        orders.push(order.clone());
    }
    orders
}

impl Naive<'_> {
    /// Sum of weighted differences; scaled up where features are left out.
    pub fn weighted_distance(&self, weights: &[f64], square: bool, i: usize, j: usize) -> f64 {
        let (mut sum, mut known, mut all, mut gaps) = (0.0, 0.0, 0.0, false);
        for (f, weight) in weights.iter().enumerate() {
            if self.known(f).is_empty() || self.is_constant(f) {
                continue;
            }
            gaps |= self.known(f).len() < self.table.rows();
            all += weight;
            if let Some(d) = self.diff(f, i, j) {
                known += weight;
                sum += weight * if square { d * d } else { d };
            }
        }
        match self.options.missing == MissingPolicy::Ignore && gaps {
            true if known == 0.0 => f64::INFINITY,
            true => sum / known * all,
            false => sum,
        }
    }

    /// Double ReliefF; `blend(t / m)` says how far the estimates count after `t` rows.
    pub fn feedback(
        &self,
        order: &[usize],
        settings: &NearestSettings,
        blend: impl Fn(f64) -> f64,
    ) -> Vec<f64> {
        let (n, p) = (self.table.rows(), self.table.width());
        let n_classes = self.classes.iter().max().unwrap() + 1;
        let share = |c: usize| self.classes.iter().filter(|x| **x == c).count() as f64 / n as f64;
        let square = self.options.metric == Metric::Euclidean;
        let mut estimates = vec![0.0; p];
        // Per feature: hits, hit weight known, misses, miss weight known.
        let mut sums = vec![[0.0; 4]; p];
        let mut totals = [0.0; 2];
        for (t, &i) in order.iter().enumerate() {
            let b = blend(t as f64 / order.len() as f64);
            let clipped = estimates.iter().map(|w: &f64| if *w > 1e-12 { *w } else { 0.0 });
            let mut factors: Vec<f64> = clipped.map(|w| (w - 1.0) * b + 1.0).collect();
            if factors.iter().all(|f| *f < 1e-15) {
                factors = vec![1.0; p];
            }
            let from: Vec<f64> =
                (0..n).map(|j| self.weighted_distance(&factors, square, i, j)).collect();
            for c in 0..n_classes {
                let members = (0..n).filter(|&j| j != i && self.classes[j] == c).collect();
                let hit = c == self.classes[i];
                let scale = if hit { 1.0 } else { share(c) / (1.0 - share(self.classes[i])) };
                let (k, ties) = (settings.n_neighbors[0], settings.ties);
                for (j, w) in self.nearest(&from, members, k, ties, settings.neighbor_weights) {
                    let (side, w) = (usize::from(!hit), w * scale);
                    totals[side] += w;
                    for (f, s) in sums.iter_mut().enumerate() {
                        if let Some(d) = self.diff(f, i, j) {
                            s[2 * side] += w * d;
                            s[2 * side + 1] += w;
                        }
                    }
                }
            }
            let part = |sum: f64, known: f64, all: f64| {
                if known <= all * 1e-12 { 0.0 } else { sum / known * all }
            };
            for (estimate, s) in estimates.iter_mut().zip(&sums) {
                let margin = part(s[2], s[3], totals[1]) - part(s[0], s[1], totals[0]);
                *estimate = margin / (t + 1) as f64;
            }
        }
        estimates
    }

    /// gamma times alpha (misses) or beta (hits) of every other row.
    fn probabilities(&self, method: &IRelief, w: &[f64], i: usize) -> Vec<f64> {
        let n = self.table.rows();
        let d: Vec<f64> = (0..n).map(|j| self.weighted_distance(w, method.squared, i, j)).collect();
        let others = |hit: bool| {
            (0..n).filter(move |&j| j != i && (self.classes[j] == self.classes[i]) == hit)
        };
        // Shifted per side by its least distance, and for gamma by the least of all.
        let side = |hit: bool, shift: f64| -> Vec<(usize, f64)> {
            let f = |j: usize| (-(d[j] - shift) / method.sigma).exp();
            others(hit).filter(|&j| d[j].is_finite()).map(|j| (j, f(j))).collect()
        };
        let least = |hit: bool| others(hit).map(|j| d[j]).fold(f64::INFINITY, f64::min);
        let sum = |of: &[(usize, f64)]| of.iter().map(|x| x.1).sum::<f64>();
        let all = least(true).min(least(false));
        let (hits, misses) = (sum(&side(true, all)), sum(&side(false, all)));
        let gamma =
            if method.outliers && misses > 0.0 { 1.0 - misses / (hits + misses) } else { 1.0 };
        let gamma = if method.outliers && hits == 0.0 { 0.0 } else { gamma };
        let mut result = vec![0.0; n];
        for hit in [true, false] {
            let f = side(hit, least(hit));
            for (j, value) in &f {
                result[*j] = gamma * value / sum(&f);
            }
        }
        result
    }

    /// I-RELIEF; weights and number of iterations.
    pub fn irelief(&self, method: &IRelief, order: &[usize]) -> (Vec<f64>, usize) {
        let p = self.table.width();
        let used =
            |f: usize| if self.known(f).is_empty() || self.is_constant(f) { 0.0 } else { 1.0 };
        let count: f64 = (0..p).map(used).sum();
        let mut w: Vec<f64> = (0..p).map(|f| used(f) / count.max(1.0).sqrt()).collect();
        // Per feature: hits, hit weight known, misses, miss weight known; and all weights.
        let mut sums = vec![[0.0; 4]; p];
        let (mut totals, mut seen) = ([0.0; 2], 0.0);
        let apart = |a: &[f64], b: &[f64]| {
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
        };
        // The weights of every iteration, and the margin that gave them.
        let mut course = vec![(w.clone(), 0.0)];
        for iteration in 1..=method.max_iter {
            let before = w.clone();
            if !method.online {
                (sums, totals, seen) = (vec![[0.0; 4]; p], [0.0; 2], 0.0);
            }
            let mut z = vec![0.0; p];
            for &i in order {
                let probabilities = self.probabilities(method, &w, i);
                for (j, &c) in probabilities.iter().enumerate() {
                    let side = if self.classes[i] == self.classes[j] { 0 } else { 2 };
                    totals[side / 2] += c;
                    for (f, s) in sums.iter_mut().enumerate() {
                        if j != i
                            && let Some(d) = self.diff(f, i, j)
                        {
                            s[side] += c * if method.squared { d * d } else { d };
                            s[side + 1] += c;
                        }
                    }
                }
                seen += 1.0;
                let part = |sum: f64, known: f64, all: f64| {
                    if known <= all * 1e-12 { 0.0 } else { sum / known * all }
                };
                let mean = |s: &[f64; 4]| part(s[2], s[3], totals[1]) - part(s[0], s[1], totals[0]);
                z = sums.iter().map(|s| mean(s) / seen).collect();
                if method.online && z.iter().any(|z| *z > 0.0) {
                    w = unit(&z);
                }
            }
            if !method.online {
                w = unit(&z);
            }
            let change = apart(&before, &w);
            let objective: f64 = w.iter().zip(&z).map(|(w, z)| w * z).sum();
            if let [.., (two_ago, _), (one_ago, its_objective)] = course.as_slice()
                && !method.online
                && change >= method.tol
                && apart(two_ago, &w) < method.tol * change
            {
                // The weights go to and fro between two vectors.
                let is_better = *its_objective > objective;
                return (if is_better { one_ago.clone() } else { w }, iteration);
            }
            course.push((w.clone(), objective));
            if change < method.tol
                || iteration == method.max_iter
                || !method.online && w.iter().all(|w| *w == 0.0)
            {
                // Online, the weights stayed where they were while nothing was positive.
                return (unit_or(&z, w), iteration);
            }
        }
        unreachable!("the last iteration returns")
    }

    /// Nearest hit and miss of a row by squared weighted distance, first in `order` where tied.
    pub fn hit_and_miss(&self, w2: &[f64], order: &[usize], i: usize) -> Option<[usize; 2]> {
        let nearest = |hit: bool| {
            let mut best: Option<(f64, usize)> = None;
            for &j in order {
                if j == i || (self.classes[j] == self.classes[i]) != hit {
                    continue;
                }
                let d = self.weighted_distance(w2, true, i, j);
                if best.is_none_or(|(least, _)| d < least - 1e-9 * least.max(1e-300)) {
                    best = Some((d, j));
                }
            }
            best.map(|(_, j)| j)
        };
        Some([nearest(true)?, nearest(false)?])
    }

    /// Simba; weights and mean utility of the best order.
    pub fn simba(&self, method: &Simba, orders: &[Vec<usize>]) -> (Vec<f64>, f64) {
        self.simba_from(method, orders, |_| 1.0)
    }

    /// How often a change of the weights that Simba starts from is in its result.
    pub fn simba_magnification(&self, method: &Simba, orders: &[Vec<usize>]) -> f64 {
        let change = 1e-11;
        let moved = |f: usize| if f.is_multiple_of(2) { 1.0 + change } else { 1.0 - change };
        let (there, _) = self.simba(method, orders);
        let (beside, _) = self.simba_from(method, orders, moved);
        let apart = there.iter().zip(&beside).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max) / change
    }

    /// The same from other weights than 1.
    fn simba_from(
        &self,
        method: &Simba,
        orders: &[Vec<usize>],
        start: impl Fn(usize) -> f64,
    ) -> (Vec<f64>, f64) {
        let p = self.table.width();
        let norm = |w: &[f64], i: usize, j: usize| -> f64 {
            (0..p).map(|f| (w[f] * self.diff(f, i, j).unwrap()).powi(2)).sum::<f64>().sqrt()
        };
        let sigmoid = |beta: f64, t: f64| 1.0 / (1.0 + (-beta * t).exp());
        let u = |t: f64| match method.utility {
            Utility::Linear => t,
            Utility::Sigmoid { beta } => sigmoid(beta, t),
        };
        let slope = |t: f64| match method.utility {
            Utility::Linear => 1.0,
            Utility::Sigmoid { beta } => beta * sigmoid(beta, t) * sigmoid(beta, -t),
        };
        let mut best = (Vec::new(), f64::NEG_INFINITY);
        for order in orders {
            let mut w: Vec<f64> = (0..p).map(&start).collect();
            for f in 0..p {
                if self.known(f).is_empty() || self.is_constant(f) {
                    w[f] = 0.0;
                }
            }
            let squares = |w: &[f64]| w.iter().map(|w| w * w).collect::<Vec<_>>();
            for step in 0..method.steps.unwrap_or(order.len()) {
                let i = order[step % order.len()];
                let Some([hit, miss]) = self.hit_and_miss(&squares(&w), order, i) else { continue };
                let (h, m) = (norm(&w, i, hit), norm(&w, i, miss));
                let scale = 0.5 * slope(0.5 * (m - h));
                for (f, w) in w.iter_mut().enumerate() {
                    let part = |j: usize, norm: f64| {
                        if norm > 0.0 { self.diff(f, i, j).unwrap().powi(2) / norm } else { 0.0 }
                    };
                    *w += scale * (part(miss, m) - part(hit, h)) * *w;
                }
            }
            let largest = w.iter().map(|w| w * w).fold(0.0, f64::max);
            let weights: Vec<f64> =
                w.iter().map(|w| if largest > 0.0 { w * w / largest } else { 0.0 }).collect();
            let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
            let margins: Vec<f64> = order
                .iter()
                .filter_map(|&i| {
                    let [hit, miss] = self.hit_and_miss(&weights, order, i)?;
                    Some(u(0.5 * (norm(&roots, i, miss) - norm(&roots, i, hit))))
                })
                .collect();
            let mean = margins.iter().sum::<f64>() / (margins.len() as f64).max(1.0);
            if mean > best.1 + 1e-13 {
                best = (weights, mean);
            }
        }
        best
    }

    /// Mean of `||w o h||^2 + C [1 + ||w o h||^2 - ||w o m||^2]_+` and its gradient in `w`.
    fn lmba_objective(&self, c: f64, w: &[f64]) -> (f64, Vec<f64>) {
        let (n, p) = (self.table.rows(), w.len());
        let w2: Vec<f64> = w.iter().map(|w| w * w).collect();
        let (mut value, mut gradient) = (0.0, vec![0.0; p]);
        for i in 0..n {
            let d: Vec<f64> = (0..n).map(|j| self.weighted_distance(&w2, true, i, j)).collect();
            let mean = |hit: bool| -> Option<Vec<f64>> {
                let side = |j: &usize| *j != i && (self.classes[*j] == self.classes[i]) == hit;
                let least = (0..n).filter(side).map(|j| d[j]).fold(f64::INFINITY, f64::min);
                let tied: Vec<usize> =
                    (0..n).filter(side).filter(|&j| d[j] <= least * (1.0 + 1e-9)).collect();
                let square = |f: usize, j: usize| self.diff(f, i, j).unwrap().powi(2);
                let count = tied.len() as f64;
                (count > 0.0).then(|| {
                    (0..p)
                        .map(|f| tied.iter().map(|&j| square(f, j)).sum::<f64>() / count)
                        .collect()
                })
            };
            let (Some(h), Some(m)) = (mean(true), mean(false)) else { continue };
            let dot = |x: &[f64]| x.iter().zip(&w2).map(|(x, w)| x * w).sum::<f64>();
            let hinge = 1.0 + dot(&h) - dot(&m);
            value += dot(&h) + c * hinge.max(0.0);
            for f in 0..p {
                let push = if hinge > 0.0 { c * (h[f] - m[f]) } else { 0.0 };
                gradient[f] += 2.0 * w[f] * (h[f] + push) / n as f64;
            }
        }
        (value / n as f64, gradient)
    }

    /// Lmba by gradient descent with halved and doubled steps; weights and objective.
    pub fn lmba(&self, c: f64, max_iter: usize) -> (Vec<f64>, f64) {
        let p = self.table.width();
        let mut w: Vec<f64> = (0..p)
            .map(|f| if self.known(f).is_empty() || self.is_constant(f) { 0.0 } else { 1.0 })
            .collect();
        let (mut value, mut gradient) = self.lmba_objective(c, &w);
        let mut step = None;
        'iterations: for _ in 0..max_iter {
            let norm: f64 = gradient.iter().map(|g| g * g).sum();
            if norm == 0.0 {
                break;
            }
            // All weights are 1 at first: the slope in w^2 is half the gradient.
            let steepest = gradient.iter().fold(0.0, |most, g| f64::max(most, g.abs() / 2.0));
            let mut length = step.unwrap_or(0.25 / steepest);
            for halving in 0.. {
                if halving == 40 {
                    break 'iterations;
                }
                let next: Vec<f64> = w.iter().zip(&gradient).map(|(w, g)| w - length * g).collect();
                let (there, slope) = self.lmba_objective(c, &next);
                if there <= value - 1e-4 * length * norm {
                    let still = unchanged(&w, &next);
                    (w, value, gradient, step) = (next, there, slope, Some(2.0 * length));
                    if still {
                        break 'iterations;
                    }
                    break;
                }
                length *= 0.5;
            }
        }
        (scaled(&w), value)
    }
}

/// `w^2 / max(w^2)`.
fn scaled(w: &[f64]) -> Vec<f64> {
    let largest = w.iter().map(|w| w * w).fold(0.0, f64::max);
    w.iter().map(|w| if largest > 0.0 { w * w / largest } else { 0.0 }).collect()
}

/// Only the length changes, as with a single feature.
fn unchanged(before: &[f64], after: &[f64]) -> bool {
    scaled(before).iter().zip(scaled(after)).all(|(a, b)| (a - b).abs() < 1e-15)
}

fn unit_or(z: &[f64], w: Vec<f64>) -> Vec<f64> {
    if z.iter().any(|z| *z > 0.0) { w } else { unit(z) }
}

fn unit(z: &[f64]) -> Vec<f64> {
    let norm = z.iter().map(|z| z.max(0.0).powi(2)).sum::<f64>().sqrt();
    z.iter().map(|z| if norm > 0.0 { z.max(0.0) / norm } else { 0.0 }).collect()
}
