//! Concordance: how often predictions order two rows as their survival times do.

use crate::data::Survival;

/// Predictions that are equal when multiplied by this and rounded are tied: they are means of equal quantiles, summed
/// in another order.
const PLACES: f64 = 1e9;

/// The comparable pairs of rows: those whose order of times is known, because the earlier time is that of an event. Of a
/// row with an event and a censored row with the same time, the event is the earlier one.
///
/// Harrell's concordance is the share of comparable pairs in which the earlier row has the smaller prediction; a tie
/// counts half. Uno's weights a pair by one over the square of the probability to be uncensored until the earlier time,
/// so that its expected value does not depend on when rows are censored.
///
/// Sources: F. E. Harrell, R. M. Califf, D. B. Pryor, K. L. Lee and R. A. Rosati. Evaluating the yield of medical tests.
/// JAMA 247, 2543-2546, 1982. H. Uno, T. Cai, M. J. Pencina, R. B. D'Agostino and L. J. Wei. On the C-statistics for
/// evaluating overall adequacy of risk prediction procedures with censored survival data. Statistics in Medicine 30,
/// 1105-1117, 2011.
#[derive(Debug, Clone, Copy)]
pub(super) struct ComparablePairs<'a> {
    pub(super) survival: &'a Survival,
    /// Weights of rows: a pair has the weight of both.
    pub(super) weights: Option<&'a [f64]>,
    /// The rows from which Uno's weights are estimated, those of the training; `None` for Harrell's concordance.
    pub(super) censoring: Option<&'a Survival>,
}

impl ComparablePairs<'_> {
    /// The sum of the weights of discordant pairs, and of all comparable pairs of these rows. A prediction is larger for
    /// rows that live longer.
    pub(super) fn discordant(&self, rows: &[usize], predictions: &[f64]) -> [f64; 2] {
        let (times, events) = (self.survival.times(), self.survival.events());
        let weight = |row: usize| self.weights.map_or(1.0, |weights| weights[row]);
        let censoring = self.censoring.map(|training| {
            let last = training.times().iter().copied().fold(0.0, f64::max);
            (training.censoring_curve(), last)
        });
        // Later than all training times, the probability to be uncensored is unknown.
        let factor = |time: f64| match &censoring {
            Some((_, last)) if time >= *last => 0.0,
            Some((curve, _)) => curve.at(time).powi(-2),
            None => 1.0,
        };
        let keys: Vec<i64> =
            predictions.iter().map(|prediction| (prediction * PLACES).round() as i64).collect();
        let mut distinct = keys.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let ranks: Vec<usize> =
            keys.iter().map(|key| distinct.partition_point(|other| other < key)).collect();

        let mut order: Vec<usize> = (0..rows.len()).collect();
        // Later rows first, and of the same time the censored ones.
        let key = |&place: &usize| (times[rows[place]], events[rows[place]]);
        order.sort_by(|a, b| {
            let ((time, event), (other, of_other)) = (key(a), key(b));
            other.total_cmp(&time).then(event.cmp(&of_other))
        });
        let mut later = CumulativeWeights::new(distinct.len());
        let [mut discordant, mut comparable] = [0.0; 2];
        for same in order.chunk_by(|a, b| key(a) == key(b)) {
            if events[rows[same[0]]] {
                for &place in same {
                    let row = rows[place];
                    let own = weight(row) * factor(times[row]);
                    let (below, until) = (later.below(ranks[place]), later.below(ranks[place] + 1));
                    discordant += own * (below + 0.5 * (until - below));
                    comparable += own * later.below(distinct.len());
                }
            }
            same.iter().for_each(|&place| later.add(ranks[place], weight(rows[place])));
        }
        [discordant, comparable]
    }
}

/// Sums of weights by rank, in a binary indexed tree.
struct CumulativeWeights(Vec<f64>);

impl CumulativeWeights {
    fn new(ranks: usize) -> Self {
        Self(vec![0.0; ranks + 1])
    }

    fn add(&mut self, rank: usize, weight: f64) {
        let mut place = rank + 1;
        while place < self.0.len() {
            self.0[place] += weight;
            place += place & place.wrapping_neg();
        }
    }

    /// The sum of the weights of smaller ranks.
    fn below(&self, rank: usize) -> f64 {
        let (mut place, mut sum) = (rank, 0.0);
        while place > 0 {
            sum += self.0[place];
            place &= place - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survival(times: &[f64], events: &[u8]) -> Survival {
        Survival::new(times.to_vec(), events.iter().map(|&event| event == 1).collect()).unwrap()
    }

    #[test]
    fn pairs_of_four_rows_by_hand() {
        // The censored rows 1 and 2 are compared only with earlier events, and row 1 also with the event at its time.
        let own = survival(&[1.0, 2.0, 5.0, 2.0], &[1, 0, 0, 1]);
        let pairs = ComparablePairs { survival: &own, weights: None, censoring: None };
        // 0 before 1, 2 and 3; 3 before 1 and 2.
        assert_eq!(pairs.discordant(&[0, 1, 2, 3], &[0.1, 0.2, 0.3, 0.15]), [0.0, 5.0]);
        assert_eq!(pairs.discordant(&[0, 1, 2, 3], &[0.5, 0.5, 0.1, 0.7]), [0.5 + 1.0 + 2.0, 5.0]);
        assert_eq!(pairs.discordant(&[2, 1], &[0.5, 0.1]), [0.0, 0.0]);
        let weights = [2.0, 1.0, 1.0, 3.0];
        let weighted = ComparablePairs { weights: Some(&weights), ..pairs };
        assert_eq!(weighted.discordant(&[0, 1, 2, 3], &[0.5, 0.5, 0.1, 0.7]), [9.0, 16.0]);
    }

    /// The values of scikit-survival 0.28.0: `concordance_index_censored`, and `concordance_index_ipcw` with the last training
    /// time as its limit.
    #[test]
    fn the_values_of_scikit_survival() {
        let made = |rows: u32, time: u32, event: u32| {
            let times: Vec<f64> = (0..rows).map(|row| f64::from(row * time % 23 + 1)).collect();
            let events: Vec<u8> = (0..rows).map(|row| u8::from(row * event % 5 > 1)).collect();
            survival(&times, &events)
        };
        let (training, tested) = (made(40, 11, 3), made(60, 37, 7));
        let predictions: Vec<f64> = (0..60).map(|row| f64::from(row * 11 % 17) / 17.0).collect();
        let rows: Vec<usize> = (0..60).collect();
        for (censoring, expected) in
            [(None, 1.0 - 0.451_073_985_680_190_97), (Some(&training), 0.550_008_240_904_841_2)]
        {
            let pairs = ComparablePairs { survival: &tested, weights: None, censoring };
            let [discordant, comparable] = pairs.discordant(&rows, &predictions);
            assert!((1.0 - discordant / comparable - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn all_pairs_agree_with_a_double_loop() {
        let times: Vec<f64> = (0..60).map(|row| f64::from(row * 37 % 23)).collect();
        let events: Vec<u8> = (0..60).map(|row| u8::from(row * 7 % 5 > 1)).collect();
        let own = survival(&times, &events);
        let predictions: Vec<f64> = (0..60).map(|row| f64::from(row * 11 % 17) / 17.0).collect();
        let rows: Vec<usize> = (0..60).collect();
        // At the times below the last, of 60 rows of which those at the same time with an event left before.
        let uncensored = |time: f64| {
            let mut probability = 1.0;
            for (row, &censored) in times.iter().enumerate() {
                let is_first =
                    !(0..row).any(|other| times[other] == censored && events[other] == 0);
                if events[row] == 1 || censored > time || !is_first {
                    continue;
                }
                let at = |other: &usize| times[*other] == censored;
                let count = rows.iter().filter(|other| at(other) && events[**other] == 0).count();
                let later = rows.iter().filter(|other| times[**other] > censored).count();
                probability *= later as f64 / (later + count) as f64;
            }
            probability
        };
        for uno in [false, true] {
            let pairs =
                ComparablePairs { survival: &own, weights: None, censoring: uno.then_some(&own) };
            let [mut discordant, mut comparable] = [0.0; 2];
            for &i in &rows {
                for &j in &rows {
                    let is_later = times[j] > times[i] || (times[j] == times[i] && events[j] == 0);
                    if i == j || events[i] == 0 || !is_later || (uno && times[i] >= 22.0) {
                        continue;
                    }
                    let weight = if uno { uncensored(times[i]).powi(-2) } else { 1.0 };
                    comparable += weight;
                    discordant += match predictions[i].total_cmp(&predictions[j]) {
                        std::cmp::Ordering::Less => 0.0,
                        std::cmp::Ordering::Equal => 0.5 * weight,
                        std::cmp::Ordering::Greater => weight,
                    };
                }
            }
            let found = pairs.discordant(&rows, &predictions);
            assert!((found[0] - discordant).abs() < 1e-9 * discordant, "{uno}");
            assert!((found[1] - comparable).abs() < 1e-9 * comparable, "{uno}");
        }
    }
}
