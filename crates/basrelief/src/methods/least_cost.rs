//! Selects the best of several choices by cross-validation, and skips trials that cannot change the result.

use crate::error::{Error, Result};
use crate::parallel;
use crate::run::Progress;

/// The result of one choice on one part (fold) of the rows.
#[derive(Debug)]
pub(super) struct Trial {
    /// The cost on this part, such as the number of errors.
    pub(super) cost: usize,
    /// Why the choice could not be fitted to this part; `None` if it could.
    pub(super) obstacle: Option<Error>,
}

/// The trials of a choice so far.
#[derive(Debug, Default)]
struct Standing {
    cost: usize,
    tried: usize,
    fitted: usize,
    obstacle: Option<Error>,
}

impl Standing {
    fn add(&mut self, Trial { cost, obstacle }: Trial) {
        self.cost += cost;
        self.tried += 1;
        match obstacle {
            Some(obstacle) => self.obstacle = Some(obstacle),
            None => self.fitted += 1,
        }
    }
}

/// Returns the choice with the smallest total cost over all parts (the first of equal ones), among those that could
/// be fitted to at least one part.
///
/// The choice with the lowest cost so far is continued first, and the search ends when it has completed all parts.
/// Costs only grow, so no other choice can become cheaper. The result is therefore the same as that of an exhaustive
/// search. `at_once` trials run in parallel; their number does not affect the result.
///
/// # Errors
/// The errors of `trial`; if no choice could be fitted to any part, the last obstacle.
pub(super) fn least_cost(
    (choices, parts): (usize, usize),
    at_once: usize,
    progress: &dyn Progress,
    trial: impl Fn(usize, usize) -> Result<Trial> + Sync,
) -> Result<usize> {
    let mut standings: Vec<Standing> = (0..choices).map(|_| Standing::default()).collect();
    loop {
        let mut running: Vec<usize> = (0..choices)
            .filter(|&choice| standings[choice].tried < parts || standings[choice].fitted > 0)
            .collect();
        running.sort_by_key(|&choice| (standings[choice].cost, choice));
        match running.first() {
            Some(&best) if standings[best].tried == parts => return Ok(best),
            Some(_) => {}
            None => {
                let last = standings.into_iter().rev().find_map(|standing| standing.obstacle);
                return Err(last.unwrap_or_else(|| {
                    Error::Internal("cross-validation tried nothing".to_string())
                }));
            }
        }
        let next: Vec<(usize, usize)> = running
            .into_iter()
            .flat_map(|choice| (standings[choice].tried..parts).map(move |part| (choice, part)))
            .take(at_once.max(1))
            .collect();
        let tried: Vec<Result<Trial>> = parallel::map(&next, |&(choice, part)| {
            let tried = trial(choice, part);
            progress.advance(1);
            tried
        });
        for ((choice, _), tried) in next.into_iter().zip(tried) {
            standings[choice].add(tried?);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::run::Silent;

    /// The selected choice and the number of trials made.
    fn found(costs: &[Vec<Option<usize>>], at_once: usize) -> (Result<usize>, usize) {
        let made = AtomicUsize::new(0);
        let trial = |choice: usize, part: usize| {
            made.fetch_add(1, Ordering::Relaxed);
            let obstacle =
                costs[choice][part].is_none().then(|| Error::data(format!("{choice} {part}"), ""));
            Ok(Trial { cost: costs[choice][part].unwrap_or(9), obstacle })
        };
        let best = least_cost((costs.len(), costs[0].len()), at_once, &Silent, trial);
        (best, made.into_inner())
    }

    /// The selected choice by exhaustive search.
    fn of_all(costs: &[Vec<Option<usize>>]) -> Option<usize> {
        (0..costs.len()).filter(|&choice| costs[choice].iter().any(Option::is_some)).min_by_key(
            |&choice| (costs[choice].iter().map(|cost| cost.unwrap_or(9)).sum::<usize>(), choice),
        )
    }

    #[test]
    fn the_answer_is_that_of_trying_everything() {
        for case in 0..300_usize {
            let cost = |choice: usize, part: usize| {
                let mixed = (case * 7919 + choice * 104_729 + part * 1_299_709 + 13) % 1009;
                (mixed % 11 != case % 11).then_some(mixed % 4)
            };
            let costs: Vec<Vec<Option<usize>>> =
                (0..5).map(|choice| (0..4).map(|part| cost(choice, part)).collect()).collect();
            for at_once in [1, 2, 3, 50] {
                assert_eq!(found(&costs, at_once).0.ok(), of_all(&costs), "{costs:?}");
            }
        }
    }

    #[test]
    fn what_cannot_win_is_left() {
        let costs = [vec![Some(1); 10], vec![Some(4); 10], vec![Some(0); 10], vec![Some(0); 10]];
        let (best, made) = found(&costs, 1);
        // The last two tie: the first of them completes all parts, and each other choice has one trial.
        assert_eq!((best.unwrap(), made), (2, 12));
    }

    #[test]
    fn where_nothing_fits_the_last_obstacle_is_told() {
        let error = found(&[vec![None; 2], vec![None; 2]], 1).0.unwrap_err();
        assert!(error.to_string().contains("1 1"), "{error}");
        let (best, made) = found(&[vec![None; 2], vec![Some(20), None]], 1);
        assert_eq!((best.unwrap(), made), (1, 4));
    }
}
