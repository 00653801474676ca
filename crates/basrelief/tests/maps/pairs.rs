//! Metrics from pairs of rows: the conditions of their optima, which are unique.

use super::common::*;
use basrelief::data::DenseMatrix;
use basrelief::maps::Map;

/// All pairs, with 1 for rows of one class and -1 for others.
fn all_pairs(codes: &[u32]) -> Vec<(usize, usize, f64)> {
    let pairs = (0..codes.len()).flat_map(|i| (i + 1..codes.len()).map(move |j| (i, j)));
    pairs.map(|(i, j)| (i, j, if codes[i] == codes[j] { 1.0 } else { -1.0 })).collect()
}

fn identity_apart(a: &DenseMatrix, b: &DenseMatrix) -> f64 {
    let product = product(a, b);
    let entry = |k: usize| {
        let (i, j) = (k / a.rows(), k % a.rows());
        (product.row(i)[j] - f64::from(u8::from(i == j))).abs()
    };
    (0..a.rows() * a.rows()).map(entry).fold(0.0, f64::max)
}

#[test]
fn itml_keeps_the_bounds_of_all_pairs_up_to_their_price() {
    let (values, codes) = data(30, 4, 2, 50);
    for gamma in ["0.2", "1", "30"] {
        let options = [
            ("gamma", gamma),
            ("bounds", "0.8:6"),
            ("n_constraints", "all"),
            ("tol", "1e-11"),
            ("max_iter", "3000"),
        ];
        let (map, report) = fit("itml", &options, &values, &codes);
        assert_eq!(report.converged, Some(true));
        let metric = map.mahalanobis_matrix();
        let gamma: f64 = gamma.parse().unwrap();
        // The inverse of the metric is the identity and the pairs whose bound binds, each with its
        // multiplier, which is the price of the slack.
        let mut inverse = DenseMatrix::identity(4);
        let mut divergence = 0.0;
        let mut binding = 0;
        for (i, j, sign) in all_pairs(&codes) {
            let apart = minus(values.row(i), values.row(j));
            let distance = map.distance(values.row(i), values.row(j)).powi(2);
            let bound = if sign > 0.0 { 0.8 } else { 6.0 };
            if sign * (distance - bound) > 0.0 {
                binding += 1;
                divergence += gamma * (distance / bound - (distance / bound).ln() - 1.0);
                let multiplier = gamma * sign * (1.0 / bound - 1.0 / distance);
                add_outer(&mut inverse, sign * multiplier, &apart);
            }
        }
        assert!(binding > 50, "{binding}");
        // A gap g leaves about the root of 2 g.
        let apart = identity_apart(&inverse, &metric);
        assert!(apart < 1e-3, "gamma {gamma}: {apart}");
        let (lengths, _) = eigen(&metric);
        divergence += lengths.iter().map(|length| length - length.ln() - 1.0).sum::<f64>();
        let objective = report.objective.unwrap();
        assert!((objective - divergence).abs() < 1e-7 * divergence, "{objective} {divergence}");
    }
}

#[test]
fn sdml_leaves_entries_out_up_to_their_price() {
    let (mut values, codes) = data(40, 5, 2, 51);
    for row in 0..40 {
        let line = values.row_mut(row);
        line[1] += 0.9 * line[0];
        line[4] *= 0.2;
    }
    let means = values.means();
    let mut zeros = Vec::new();
    for sparsity in [0.002, 0.02, 5.0] {
        let text = sparsity.to_string();
        let options = [
            ("balance", "0.6"),
            ("prior", "covariance"),
            ("sparsity", &text),
            ("n_constraints", "all"),
            ("tol", "1e-11"),
            ("max_iter", "100000"),
        ];
        let (map, report) = fit("sdml", &options, &values, &codes);
        assert_eq!(report.converged, Some(true));
        let mut loss = DenseMatrix::zeros(5, 5);
        values.iter().for_each(|row| add_outer(&mut loss, 1.0 / 40.0, &minus(row, &means)));
        let pairs = all_pairs(&codes);
        for &(i, j, sign) in &pairs {
            let apart = minus(values.row(i), values.row(j));
            add_outer(&mut loss, 0.6 * sign / pairs.len() as f64, &apart);
        }
        let metric = map.mahalanobis_matrix();
        // The inverse of the metric is the loss, and beside it the price of what is there.
        let (lengths, vectors) = eigen(&metric);
        let inverse = |i: usize, j: usize| {
            (0..5).map(|k| vectors.row(k)[i] * vectors.row(k)[j] / lengths[k]).sum::<f64>()
        };
        let mut none = 0;
        let greatest = metric.values().iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        for i in 0..5 {
            for j in 0..5 {
                let (entry, apart) = (metric.row(i)[j], inverse(i, j) - loss.row(i)[j]);
                let is_zero = entry.abs() < 1e-9 * greatest;
                none += usize::from(is_zero);
                let fits = match (i == j, is_zero) {
                    (true, _) => apart.abs() < 1e-5,
                    (false, true) => apart.abs() < sparsity + 1e-5,
                    (false, false) => (apart - sparsity * entry.signum()).abs() < 1e-5,
                };
                assert!(fits, "{sparsity}, {i} {j}: {entry} {apart}");
            }
        }
        zeros.push(none);
    }
    assert!(zeros[0] < zeros[1] && zeros[1] <= zeros[2] && zeros[2] == 20, "{zeros:?}");
}

/// Pairs that are given are as those that the classes give.
#[test]
fn given_pairs_are_learned_from() {
    use basrelief::methods::{MAP_METHODS, RowPair};
    let (values, codes) = data(30, 3, 2, 53);
    let run = basrelief::Run::new(Some(1)).unwrap();
    let pairs: Vec<RowPair> = all_pairs(&codes)
        .into_iter()
        .map(|(i, j, sign)| RowPair { rows: (i as u32, j as u32), alike: sign > 0.0 })
        .collect();
    for info in MAP_METHODS {
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let found = info.fit_pairs(&table(&values), pairs.clone(), &settings, &run);
        if !info.takes_pairs() {
            let said = found.unwrap_err().to_string();
            assert!(said.contains("does not learn from pairs"), "{}: {said}", info.name);
            continue;
        }
        let all = try_fit(info.name, &[("n_constraints", "all")], &values, &codes, 1).unwrap();
        let apart = |a: &DenseMatrix, b: &DenseMatrix| {
            a.values().iter().zip(b.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (found, all) =
            (distances(&found.unwrap().model, &values), distances(&all.model, &values));
        assert!(apart(&found, &all) < 1e-3, "{}", info.name);
        for (rows, words) in [((4, 4), "two different rows"), ((0, 30), "the table has 30 rows")] {
            let wrong = vec![RowPair { rows, alike: true }];
            let error = info.fit_pairs(&table(&values), wrong, &settings, &run).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
        let none = info.fit_pairs(&table(&values), Vec::new(), &settings, &run).unwrap_err();
        assert!(none.to_string().contains("no pairs of rows"), "{none}");
    }
    let learners = MAP_METHODS.iter().filter(|info| info.takes_pairs()).map(|info| info.name);
    assert_eq!(learners.collect::<Vec<_>>(), ["itml", "sdml", "mmc"]);
}

#[test]
fn pairs_come_by_the_seed() {
    let (values, codes) = data(60, 3, 2, 52);
    for name in ["itml", "sdml"] {
        let info = basrelief::methods::MAP_METHODS.iter().find(|info| info.name == name).unwrap();
        let fitted = |seed: u64, count: &str| {
            let settings = info.settings(&[("n_constraints", count)]).unwrap();
            let run = basrelief::Run::new(Some(1)).unwrap().with_seed(seed);
            info.fit(&table(&values), Some(&target(&codes)), &settings, &run).unwrap().model
        };
        assert_eq!(fitted(1, "20"), fitted(1, "20"), "{name}");
        assert_ne!(fitted(1, "20"), fitted(2, "20"), "{name}");
        assert_eq!(fitted(1, "all"), fitted(2, "all"), "{name}");
        for prior in ["identity", "covariance"] {
            let (map, report) = fit(name, &[("prior", prior)], &values, &codes);
            assert_eq!(report.converged, Some(true), "{name} {prior}");
            assert!(map.eigenvalues().is_sorted_by(|a, b| a >= b), "{:?}", map.eigenvalues());
        }
    }
}

/// Every row with its three nearest rows of its class, and each of these with its three nearest rows of others.
fn triplets(values: &DenseMatrix, codes: &[u32]) -> Vec<[usize; 3]> {
    let near = |row: usize, alike: bool| {
        nearest(values, row, |other| (codes[other] == codes[row]) == alike).into_iter().take(3)
    };
    let of_row = |row: usize| {
        near(row, true).flat_map(move |hit| near(row, false).map(move |miss| [row, hit, miss]))
    };
    (0..codes.len()).flat_map(of_row).collect()
}

/// The margin of the second row nearer to the first than the third is, for a matrix that need be no metric.
fn margin(metric: &DenseMatrix, values: &DenseMatrix, [row, hit, miss]: [usize; 3]) -> f64 {
    let length = |other: usize| {
        let apart = minus(values.row(row), values.row(other));
        let image = (0..apart.len())
            .map(|i| apart[i] * metric.row(i).iter().zip(&apart).map(|(m, d)| m * d).sum::<f64>());
        image.sum::<f64>()
    };
    length(miss) - length(hit)
}

/// The matrix without its negative eigenvalues.
fn positive(matrix: &DenseMatrix) -> DenseMatrix {
    let (lengths, vectors) = eigen(matrix);
    let mut sum = DenseMatrix::zeros(matrix.rows(), matrix.rows());
    for (k, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0.0) {
        add_outer(&mut sum, *length, vectors.row(k));
    }
    sum
}

/// The mean hinge and the price of the norm, by the definition.
fn frobmetric_objective(
    metric: &DenseMatrix,
    values: &DenseMatrix,
    triplets: &[[usize; 3]],
    regularization: f64,
) -> f64 {
    let count = triplets.len() as f64;
    let mut unit = 0.0;
    for &[row, hit, miss] in triplets {
        let mut matrix = DenseMatrix::zeros(values.columns(), values.columns());
        add_outer(&mut matrix, 1.0, &minus(values.row(row), values.row(miss)));
        add_outer(&mut matrix, -1.0, &minus(values.row(row), values.row(hit)));
        unit += matrix.values().iter().map(|entry| entry * entry).sum::<f64>() / count;
    }
    let hinge = |&triplet: &[usize; 3]| (1.0 - margin(metric, values, triplet)).max(0.0);
    let norm: f64 = metric.values().iter().map(|entry| entry * entry).sum();
    triplets.iter().map(hinge).sum::<f64>() / count + regularization * unit / 2.0 * norm
}

/// The problem is convex: a matrix from which no step leads down is the solution, and its objective the one reported.
#[test]
fn frobmetric_cannot_be_bettered() {
    for (regularization, seed) in [(0.003, 60), (0.03, 61), (0.5, 62)] {
        let (mut values, codes) = data(36, 4, 3, seed);
        // Other units of all features change nothing but the metric's.
        values.values_mut().iter_mut().for_each(|value| *value *= 20.0);
        let price = regularization.to_string();
        let options = [("regularization", price.as_str()), ("tol", "1e-9"), ("max_iter", "100000")];
        let (map, report) = fit("frobmetric", &options, &values, &codes);
        assert_eq!(report.converged, Some(true), "{report:?}");
        let triplets = triplets(&values, &codes);
        let objective =
            |metric: &DenseMatrix| frobmetric_objective(metric, &values, &triplets, regularization);
        let metric = map.mahalanobis_matrix();
        let least = objective(&metric);
        assert!((least - report.objective.unwrap()).abs() < 1e-10 * least);
        let greatest = metric.values().iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        let mut numbers = Numbers::new(seed);
        for step in [1e-1, 1e-2, 1e-3, 1e-4] {
            for _ in 0..60 {
                let mut moved = metric.clone();
                for i in 0..4 {
                    for j in 0..=i {
                        let change = step * greatest * numbers.next();
                        moved.row_mut(i)[j] += change;
                        if i != j {
                            moved.row_mut(j)[i] += change;
                        }
                    }
                }
                assert!(objective(&positive(&moved)) >= least * (1.0 - 2e-9), "{step}");
            }
        }
        // Towards what the mean comparison asks for, and away from it.
        for share in [0.9, 0.99, 0.999, 1.001, 1.01, 1.1] {
            let mut scaled = metric.clone();
            scaled.values_mut().iter_mut().for_each(|entry| *entry *= share);
            assert!(objective(&scaled) >= least * (1.0 - 2e-9), "{share}");
        }
    }
}

/// Comparisons that are given are as those that the classes give.
#[test]
fn given_comparisons_are_learned_from() {
    use basrelief::methods::{MAP_METHODS, RowComparison};
    let (values, codes) = data(30, 3, 2, 63);
    let run = basrelief::Run::new(Some(1)).unwrap();
    let comparisons: Vec<RowComparison> = triplets(&values, &codes)
        .iter()
        .map(|rows| rows.map(|row| row as u32))
        .map(|[row, hit, miss]| RowComparison::of_triplet(row, hit, miss))
        .collect();
    for info in MAP_METHODS {
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let found = info.fit_comparisons(&table(&values), comparisons.clone(), &settings, &run);
        if !info.takes_comparisons() {
            let said = found.unwrap_err().to_string();
            assert!(said.contains("does not learn from comparisons"), "{}: {said}", info.name);
            continue;
        }
        let all = try_fit(info.name, &[], &values, &codes, 1).unwrap();
        let (found, all) =
            (distances(&found.unwrap().model, &values), distances(&all.model, &values));
        let apart = found.values().iter().zip(all.values()).map(|(a, b)| (a - b).abs());
        // Of classes, lsml compares pairs that it draws; scml draws from comparisons in their order.
        assert!(
            ["lsml", "scml"].contains(&info.name) || apart.fold(0.0, f64::max) < 1e-6,
            "{}",
            info.name
        );
        let wrong = [
            (RowComparison::of_triplet(4, 5, 4), "the last two must differ"),
            (RowComparison::of_triplet(4, 30, 6), "the table has 30 rows"),
        ];
        for (comparison, words) in wrong {
            let error = info.fit_comparisons(&table(&values), vec![comparison], &settings, &run);
            let said = error.unwrap_err().to_string();
            assert!(said.contains(words), "{said}");
        }
        let none = info.fit_comparisons(&table(&values), Vec::new(), &settings, &run).unwrap_err();
        assert!(none.to_string().contains("no comparisons"), "{none}");
    }
    let learners = MAP_METHODS.iter().filter(|info| info.takes_comparisons()).map(|info| info.name);
    assert_eq!(learners.collect::<Vec<_>>(), ["frobmetric", "lsml", "scml"]);
}

/// The inverse of the metric is the identity and the gradient of the loss, by the definition.
#[test]
fn lsml_is_where_the_prior_and_the_comparisons_balance() {
    use basrelief::methods::{Lesson, RowComparison};
    let (values, codes) = data(36, 4, 2, 64);
    let triplets = triplets(&values, &codes);
    let comparisons: Vec<RowComparison> = triplets
        .iter()
        .map(|rows| RowComparison::of_triplet(rows[0] as u32, rows[1] as u32, rows[2] as u32))
        .collect();
    let weights: Vec<f64> = (0..comparisons.len()).map(|t| 1.0 + (t % 3) as f64).collect();
    let info = basrelief::methods::map_method("lsml").unwrap();
    let settings = info.settings(&[("tol", "1e-12"), ("max_iter", "5000")]).unwrap();
    let lesson = Lesson::WeightedComparisons(comparisons.clone(), weights.clone());
    let found = info.fit_from(&table(&values), lesson, None, &settings, &run(1)).unwrap();
    assert_eq!(found.report.converged, Some(true));
    let Map::Linear(map) = found.model else { panic!("a linear map") };
    let metric = map.mahalanobis_matrix();
    let total: f64 = weights.iter().sum();
    let mut inverse = DenseMatrix::identity(4);
    let mut loss = 0.0;
    let mut violated = 0;
    for (&[row, hit, miss], weight) in triplets.iter().zip(&weights) {
        let near = map.distance(values.row(row), values.row(hit));
        let far = map.distance(values.row(row), values.row(miss));
        if near > far {
            violated += 1;
            let weight = weight / total;
            loss += weight * (near - far).powi(2);
            let apart = minus(values.row(row), values.row(hit));
            add_outer(&mut inverse, weight * (1.0 - far / near), &apart);
            let apart = minus(values.row(row), values.row(miss));
            add_outer(&mut inverse, weight * (1.0 - near / far), &apart);
        }
    }
    assert!(violated > 20, "{violated}");
    assert!(identity_apart(&inverse, &metric) < 1e-4);
    let (lengths, _) = eigen(&metric);
    let objective = loss + lengths.iter().map(|length| length - length.ln() - 1.0).sum::<f64>();
    assert!((objective - found.report.objective.unwrap()).abs() < 1e-9 * objective);
    let lesson = Lesson::WeightedComparisons(comparisons.clone(), vec![-1.0; comparisons.len()]);
    let error = info.fit_from(&table(&values), lesson, None, &settings, &run(1)).unwrap_err();
    assert!(error.to_string().contains("one finite weight above 0"), "{error}");
    let info = basrelief::methods::map_method("frobmetric").unwrap();
    let settings = info.settings::<&str, &str>(&[]).unwrap();
    let lesson = Lesson::WeightedComparisons(comparisons, weights);
    let error = info.fit_from(&table(&values), lesson, None, &settings, &run(1)).unwrap_err();
    assert!(error.to_string().contains("no weights of comparisons"), "{error}");
}

/// No other metric with the same mean squared distance of near pairs has farther far pairs.
#[test]
fn mmc_cannot_be_bettered() {
    for entries in ["all", "diagonal"] {
        let (values, codes) = data(36, 4, 3, 65);
        let options = [("entries", entries), ("n_constraints", "all"), ("tol", "1e-7")];
        let (map, report) = fit("mmc", &options, &values, &codes);
        assert_eq!(report.converged, Some(true), "{report:?}");
        let pairs = all_pairs(&codes);
        // The mean distance of far pairs, if the mean squared distance of near pairs is 1.
        let objective = |metric: &DenseMatrix| {
            let mean = |sign: f64, of: &dyn Fn(f64) -> f64| {
                let own = pairs.iter().filter(|pair| pair.2 == sign);
                let squares = own.map(|&(i, j, _)| {
                    let apart = minus(values.row(i), values.row(j));
                    (0..4)
                        .map(|k| {
                            apart[k]
                                * metric.row(k).iter().zip(&apart).map(|(m, d)| m * d).sum::<f64>()
                        })
                        .sum::<f64>()
                });
                let found: Vec<f64> = squares.map(of).collect();
                found.iter().sum::<f64>() / found.len() as f64
            };
            mean(-1.0, &|square| square.max(0.0).sqrt()) / mean(1.0, &|square| square).sqrt()
        };
        let metric = map.mahalanobis_matrix();
        let most = objective(&metric);
        assert!((most - report.objective.unwrap()).abs() < 1e-9 * most, "{most} {report:?}");
        let near = pairs.iter().filter(|pair| pair.2 > 0.0);
        let squares: Vec<f64> =
            near.map(|&(i, j, _)| map.distance(values.row(i), values.row(j)).powi(2)).collect();
        let mean = squares.iter().sum::<f64>() / squares.len() as f64;
        assert!((mean - 1.0).abs() < 1e-9, "{mean}");
        let greatest = metric.values().iter().fold(0.0_f64, |most, entry| most.max(entry.abs()));
        let mut numbers = Numbers::new(66);
        for step in [1.0, 1e-1, 1e-2, 1e-3] {
            for _ in 0..60 {
                let mut moved = metric.clone();
                for i in 0..4 {
                    for j in 0..=i {
                        let change = step * greatest * numbers.next();
                        if i == j || entries == "all" {
                            moved.row_mut(i)[j] += change;
                        }
                        if i != j && entries == "all" {
                            moved.row_mut(j)[i] += change;
                        }
                    }
                }
                assert!(objective(&positive(&moved)) <= most * (1.0 + 2e-7), "{entries} {step}");
            }
        }
    }
}

/// With the features as directions, no other weights of the features have a smaller objective.
#[test]
fn scml_cannot_be_bettered() {
    use basrelief::methods::{Lesson, RowComparison};
    let (values, codes) = data(40, 5, 3, 67);
    let triplets = triplets(&values, &codes);
    let comparisons: Vec<RowComparison> = triplets
        .iter()
        .map(|rows| RowComparison::of_triplet(rows[0] as u32, rows[1] as u32, rows[2] as u32))
        .collect();
    let info = basrelief::methods::map_method("scml").unwrap();
    for penalty in [0.0, 0.02, 0.2] {
        let text = penalty.to_string();
        let settings = info.settings(&[("regularization", text.as_str())]).unwrap();
        let start = Some(DenseMatrix::identity(5));
        let lesson = Lesson::Comparisons(comparisons.clone());
        let found = info.fit_from(&table(&values), lesson, start, &settings, &run(1)).unwrap();
        assert_eq!(found.report.converged, Some(true));
        let Map::Linear(map) = found.model else { panic!("a linear map") };
        let metric = map.mahalanobis_matrix();
        let objective = |metric: &DenseMatrix| {
            let hinge = |&rows: &[usize; 3]| (1.0 - margin(metric, &values, rows)).max(0.0);
            let trace: f64 = (0..5).map(|k| metric.row(k)[k]).sum();
            triplets.iter().map(hinge).sum::<f64>() / triplets.len() as f64 + penalty * trace
        };
        let least = objective(&metric);
        assert!((least - found.report.objective.unwrap()).abs() < 1e-8 * least);
        assert!((0..5).any(|k| metric.row(k)[k] == 0.0) || penalty < 0.2, "{metric:?}");
        let greatest = (0..5).map(|k| metric.row(k)[k]).fold(0.0, f64::max);
        let mut numbers = Numbers::new(68);
        for step in [1.0, 1e-1, 1e-2, 1e-3] {
            for _ in 0..60 {
                let mut moved = metric.clone();
                for k in 0..5 {
                    let entry = &mut moved.row_mut(k)[k];
                    *entry = (*entry + step * greatest * numbers.next()).max(0.0);
                }
                assert!(objective(&moved) >= least * (1.0 - 1e-8), "{penalty} {step}");
            }
        }
    }
}

/// Given metrics are priors: those of the options among them.
#[test]
fn a_prior_can_be_given() {
    use basrelief::methods::Lesson;
    let (values, codes) = data(30, 3, 2, 69);
    // Symmetric.
    let prior = DenseMatrix::new(vec![1.7, 0.1, 0.2, 0.1, 0.9, 0.4, 0.2, 0.4, 1.3], 3, 3);
    let moved = product(&values, &prior);
    for name in ["itml", "sdml", "lsml"] {
        let info = basrelief::methods::map_method(name).unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let fitted = |values: &DenseMatrix, start: Option<DenseMatrix>| {
            let (target, run) = (target(&codes), run(1));
            info.fit_from(&table(values), Lesson::Target(Some(&target)), start, &settings, &run)
        };
        let plain = fitted(&values, None).unwrap().model;
        let same = fitted(&values, Some(DenseMatrix::identity(3))).unwrap().model;
        assert_near(&distances(&same, &values), &distances(&plain, &values), 1e-5);
        let given = fitted(&values, Some(prior.clone())).unwrap().model;
        if name != "sdml" {
            // The metric of the mapped rows that is close to the identity.
            let expected = fitted(&moved, None).unwrap().model;
            assert_near(&distances(&given, &values), &distances(&expected, &moved), 1e-3);
        }
        let error = fitted(&values, Some(DenseMatrix::identity(2))).unwrap_err().to_string();
        assert!(error.contains("the matrix has 2 columns, but there are 3 features"), "{error}");
    }
    let error = {
        let info = basrelief::methods::map_method("pca").unwrap();
        let settings = info.settings::<&str, &str>(&[]).unwrap();
        let start = Some(DenseMatrix::identity(3));
        info.fit_from(&table(&values), Lesson::Target(None), start, &settings, &run(1)).unwrap_err()
    };
    assert!(error.to_string().contains("pca accepts no matrix"), "{error}");
}
