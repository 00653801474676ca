//! Targets that are made of others: several at once, and labels in a hierarchy.

use std::borrow::Cow;
use std::collections::HashSet;

use super::classes::Classes;
use super::label_tree::LabelTree;
use super::multi::MultiTarget;
use super::{Target, TargetValues};
use crate::error::{DataError, Error, Result};
use crate::wording::{quoted, setting};

impl Target {
    /// Combines targets that are known in some rows: per target its name, its values, and the rows that have them, ascending.
    ///
    /// # Errors
    /// No target, a name that occurs twice, a target that is neither numeric nor has classes, or another number of values
    /// than rows.
    ///
    /// # Examples
    /// ```
    /// use basrelief::data::Target;
    ///
    /// let size = ("size".to_string(), Target::real(vec![1.0, 2.5, 4.0])?, vec![0, 1, 2]);
    /// // The color of the second row is unknown.
    /// let color = ("color".to_string(), Target::from_labels(&["red", "blue"]), vec![0, 2]);
    /// let both = Target::several(vec![size, color], 3)?;
    /// assert_eq!(both.rows(), 3);
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    pub fn several(targets: Vec<(String, Target, Vec<usize>)>, rows: usize) -> Result<Self> {
        let count = targets.len();
        let mut found = HashSet::new();
        if let Some((name, ..)) = targets.iter().find(|(name, ..)| !found.insert(name.clone())) {
            return Err(Error::option(
                "target",
                format!("{} is listed twice", quoted(name)),
                "list every target once",
            ));
        }
        if count == 0 {
            return Err(Error::data("there is no target", "provide at least one"));
        }
        let (mut names, mut classes) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut values = vec![f64::NAN; rows * count];
        for (at, (name, target, known)) in targets.into_iter().enumerate() {
            if known.len() != target.rows() || known.iter().any(|&row| row >= rows) {
                return Err(Error::data(
                    format!("{} values of {}, but {rows} rows", target.rows(), quoted(&name)),
                    "provide one value per row",
                ));
            }
            let (own_classes, own): (Vec<String>, Cow<'_, [f64]>) = match &target {
                Target::Classes(classes) => (
                    classes.names().to_vec(),
                    classes.codes().iter().map(|&code| f64::from(code)).collect(),
                ),
                Target::Real(values) => (Vec::new(), Cow::Borrowed(values)),
                Target::Survival(_) | Target::Multi(_) => {
                    return Err(Error::data(
                        format!("{} {}", quoted(&name), target.phrase()),
                        "combine numeric targets and targets with classes",
                    ));
                }
            };
            known.iter().zip(own.iter()).for_each(|(row, value)| values[row * count + at] = *value);
            names.push(name);
            classes.push(own_classes);
        }
        Ok(Target::Multi(MultiTarget::from_parts(names, classes, values)))
    }

    /// The labels of every row in a hierarchy, with their ancestors: of a target with classes, or of several targets that are
    /// labels (0 and 1) with the names of the hierarchy. Labels that all rows have, or none, do not count.
    ///
    /// # Errors
    /// A label that is not in the hierarchy, or a target that has no labels.
    pub fn in_tree(&self, tree: &LabelTree) -> Result<Self> {
        let refused = |name: &str| {
            Err(DataError::new(
                "a hierarchy needs classes, or labels that are absent (0) or present (1)",
                format!("name a column of classes, or remove {}", setting("target_tree", None)),
            )
            .in_column(name)
            .into())
        };
        let rows: Vec<Option<Vec<&str>>> = match self {
            Target::Classes(classes) => {
                let names = classes.names();
                names.iter().try_for_each(|name| tree.require(name))?;
                classes
                    .codes()
                    .iter()
                    .map(|&code| Some(vec![names[code as usize].as_str()]))
                    .collect()
            }
            Target::Multi(own) if own.count() == 1 && !own.is_label(0) => {
                let names = own.classes_of(0);
                if names.is_empty() || own.is_tree() {
                    return refused(&own.names()[0]);
                }
                names.iter().try_for_each(|name| tree.require(name))?;
                let label =
                    |code: f64| (!code.is_nan()).then(|| vec![names[code as usize].as_str()]);
                own.values_of(0).map(label).collect()
            }
            Target::Multi(own) => {
                for (at, name) in own.names().iter().enumerate() {
                    if !own.is_label(at) || own.is_tree() {
                        return refused(name);
                    }
                    tree.require(name)?;
                }
                let labels = |row: usize| {
                    let values = own.row(row).iter().zip(own.names());
                    let present = values.filter(|(value, _)| **value == 1.0);
                    own.is_labeled(row).then(|| present.map(|(_, name)| name.as_str()).collect())
                };
                (0..own.rows()).map(labels).collect()
            }
            Target::Real(_) | Target::Survival(_) => return refused("target"),
        };
        tree.target(&rows).map(Target::Multi)
    }

    /// The rows whose target is known, ascending, and their target as an ordinary one; `None` unless this is one target that is
    /// unknown in some rows.
    ///
    /// A method that needs the class of every row is fitted to these rows. Their features keep the scale of all rows
    /// ([`Table::select_rows_on_scale`](crate::data::Table::select_rows_on_scale)).
    ///
    /// # Examples
    /// ```
    /// use basrelief::data::{Table, Target};
    /// use basrelief::methods::ReliefF;
    ///
    /// let values = [0.1, 3.0, 0.9, 1.0, 0.2, 2.0, 0.8, 2.5, 0.5, 9.0];
    /// let table = Table::from_row_major(&values, 5, &["size", "noise"])?;
    /// let classes = Target::from_labels(&["small", "large", "small", "large"]);
    /// // The class of the last row is unknown.
    /// let target = Target::several(vec![("class".to_string(), classes, vec![0, 1, 2, 3])], 5)?;
    /// let (rows, labeled) = target.labeled().expect("one target");
    /// let fitted = ReliefF::new().n_neighbors(1).fit(&table.select_rows_on_scale(&rows), &labeled)?;
    /// assert!(fitted.model.weights()[0] > fitted.model.weights()[1]);
    /// # Ok::<(), basrelief::Error>(())
    /// ```
    pub fn labeled(&self) -> Option<(Vec<usize>, Self)> {
        let several = self.as_multi().filter(|own| own.is_one_target())?;
        let (target, rows) = several.part(0).ok()?;
        Some((rows, target))
    }
}

impl MultiTarget {
    /// A target alone: its values in the rows where it is known, and these rows, ascending.
    ///
    /// # Errors
    /// None for a target of these.
    pub fn part(&self, at: usize) -> Result<(Target, Vec<usize>)> {
        let of_rows = self.values_of(at).enumerate().filter(|(_, value)| !value.is_nan());
        let (known, values): (Vec<usize>, Vec<f64>) = of_rows.unzip();
        let target = match self.classes_of(at) {
            [] => Target::Real(values),
            names => {
                let codes: Vec<u32> = values.iter().map(|&code| code as u32).collect();
                Classes::from_codes(&codes, names)?.into()
            }
        };
        Ok((target, known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::TargetDistance;

    fn multi(targets: &[(&str, &[f64])]) -> MultiTarget {
        let part = |(name, values): &(&str, &[f64])| {
            let known: Vec<usize> =
                (0..values.len()).filter(|&row| !values[row].is_nan()).collect();
            let of_known = known.iter().map(|&row| values[row]).collect();
            ((*name).to_string(), Target::Real(of_known), known)
        };
        match Target::several(targets.iter().map(part).collect(), targets[0].1.len()).unwrap() {
            Target::Multi(several) => several,
            other => panic!("{other:?}"),
        }
    }

    /// The differences of rows 0 and 1, 0 and 2, and 1 and 2.
    fn three(target: &MultiTarget, distance: TargetDistance) -> [f64; 3] {
        let differences = target.differences_by(distance).unwrap();
        [(0, 1), (0, 2), (1, 2)].map(|(row, other)| differences.of(row, other))
    }

    #[test]
    fn distances_of_labels_by_hand() {
        // The labels of three rows: {a, b}, {b, c} and none.
        let labels =
            multi(&[("a", &[1.0, 0.0, 0.0]), ("b", &[1.0, 1.0, 0.0]), ("c", &[0.0, 1.0, 0.0])]);
        assert_eq!(three(&labels, TargetDistance::Mean), [2.0 / 3.0; 3]);
        assert_eq!(three(&labels, TargetDistance::Hamming), [2.0 / 3.0; 3]);
        assert_eq!(three(&labels, TargetDistance::Jaccard), [1.0 - 1.0 / 3.0, 1.0, 1.0]);
        assert_eq!(three(&labels, TargetDistance::F1), [0.5, 1.0, 1.0]);
        assert_eq!(three(&labels, TargetDistance::Cosine), [0.5, 1.0, 1.0]);
    }

    #[test]
    fn unknown_targets_do_not_count() {
        let nan = f64::NAN;
        let target = multi(&[("x", &[0.0, 4.0, nan]), ("y", &[nan, 2.0, 6.0])]);
        // Rows 0 and 2 have no target in common.
        let [known, none, other] = three(&target, TargetDistance::Mean);
        assert_eq!([known, other], [1.0, 1.0]);
        assert!(none.is_nan());
        assert!(target.is_labeled(2));
        let (part, rows) = target.part(1).unwrap();
        assert_eq!((part, rows), (Target::Real(vec![2.0, 6.0]), vec![1, 2]));
    }

    #[test]
    fn a_tree_compares_rows_by_the_depth_of_their_labels() {
        let pair = |label: &str, parent: &str| (label.to_string(), Some(parent.to_string()));
        let tree =
            LabelTree::new(&[pair("cat", "animal"), pair("dog", "animal"), pair("oak", "plant")])
                .unwrap();
        let target = Target::from_labels(&["cat", "dog", "oak"]).in_tree(&tree).unwrap();
        let differences = target.differences().unwrap();
        // Cat and dog differ in two labels of weight 0.75, cat and oak also in two of weight 1; a row has weight 1.75.
        assert_eq!(differences.of(0, 1), 1.5_f64.sqrt() / 3.5_f64.sqrt());
        assert_eq!(differences.of(0, 2), 1.0);
        // The same as labels in columns.
        let columns = multi(&[
            ("cat", &[1.0, 0.0, 0.0]),
            ("dog", &[0.0, 1.0, 0.0]),
            ("oak", &[0.0, 0.0, 1.0]),
        ]);
        assert_eq!(Target::Multi(columns).in_tree(&tree).unwrap(), target);
    }

    #[test]
    fn refuses_bad_trees_and_targets() {
        let tree = LabelTree::new(&[("a".to_string(), Some("b".to_string()))]).unwrap();
        let error = Target::from_labels(&["a", "z"]).in_tree(&tree).unwrap_err().to_string();
        assert!(error.contains("`z`"), "{error}");
        let constant = multi(&[("x", &[0.0, 1.0]), ("y", &[2.0, 2.0])]);
        let error = constant.check_varies().unwrap_err().to_string();
        assert!(error.contains('y') && error.contains("in every row"), "{error}");
        // In a resample it makes no difference.
        assert_eq!(constant.differences().unwrap().of(0, 1), 0.5);
        assert!(multi(&[("y", &[2.0, 2.0])]).differences().is_err());
        let numbers = multi(&[("x", &[0.0, 3.0])]);
        assert!(numbers.differences_by(TargetDistance::Jaccard).is_err());
    }

    #[test]
    fn one_number_differs_as_a_numeric_target() {
        let values = [0.3, 7.0, -1.25];
        let target = multi(&[("x", &values)]);
        let alone = Target::Real(values.to_vec());
        let expected = alone.differences().unwrap();
        let expected = [(0, 1), (0, 2), (1, 2)].map(|(row, other)| expected.of(row, other));
        assert_eq!(three(&target, TargetDistance::Mean), expected);
    }
}
