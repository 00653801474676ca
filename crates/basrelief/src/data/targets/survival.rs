//! Survival times: the time to an event, or to the end of the observation, which censors it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::super::{Column, Values};
use super::classes::Classes;
use super::numbers::{absolute_differences, codes_of_equal};
use super::values::{TargetDifferences, TargetValues};
use crate::checksum::Checksum;
use crate::error::{DataError, Error, Result};
use crate::order::ascending;
use crate::packed::Packed;
use crate::warning::Warning;
use crate::wording::setting;

/// The name of rows whose time is that of an event, and of the others.
const STATUS: [&str; 2] = ["censored", "event"];

/// Survival times: per row the time of the event, or the time at which it was censored (the event had not occurred by then).
///
/// Censoring must not depend on the time of the event, other than through what all rows have in common. A row that is
/// censored at the time of an event is at risk of this event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Survival {
    times: Vec<f64>,
    /// Whether the event occurred.
    status: Classes,
    events: Vec<bool>,
    curve: SurvivalCurve,
    /// The expected quantiles given covariates, if the times are adjusted for some.
    adjusted: Option<Vec<f64>>,
}

/// Times, events (1 or 0), and quantiles given covariates.
type Stored = (Packed<f64>, Packed<u8>, Option<Packed<f64>>);

impl From<Survival> for Stored {
    fn from(survival: Survival) -> Self {
        let events = survival.events.into_iter().map(u8::from).collect();
        (Packed(survival.times), Packed(events), survival.adjusted.map(Packed))
    }
}

impl TryFrom<Stored> for Survival {
    type Error = Error;

    fn try_from((times, events, adjusted): Stored) -> Result<Self> {
        let adjusted = adjusted.map(|quantiles| quantiles.0);
        let rows = times.0.len();
        if events.0.len() != rows || adjusted.as_ref().is_some_and(|own| own.len() != rows) {
            return Err(Error::Internal("times and events of different length".to_string()));
        }
        let events = events.0.into_iter().map(|event| event != 0).collect();
        Ok(Self { adjusted, ..Self::from_parts(times.0, events)? })
    }
}

impl Survival {
    /// Creates survival times from the time of every row and whether the event occurred then (`true`) or the time is
    /// censored.
    ///
    /// # Errors
    /// Other numbers of times and events; a time that is negative, infinite or not a number (the message names the row);
    /// no event.
    pub fn new(times: Vec<f64>, events: Vec<bool>) -> Result<Self> {
        if times.len() != events.len() {
            return Err(Error::data(
                format!("there are {} times and {} events", times.len(), events.len()),
                "provide both for every row",
            ));
        }
        let is_wrong = |time: &f64| !time.is_finite() || *time < 0.0;
        if let Some(row) = times.iter().position(is_wrong) {
            return Err(DataError::new(
                "a survival time must be a finite number of at least 0",
                "correct the time, or exclude the row",
            )
            .at_row(row as u64 + 1)
            .with_value(&times[row].to_string())
            .into());
        }
        if !events.contains(&true) {
            return Err(Error::option(
                "event",
                "no row has an event: all times are censored",
                format!(
                    "name the column that is 1 (or true) where the event occurred with {}",
                    setting("event", None)
                ),
            ));
        }
        Self::from_parts(times, events)
    }

    /// Creates survival times, also without events.
    fn from_parts(times: Vec<f64>, events: Vec<bool>) -> Result<Self> {
        let codes: Vec<u32> = events.iter().map(|&event| u32::from(event)).collect();
        let status = Classes::from_codes(&codes, &STATUS.map(str::to_string))?;
        let curve = SurvivalCurve::new(&times, &events);
        Ok(Self { times, status, events, curve, adjusted: None })
    }

    /// The times with the expected quantile of every row in a distribution that depends on its covariates, in [0, 1].
    pub(crate) fn with_adjusted(self, quantiles: Vec<f64>) -> Self {
        Self { adjusted: Some(quantiles), ..self }
    }

    /// The time of every row.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// Whether the time of every row is that of an event.
    pub fn events(&self) -> &[bool] {
        &self.events
    }

    /// The number of rows with an event.
    pub fn event_count(&self) -> usize {
        self.events.iter().filter(|&&event| event).count()
    }

    /// The Kaplan-Meier estimate of the probability to be uncensored up to a time. Of an event and a censored row with the
    /// same time, the event is the earlier one.
    pub(crate) fn censoring_curve(&self) -> SurvivalCurve {
        SurvivalCurve::estimate(&self.times, &self.events, false)
    }

    /// Whether the event occurred, as classes.
    pub(super) fn status(&self) -> &Classes {
        &self.status
    }

    /// The Kaplan-Meier estimate from all rows.
    pub fn curve(&self) -> &SurvivalCurve {
        &self.curve
    }

    /// The expected quantile of every row's event time in the distribution that the Kaplan-Meier estimate describes, in
    /// [0, 1]. For an event at `t` it is `1 - (S(t-) + S(t)) / 2`; for a row censored at `t`, whose event is known to be
    /// later, it is `1 - S(t) / 2`, the mean quantile of all later times. If the times are adjusted for covariates
    /// ([`crate::solve::residuals`]), `S` is the survival that the model gives rows with the same covariates.
    pub fn quantiles(&self) -> Vec<f64> {
        if let Some(adjusted) = &self.adjusted {
            return adjusted.clone();
        }
        let quantile = |(&time, &event): (&f64, &bool)| {
            Self::expected_quantile(event, self.curve.around(time))
        };
        self.times.iter().zip(&self.events).map(quantile).collect()
    }

    /// The [expected quantile](Self::quantiles) of one time, from the probabilities to have no event before it, and up to
    /// and including it.
    pub(crate) fn expected_quantile(event: bool, [before, until]: [f64; 2]) -> f64 {
        if event { 1.0 - (before + until) / 2.0 } else { 1.0 - until / 2.0 }
    }

    /// The times, where those of censored rows are replaced by the expected time of the event according to the
    /// Kaplan-Meier estimate `S`: `t + integral of S from t to the last time / S(t)`. Times after the last are counted as
    /// the last.
    pub fn expected_times(&self) -> Vec<f64> {
        let last = self.times.iter().copied().fold(0.0, f64::max);
        let expected = |(&time, &event): (&f64, &bool)| {
            if event { time } else { self.curve.expected_after(time, last) }
        };
        self.times.iter().zip(&self.events).map(expected).collect()
    }

    /// The differences of two rows' [expected times](Self::expected_times), divided by their range.
    ///
    /// # Errors
    /// All times are equal; the times are adjusted for covariates.
    pub(crate) fn time_differences(&self) -> Result<Box<dyn TargetDifferences + '_>> {
        if self.adjusted.is_some() {
            return Err(Error::option(
                "target_difference",
                "times are not adjusted for covariates, but quantiles are",
                format!("use {}", setting("target_difference", Some("quantiles"))),
            ));
        }
        absolute_differences(Cow::Owned(self.expected_times()))
    }
}

/// Texts that name a status, in lower case, and whether the event occurred.
const STATUS_TEXTS: [(&str, bool); 12] = [
    ("0", false),
    ("1", true),
    ("false", false),
    ("true", true),
    ("no", false),
    ("yes", true),
    ("censored", false),
    ("event", true),
    ("alive", false),
    ("dead", true),
    ("living", false),
    ("deceased", true),
];

/// Reads whether the event occurred in every row: `None` where the value is missing. Accepted are 1 and 0, `true` and
/// `false`, `yes` and `no`, `event` and `censored`, `dead` and `alive`, `deceased` and `living`. Of the numbers 1 and 2,
/// 2 is the event, as in the R package survival; a warning reports it.
///
/// # Errors
/// Other values, or more than two; the message names the first row.
pub fn survival_events(column: &Column<'_>) -> Result<(Vec<Option<bool>>, Option<Warning>)> {
    let name = column.name();
    let text = |row: usize| match column.values() {
        _ if column.value(row).is_nan() => None,
        Values::Categorical(own) => own.levels().get(own.codes()[row] as usize).cloned(),
        _ => Some(column.value(row).to_string()),
    };
    let texts: Vec<Option<String>> = (0..column.len()).map(text).collect();
    let known = || texts.iter().flatten();
    let from_two =
        known().all(|text| text == "1" || text == "2") && known().any(|text| text == "2");
    let read = |(row, text): (usize, &Option<String>)| {
        let Some(text) = text else { return Ok(None) };
        if from_two {
            return Ok(Some(text == "2"));
        }
        let lower = text.trim().to_lowercase();
        let found = STATUS_TEXTS.iter().find(|(known, _)| *known == lower);
        found.map(|(_, event)| Some(*event)).ok_or_else(|| {
            DataError::new(
                "the column of events has another value than 1 (event) and 0 (censored)",
                "write 1 where the event occurred and 0 where the time is censored; treat other kinds of events as \
                 censored only if they do not depend on this one",
            )
            .in_column(name)
            .at_row(row as u64 + 1)
            .with_value(text)
            .into()
        })
    };
    let events = texts.iter().enumerate().map(read).collect::<Result<_>>()?;
    let warning = from_two.then(|| {
        Warning::new(
            "events-from-two",
            format!("{}: 2 is read as an event, and 1 as censored", crate::wording::quoted(name)),
        )
    });
    Ok((events, warning))
}

impl TargetValues for Survival {
    fn rows(&self) -> usize {
        self.times.len()
    }

    fn select_rows(&self, rows: &[usize]) -> Result<Self> {
        let times = rows.iter().map(|&row| self.times[row]).collect();
        let events = rows.iter().map(|&row| self.events[row]).collect();
        let adjusted = self.adjusted.as_ref().map(|own| own.select_rows(rows)).transpose()?;
        Ok(Self { adjusted, ..Self::from_parts(times, events)? })
    }

    fn reordered(&self, order: &[u32]) -> Self {
        // The curve is the same, as it does not depend on the order of rows.
        let codes = order.iter().map(|&row| self.status.codes()[row as usize]).collect();
        Self {
            times: order.iter().map(|&row| self.times[row as usize]).collect(),
            events: order.iter().map(|&row| self.events[row as usize]).collect(),
            status: self.status.with_order(codes),
            curve: self.curve.clone(),
            adjusted: self.adjusted.as_ref().map(|own| own.reordered(order)),
        }
    }

    fn is_same(&self, row: usize, other: usize) -> bool {
        let adjusted = |row: usize| self.adjusted.as_ref().map(|own| own[row]);
        self.times[row] == self.times[other]
            && self.events[row] == self.events[other]
            && adjusted(row) == adjusted(other)
    }

    fn value_codes(&self) -> Cow<'_, [u32]> {
        let key = |row: usize| {
            let adjusted = self.adjusted.as_ref().map(|own| own[row].to_bits());
            ((self.times[row] + 0.0).to_bits(), self.events[row], adjusted)
        };
        Cow::Owned(codes_of_equal((0..self.times.len()).map(key)))
    }

    fn phrase(&self) -> &'static str {
        "has survival times"
    }

    fn columns(&self, name: &str) -> Result<Vec<Column<'static>>> {
        let events = self.events.iter().map(|&event| f64::from(u8::from(event))).collect();
        Ok(vec![
            Column::from_values(name, self.times.clone())?,
            Column::from_values("event", events)?,
        ])
    }

    fn fingerprint(&self) -> u64 {
        let mut checksum = Checksum::default();
        checksum.add_words(&self.times, f64::to_bits);
        checksum.add_words(self.status.codes(), u64::from);
        checksum.add_words(self.adjusted.as_deref().unwrap_or_default(), f64::to_bits);
        checksum.number()
    }

    fn regression_values(&self) -> Option<Cow<'_, [f64]>> {
        Some(Cow::Owned(self.quantiles()))
    }

    /// The cross product of the centered [quantiles](Self::quantiles) `c`: `(1 - c_i c_j / max c^2) / 2`. It is 0 for two
    /// rows at the same end of the distribution, 1 for rows at opposite ends, and 1/2 for a row in the middle and any other.
    ///
    /// An absolute difference of times contains how extreme each of both rows is, which adds noise of the order of one
    /// over the root of the number of rows to a weight; the product does not.
    fn differences(&self) -> Result<Box<dyn TargetDifferences + '_>> {
        let mut centered = self.quantiles();
        let mean = centered.iter().sum::<f64>() / centered.len() as f64;
        centered.iter_mut().for_each(|quantile| *quantile -= mean);
        let largest = centered.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if self.times.iter().all(|time| *time == self.times[0]) || largest < 1e-12 {
            return Err(Error::data(
                "the survival times of all rows are the same",
                "weights require a target that varies: provide rows with different times",
            ));
        }
        centered.iter_mut().for_each(|quantile| *quantile /= largest);
        Ok(Box::new(QuantileProducts { centered }))
    }
}

/// See [`Survival::differences`].
struct QuantileProducts {
    /// In [-1, 1].
    centered: Vec<f64>,
}

impl TargetDifferences for QuantileProducts {
    fn of(&self, row: u32, other: u32) -> f64 {
        0.5 - 0.5 * (self.centered[row as usize] * self.centered[other as usize])
    }
}

/// The Kaplan-Meier estimate of the probability to have no event up to a time.
///
/// Source: E. L. Kaplan and P. Meier. Nonparametric estimation from incomplete observations. Journal of the American
/// Statistical Association 53, 457-481, 1958.
#[derive(Debug, Clone, PartialEq)]
pub struct SurvivalCurve {
    /// The different times of events, ascending.
    times: Vec<f64>,
    /// The probability after each of these times.
    survival: Vec<f64>,
}

impl SurvivalCurve {
    /// The estimate from the times of some rows and whether each is that of an event.
    pub fn new(times: &[f64], events: &[bool]) -> Self {
        Self::estimate(times, events, true)
    }

    /// The estimate for events (`counted` is `true`) or for censoring as the event (`false`).
    fn estimate(times: &[f64], events: &[bool], counted: bool) -> Self {
        let order = ascending(times);
        let (mut at_risk, mut probability) = (times.len(), 1.0);
        let mut curve = Self { times: Vec::new(), survival: Vec::new() };
        for tied in order.chunk_by(|&a, &b| times[a] == times[b]) {
            let count = tied.iter().filter(|&&row| events[row] == counted).count();
            if count > 0 {
                // Rows with an event are no longer at risk of being censored at its time.
                let own = if counted { at_risk } else { at_risk - (tied.len() - count) };
                probability *= (own - count) as f64 / own as f64;
                curve.times.push(times[tied[0]]);
                curve.survival.push(probability);
            }
            at_risk -= tied.len();
        }
        curve
    }

    /// The times of events, ascending, each once.
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The probability to have no event up to and including each of [`times`](Self::times).
    pub fn survival(&self) -> &[f64] {
        &self.survival
    }

    /// The probability to have no event up to and including a time.
    pub fn at(&self, time: f64) -> f64 {
        self.around(time)[1]
    }

    /// The probability to have no event before a time, and up to and including it.
    fn around(&self, time: f64) -> [f64; 2] {
        let after = |count: usize| if count == 0 { 1.0 } else { self.survival[count - 1] };
        let before = self.times.partition_point(|event| *event < time);
        let until = before + usize::from(self.times.get(before) == Some(&time));
        [after(before), after(until)]
    }

    /// The expected time of an event that is later than a time and counts as `last` if it is later than that.
    fn expected_after(&self, time: f64, last: f64) -> f64 {
        let [_, own] = self.around(time);
        if own == 0.0 {
            return time;
        }
        let first = self.times.partition_point(|event| *event <= time);
        let (mut area, mut from, mut probability) = (0.0, time, own);
        for (&event, &after) in self.times[first..].iter().zip(&self.survival[first..]) {
            area += (event - from) * probability;
            (from, probability) = (event, after);
        }
        time + (area + (last - from) * probability) / own
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn survival(times: &[f64], events: &[u8]) -> Survival {
        let events = events.iter().map(|&event| event == 1).collect();
        Survival::new(times.to_vec(), events).unwrap()
    }

    #[test]
    fn kaplan_meier_of_six_rows() {
        // At risk: 6 at time 1, 4 at time 3 (a row is censored at 2), 2 at time 5 (after one event and one censoring at 3).
        let found = survival(&[3.0, 1.0, 2.0, 3.0, 5.0, 6.0], &[1, 1, 0, 0, 1, 0]);
        assert_eq!(found.curve().times(), [1.0, 3.0, 5.0]);
        let expected = [5.0 / 6.0, 5.0 / 6.0 * 0.75, 5.0 / 6.0 * 0.75 * 0.5];
        for (found, expected) in found.curve().survival().iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15);
        }
        assert_eq!(found.curve().at(0.5), 1.0);
        assert_eq!(found.curve().at(4.0), found.curve().survival()[1]);
    }

    #[test]
    fn expected_times_and_quantiles() {
        // S = 3/4 from time 1, 3/8 from time 4; the row censored at 2 is expected at 2 + (2 x 3/4 + 4 x 3/8) / (3/4) = 6.
        let found = survival(&[1.0, 2.0, 4.0, 8.0], &[1, 0, 1, 0]);
        assert_eq!(found.expected_times(), [1.0, 6.0, 4.0, 8.0]);
        assert_eq!(found.quantiles(), [0.125, 0.625, 0.4375, 0.8125]);
    }

    #[test]
    fn quantiles_of_uncensored_times_have_mean_one_half() {
        let found = survival(&[4.0, 2.0, 2.0, 9.0, 7.0], &[1; 5]);
        let quantiles = found.quantiles();
        let expected = [0.5, 0.2, 0.2, 0.9, 0.7];
        for (found, expected) in quantiles.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15);
        }
        assert_eq!(found.expected_times(), found.times());
    }

    #[test]
    fn two_times_differ_as_two_classes() {
        let found = survival(&[1.0, 3.0, 3.0, 1.0], &[1; 4]);
        for differences in [found.differences().unwrap(), found.time_differences().unwrap()] {
            let difference = |row, other| differences.of(row, other);
            assert_eq!([difference(0, 1), difference(1, 2), difference(0, 3)], [1.0, 0.0, 0.0]);
        }
    }

    #[test]
    fn refuses_times_that_are_none() {
        let refused = |times: &[f64], events: &[bool]| {
            Survival::new(times.to_vec(), events.to_vec()).unwrap_err().to_string()
        };
        assert!(refused(&[1.0, -2.0], &[true; 2]).contains("-2"));
        assert!(refused(&[1.0, f64::NAN], &[true; 2]).contains("finite"));
        assert!(refused(&[1.0, 2.0], &[false; 2]).contains("no row has an event"));
        let same = survival(&[2.0; 3], &[1, 0, 1]);
        assert!(same.differences().is_err());
    }
}
