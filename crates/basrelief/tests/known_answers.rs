//! Small examples computed by hand.

mod common;

use basrelief::data::{Categories, Column, Table, Target};
use basrelief::methods::{
    Compat, DReliefF, IRelief, Lmba, NearestSettings, PDReliefF, Problem, RReliefF, Relief,
    ReliefE, ReliefF, ReliefMargin, Simba, Surf, Utility, method,
};
use basrelief::neighbors::{MissingPolicy, NeighborWeights, Ramp, SpaceOptions, Ties};
use common::{classes, has_warning, largest_difference, numeric, run};

fn assert_weights(found: &[f64], expected: &[f64]) {
    assert!(largest_difference(found, expected) < 1e-14, "{found:?} instead of {expected:?}");
}

#[test]
fn relief_on_four_rows() {
    // Scaled rows (0,0) (1/4,1) of class 0 and (3/4,1) (1,0) of class 1. Nearest misses: 0-3 at
    // distance 1 and 1-2 at 1/2. The first feature gains 1 - 1/4 for rows 0 and 3 and 1/2 - 1/4
    // for rows 1 and 2; the second loses 1 at every row.
    let table =
        Table::new(vec![numeric("x", &[0.0, 1.0, 3.0, 4.0]), numeric("y", &[0.0, 2.0, 2.0, 0.0])])
            .unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let fitted = Relief::default().fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[0.5, -1.0]);
    assert!(fitted.report.warnings.is_empty(), "{:?}", fitted.report.warnings);
}

/// One feature 0, 1, 2, 6, 10 (range 10), classes a a b b c.
fn three_classes() -> (Table<'static>, Target) {
    let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0, 6.0, 10.0])]).unwrap();
    (table, classes(&[0, 0, 1, 1, 2]))
}

#[test]
fn relieff_weighs_misses_by_the_classes_shares() {
    // P(a) = P(b) = 2/5, P(c) = 1/5; k = 1. Row by row, hit and weighted misses:
    // -0.1 + 2/3 0.2 + 1/3 1.0 = 11/30;  -0.1 + 2/3 0.1 + 1/3 0.9 = 8/30;
    // -0.4 + 2/3 0.1 + 1/3 0.8 = -2/30;  -0.4 + 2/3 0.5 + 1/3 0.4 = 2/30;
    // the lone row of c: 1/2 0.9 + 1/2 0.4 = 19.5/30. Their mean is 77/300.
    let (table, target) = three_classes();
    let problem = Problem::new(&table, &target).unwrap();
    let nearest = NearestSettings { n_neighbors: 1, ..NearestSettings::default() };
    let fitted = ReliefF { nearest }.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[77.0 / 300.0]);
    assert!(has_warning(&fitted.report.warnings, "lone-rows"));
}

#[test]
fn relief_e_takes_the_nearest_miss_of_any_class() {
    // Misses less hits: 0.2 - 0.1, 0.1 - 0.1, 0.1 - 0.4, 0.4 - 0.4, 0.4: mean 0.04.
    let (table, target) = three_classes();
    let problem = Problem::new(&table, &target).unwrap();
    let fitted = ReliefE::default().fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[0.04]);
    let margin = ReliefMargin::default().fit(&problem, &run(1)).unwrap();
    assert_weights(margin.map.weights(), &[1.0]);
}

#[test]
fn rrelieff_on_three_rows() {
    // x = 0, 1, 2 and y = 0, 1, 4 with both other rows as neighbours: N_dC = 2, N_dA = 2,
    // N_dCdA = 1.5, so that W = 1.5/2 - 0.5/1.
    let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0])]).unwrap();
    let target = Target::real(vec![0.0, 1.0, 4.0]).unwrap();
    let problem = Problem::new(&table, &target).unwrap();
    let nearest = NearestSettings {
        n_neighbors: 2,
        neighbor_weights: NeighborWeights::Uniform,
        ..NearestSettings::default()
    };
    let fitted = RReliefF { nearest }.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[0.25]);
}

#[test]
fn rrelieff_shares_ties() {
    // With one neighbour the middle row's two are tied: N_dC = N_dA = 1.5, N_dCdA = 0.75.
    let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0])]).unwrap();
    let target = Target::real(vec![0.0, 1.0, 4.0]).unwrap();
    let problem = Problem::new(&table, &target).unwrap();
    let nearest = NearestSettings { n_neighbors: 1, ..NearestSettings::default() };
    let fitted = RReliefF { nearest }.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[0.0]);
}

#[test]
fn a_missing_category_differs_by_its_class() {
    // Class 0: red, red, blue, missing; class 1: blue, green, blue. For the row that misses the
    // colour, P(red) = 2/3 and P(blue) = 1/3 in its class.
    let colours =
        [Some("red"), Some("red"), Some("blue"), None, Some("blue"), Some("green"), Some("blue")];
    let table = Table::new(vec![
        Column::categorical("colour", Categories::from_texts(colours)),
        numeric("place", &[0.0, 10.0, 20.0, 1.0, 2.0, 30.0, 40.0]),
    ])
    .unwrap();
    let target = classes(&[0, 0, 0, 0, 1, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    // Nearest hit and nearest miss of every row, at distance colour + place / 40:
    // row 0: 1 (0 + 10), 4 (1 + 2)         row 4: 6 (0 + 38),  2 (0 + 18)
    // row 1: 0 (0 + 10), 4 (1 + 8)         row 5: 6 (1 + 10),  2 (1 + 10)
    // row 2: 3 (2/3 + 19), 4 (0 + 18)      row 6: 4 (0 + 38),  2 (0 + 20)
    // row 3: 0 (1/3 + 1), 4 (2/3 + 1)
    let hits = (2.0 / 3.0 + 1.0 / 3.0 + 1.0, 10.0 + 10.0 + 19.0 + 1.0 + 38.0 + 10.0 + 38.0);
    let misses = (1.0 + 1.0 + 2.0 / 3.0 + 1.0, 2.0 + 8.0 + 18.0 + 1.0 + 18.0 + 10.0 + 20.0);
    let colour = misses.0 - hits.0;
    let place = misses.1 - hits.1;
    let fitted = Relief::default().fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[colour / 7.0, place / 40.0 / 7.0]);
}

#[test]
fn ignored_gaps_scale_the_sums_and_the_distances() {
    // The second row of class 0 does not know x: its distances are those of y times 2.
    let table = Table::new(vec![
        numeric("x", &[0.0, f64::NAN, 1.0, 0.5]),
        numeric("y", &[0.0, 1.0, 0.25, 0.75]),
    ])
    .unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let space = SpaceOptions { missing: MissingPolicy::Ignore, ..SpaceOptions::default() };
    let nearest = NearestSettings { n_neighbors: 1, space, ..NearestSettings::default() };
    // Hits are 0-1 and 2-3. Misses: row 0 has 2 at 1.25 and 3 at 1.25: shared; row 1 has 3 (0.25
    // doubled); row 2 has 0 at 1.25 and 1 at 1.5: 0; row 3 has 1 at 0.5, 0 at 1.25: 1.
    // x: hits 0.5 + 0.5 of two known in four; misses (1 + 0.5)/2 + 1 of two known in four.
    let x = (0.75 + 1.0) / 2.0 - (0.5 + 0.5) / 2.0;
    let y = (0.5 + 0.25 + 0.25 + 0.25) / 4.0 - (1.0 + 1.0 + 0.5 + 0.5) / 4.0;
    let fitted = ReliefF { nearest }.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[x, y]);
}

#[test]
fn a_ramp_flattens_small_differences() {
    let table = Table::new(vec![numeric("x", &[0.0, 0.1, 0.6, 1.0])]).unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let space = SpaceOptions { ramp: Ramp::new(0.1, 0.5), ..SpaceOptions::default() };
    let nearest = NearestSettings { n_neighbors: 1, space, ..NearestSettings::default() };
    // Ramped: 0-1 is 0, 2-3 is 0.75, all misses 1.
    let fitted = ReliefF { nearest }.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[(2.0 - 1.5) / 4.0 + 2.0 / 4.0]);
}

#[test]
fn double_relieff_forgets_what_does_not_help() {
    // The first feature tells the classes apart (0 and 1 at every miss, 0 at every hit), the
    // second does not; k = 1. With both features alike, and at the first row in any order, hits
    // are 0-1 and 2-3, and a row's miss is the one nearest in the second feature: 0-3 at 0, 1-2
    // at 0, so that the second feature gains 0 - 1 at the first row visited. From then on only
    // the first feature counts: both misses are tied and shared, (0 + 1)/2 - 1.
    let table =
        Table::new(vec![numeric("x", &[0.0, 0.0, 1.0, 1.0]), numeric("y", &[0.0, 1.0, 1.0, 0.0])])
            .unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let nearest = NearestSettings { n_neighbors: 1, ..NearestSettings::default() };
    for seed in 0..5 {
        let run = || run(1).with_seed(seed);
        let fitted = DReliefF { nearest: nearest.clone() }.fit(&problem, &run()).unwrap();
        assert_weights(fitted.map.weights(), &[1.0, (-1.0 - 3.0 * 0.5) / 4.0]);
        // Progressively, the second feature always keeps a part: the ties never come.
        let fitted = PDReliefF { nearest: nearest.clone(), ..PDReliefF::default() };
        assert_weights(fitted.fit(&problem, &run()).unwrap().map.weights(), &[1.0, -1.0]);
    }
    let bad = PDReliefF { exponent: 0.0, ..PDReliefF::default() }.fit(&problem, &run(1));
    assert!(bad.unwrap_err().to_string().contains("0 is not a number above 0"));
    let bad = PDReliefF { area_share: f64::NAN, ..PDReliefF::default() }.fit(&problem, &run(1));
    assert!(bad.unwrap_err().to_string().contains("area_share"));
    let pdrelieff = method("pdrelieff").unwrap();
    let message = pdrelieff.settings(&[("exponent", "0")]).unwrap_err().to_string();
    assert!(message.contains("0 is not above 0"), "{message}");
}

#[test]
fn irelief_at_the_ends_of_sigma() {
    // As above. A huge sigma makes all rows alike: gamma is 1/3, the first feature differs by 1
    // from both misses and 0 from the hit, the second by 1/2 on average and 1. A tiny one leaves
    // the nearest: in the first iteration hit and nearest miss are equally far and gamma is 1/2,
    // in the second only the first feature counts, the hit is at 0 and gamma is 1.
    let table =
        Table::new(vec![numeric("x", &[0.0, 0.0, 1.0, 1.0]), numeric("y", &[0.0, 1.0, 1.0, 0.0])])
            .unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    for (sigma, objective) in [(1e300, 1.0 / 3.0), (1e-300, 1.0), (f64::MIN_POSITIVE, 1.0)] {
        for squared in [false, true] {
            let method = IRelief { sigma, squared, ..IRelief::default() };
            let fitted = method.fit(&problem, &run(1)).unwrap();
            assert_weights(fitted.map.weights(), &[1.0, 0.0]);
            assert_eq!(fitted.report.iterations, Some(2));
            assert_eq!(fitted.report.converged, Some(true));
            assert_eq!(fitted.report.last_change, Some(0.0));
            assert!((fitted.report.objective.unwrap() - objective).abs() < 1e-15);
            let online = IRelief { online: true, ..method.clone() };
            assert_weights(online.fit(&problem, &run(1)).unwrap().map.weights(), &[1.0, 0.0]);
        }
    }
}

#[test]
fn irelief_warns_where_it_gives_up_and_of_lone_rows() {
    let (table, target) = three_classes();
    let problem = Problem::new(&table, &target).unwrap();
    for (outliers, consequence) in [(true, "not at all"), (false, "by its misses only")] {
        let fitted = IRelief { outliers, ..IRelief::default() }.fit(&problem, &run(1)).unwrap();
        let warning = fitted.report.warnings.iter().find(|warning| warning.code() == "lone-rows");
        assert!(warning.unwrap().to_string().contains(consequence));
    }
    let x: Vec<f64> = (0..40).map(|row| f64::from(row * 7 % 40)).collect();
    let y: Vec<f64> = (0..40).map(|row| f64::from(row * 11 % 40)).collect();
    let table = Table::new(vec![numeric("x", &x), numeric("y", &y)]).unwrap();
    let target = classes(&x.iter().map(|x| u32::from(*x > 18.0)).collect::<Vec<_>>());
    let problem = Problem::new(&table, &target).unwrap();
    for online in [false, true] {
        let method = IRelief { online, max_iter: 1, tol: 1e-12, ..IRelief::default() };
        let fitted = method.fit(&problem, &run(1)).unwrap();
        assert_eq!(fitted.report.converged, Some(false));
        assert!(has_warning(&fitted.report.warnings, "not-converged"));
        assert!(fitted.report.last_change.unwrap() > 0.0);
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = IRelief { sigma: bad, ..IRelief::default() }.fit(&problem, &run(1));
        assert!(error.unwrap_err().to_string().contains("option sigma"), "{bad}");
    }
}

#[test]
fn simba_takes_a_step() {
    // Rows (0, 0) (0, 1) of class 0 and (1, 0) of class 1, which is alone and has no margin. For
    // row 0, the hit differs by (0, 1), the miss by (1, 0), both norms are 1 and the margin 0: w
    // becomes (1 + u'/2, 1 - u'/2). For row 1, the miss differs by (1, 1), norm sqrt(2) = r.
    let table =
        Table::new(vec![numeric("x", &[0.0, 0.0, 1.0]), numeric("y", &[0.0, 1.0, 0.0])]).unwrap();
    let target = classes(&[0, 0, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let r = std::f64::consts::SQRT_2;
    let ratio = |w: [f64; 2]| [1.0, (w[1] / w[0]).powi(2)];
    let first = [1.5, 0.5];
    let second = [1.0 + 0.5 / r, 1.0 + 0.5 * (1.0 / r - 1.0)];
    let mut seen = [false; 3];
    for seed in 0..20 {
        let method = Simba { steps: Some(1), restarts: 1, ..Simba::default() };
        let fitted = method.fit(&problem, &run(1).with_seed(seed)).unwrap();
        let cases = [ratio(first), ratio(second), [1.0, 1.0]];
        let place = cases
            .iter()
            .position(|case| largest_difference(case, fitted.map.weights()) < 1e-14)
            .unwrap_or_else(|| panic!("{:?} {cases:?}", fitted.map));
        seen[place] = true;
        assert!(has_warning(&fitted.report.warnings, "lone-rows"));
        // At margin 0 the sigmoid's slope is beta / 4.
        let utility = Utility::Sigmoid { beta: 2.0 };
        let fitted = Simba { utility, ..method }.fit(&problem, &run(1).with_seed(seed)).unwrap();
        if place == 0 {
            assert_weights(fitted.map.weights(), &ratio([1.25, 0.75]));
        }
    }
    assert_eq!(seen, [true; 3]);

    let simba = method("simba").unwrap();
    for bad in ["sigmoid", "sigmoid:0", "sigmoid:nan", "sigmoid:1e9", "cubic"] {
        let message = simba.settings(&[("utility", bad)]).unwrap_err().to_string();
        assert!(message.contains("linear|sigmoid:BETA"), "{message}");
    }
    let settings = simba.settings(&[("missing", "ignore")]).unwrap();
    let error = simba.fit(&problem, &settings, &run(1)).unwrap_err().to_string();
    assert!(error.contains("option missing: simba"), "{error}");
}

#[test]
fn lmba_keeps_what_makes_the_margin() {
    // The first feature makes every miss, the second only pulls hits apart. Hits (0, 1) cost v2,
    // misses are at v1 or v1 + v2; the minimum 0 has v2 = 0 and v1 at least 1: the weights tend to
    // (1, 0). One iteration from (1, 1): hits (0, 1), misses (1, 0), so that the hinge is 1 and
    // the slopes are (-1, 2); the step 1/8 takes the second to 1/2 and the first to 5/4.
    let table =
        Table::new(vec![numeric("x", &[0.0, 0.0, 1.0, 1.0]), numeric("y", &[0.0, 1.0, 1.0, 0.0])])
            .unwrap();
    let target = classes(&[0, 0, 1, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let fitted = Lmba { max_iter: 1, ..Lmba::default() }.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[1.0, (0.5_f64 / 1.25).powi(2)]);
    // Hits at 1/4, tied misses at 25/16: pull 1/4, no hinge.
    assert!((fitted.report.objective.unwrap() - 0.25).abs() < 1e-15);
    assert!(has_warning(&fitted.report.warnings, "not-converged"));
    let fitted = Lmba::default().fit(&problem, &run(1)).unwrap();
    assert!(fitted.map.weights()[0] == 1.0 && fitted.map.weights()[1] < 1e-5);
    assert_eq!(fitted.report.converged, Some(true));
    let error = Lmba { c: f64::NAN, ..Lmba::default() }.fit(&problem, &run(1)).unwrap_err();
    assert!(error.to_string().contains("option C"), "{error}");
}

/// All orders of the rows, `ties = first`, averaged: what `ties = share` promises.
#[test]
fn shared_ties_are_the_mean_over_all_row_orders() {
    let x = [0.0, 1.0, 1.0, 2.0, 0.0, 2.0, 1.0];
    let z = [1.0, 1.0, 0.0, 0.0, 2.0, 1.0, 2.0];
    let codes = [0, 0, 0, 0, 1, 1, 1];
    let fit = |order: &[usize], ties: Ties| {
        let pick = |values: &[f64]| order.iter().map(|&row| values[row]).collect::<Vec<_>>();
        let table = Table::new(vec![numeric("x", &pick(&x)), numeric("z", &pick(&z))]).unwrap();
        let target = classes(&order.iter().map(|&row| codes[row]).collect::<Vec<_>>());
        let problem = Problem::new(&table, &target).unwrap();
        let nearest = NearestSettings {
            n_neighbors: 2,
            neighbor_weights: NeighborWeights::Rank { sigma: 1.5 },
            ties,
            ..NearestSettings::default()
        };
        ReliefF { nearest }.fit(&problem, &run(1)).unwrap().map.weights().to_vec()
    };
    let mut mean = [0.0; 2];
    let mut orders = 0.0;
    let mut order: Vec<usize> = (0..7).collect();
    permute(&mut order, 0, &mut |order| {
        let weights = fit(order, Ties::First);
        mean.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += weight);
        orders += 1.0;
    });
    mean.iter_mut().for_each(|sum| *sum /= orders);
    assert_eq!(orders, 5040.0);
    assert!(largest_difference(&fit(&[0, 1, 2, 3, 4, 5, 6], Ties::Share), &mean) < 1e-12);
}

fn permute(order: &mut Vec<usize>, first: usize, visit: &mut impl FnMut(&[usize])) {
    if first == order.len() {
        visit(order);
        return;
    }
    for other in first..order.len() {
        order.swap(first, other);
        permute(order, first + 1, visit);
        order.swap(first, other);
    }
}

#[test]
fn options_are_read_by_name_or_flag_and_checked() {
    let relieff = method("relieff").unwrap();
    let settings = relieff.settings(&[("neighbors", "7"), ("ties", "first")]).unwrap();
    assert_eq!(settings.to_json()["n_neighbors"], 7);
    assert_eq!(settings.to_json()["n_samples"], "all");
    let message = |given: &[(&str, &str)]| relieff.settings(given).unwrap_err().to_string();
    assert!(message(&[("neighbors", "0")]).contains("0 is less than 1"));
    assert!(message(&[("ties", "frist")]).contains("did you mean `first`?"));
    assert!(message(&[("bins", "3")]).contains("relieff does not take it"));
    assert!(message(&[("ramp", "0.5")]).contains("none|T_EQUAL:T_DIFFERENT"));
    assert!(method("relief-f").unwrap_err().to_string().contains("did you mean `relieff`?"));
}

/// Options of `compat = skrebate` that it cannot follow, each with what the message says.
#[test]
fn compat_refuses_what_skrebate_has_no_rule_for() {
    let x = [0.0, 1.0, 2.0, 6.0];
    let genotypes = Column::genotype("g", vec![0_u8, 1, 2, 0].into()).unwrap();
    let tables = [
        Table::new(vec![numeric("x", &x)]).unwrap(),
        Table::new(vec![numeric("x", &[0.0, f64::NAN, 2.0, 6.0])]).unwrap(),
        Table::new(vec![genotypes]).unwrap(),
    ];
    let target = classes(&[0, 0, 1, 1]);
    let cases = [
        ("swrf*", 0, ("missing", "ignore"), "swrf*"),
        ("surf", 0, ("metric", "euclidean"), "option metric"),
        ("surf", 0, ("ramp", "0:0.5"), "option ramp"),
        ("multisurf", 1, ("missing", "expected"), "add missing = ignore"),
        ("multisurf*", 2, ("genotype_diff", "additive"), "add genotype_diff = categorical"),
    ];
    for (name, table, given, part) in cases {
        let info = method(name).unwrap();
        let given = [given, ("compat", "skrebate")];
        let problem = Problem::new(&tables[table], &target).unwrap();
        let settings = info.settings(&given).unwrap();
        let error = info.fit(&problem, &settings, &run(1)).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn surf_as_skrebate_counts_the_diagonal() {
    // x = 0, 1, 2, 4 of range 4: the distances are 1, 2, 4, 1, 3 and 2 quarters, their mean 13/24.
    // Over all 16 cells, with the diagonal, it is 13/32, so that half is not near. Left are 0-1 and
    // 1-2, misses: three rows gain 1/4 each, the last one has nobody.
    let table = Table::new(vec![numeric("x", &[0.0, 1.0, 2.0, 4.0])]).unwrap();
    let target = classes(&[0, 1, 0, 1]);
    let problem = Problem::new(&table, &target).unwrap();
    let surf = Surf { compat: Compat::Skrebate, ..Surf::default() };
    let fitted = surf.fit(&problem, &run(1)).unwrap();
    assert_weights(fitted.map.weights(), &[3.0 / 16.0]);
    // Without it, rows 0 and 2 have a hit at 1/2, row 2 and 3 a miss at 1/2.
    let fitted = Surf::default().fit(&problem, &run(1)).unwrap();
    let row_by_row = [0.25 - 0.5, 0.25, 0.375 - 0.5, 0.5];
    assert_weights(fitted.map.weights(), &[row_by_row.iter().sum::<f64>() / 4.0]);
}
