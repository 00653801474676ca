//! A method with alternatives for its options: a grid of parameters.

use super::adaptive::{ADAPTIVE_NAME, ADAPTIVE_OPTIONS};
use crate::data::{ColumnKind, Table, Target};
use crate::error::{Error, Result, nearest_name};
use crate::methods::SCALE;
use crate::methods::{
    MAP_METHODS, MAP_OPTIONS, METHODS, MapMethodInfo, MethodInfo, OptionInfo, Scaling, Settings,
    Task, map_method,
};

/// The name before `:` for features without weights.
const FEATURES: &str = "euclidean";

/// Maximum number of alternatives of a candidate, so that a typing error does not start weeks of work.
const MOST_ALTERNATIVES: usize = 10_000;

/// The kind of method.
#[derive(Debug, Clone, Copy)]
pub(crate) enum MethodKind {
    /// No method: all features have equal weights.
    Features,
    /// A method that computes feature weights.
    Weighting(&'static MethodInfo),
    /// A method that learns a map.
    MapMethod(&'static MapMethodInfo),
    /// Neighborhoods that adapt to every row ([`super::Adaptive`]).
    Adaptive,
}

/// One choice of options.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct GridPoint {
    pub(crate) settings: Settings,
    /// The options that have alternatives, with the value of this choice.
    pub(crate) chosen: Vec<(String, String)>,
}

/// A method with alternatives for its options, among which cross-validation chooses.
#[derive(Debug, Clone)]
pub struct ParameterGrid {
    label: String,
    kind: MethodKind,
    points: Vec<GridPoint>,
}

impl ParameterGrid {
    /// Parses `METHOD` or `METHOD:OPTION=VALUE,OPTION=VALUE|VALUE`, for example
    /// `relieff:neighbors=5|10|20`; alternatives are separated by `|`. Maps measure the features in the
    /// units of `scaling` unless their options specify others.
    ///
    /// # Errors
    /// An unknown method (the error suggests the nearest name), an unknown option of the method, or a
    /// value out of range.
    pub fn parse(text: &str, scaling: Scaling) -> Result<Self> {
        let (name, rest) = text.split_once(':').unwrap_or((text, ""));
        let given = options(name, rest)?;
        let is_of_maps = |option: &str| {
            MAP_OPTIONS.iter().any(|info| info.name == option || info.flag == option)
        };
        let kind = if name == ADAPTIVE_NAME {
            MethodKind::Adaptive
        } else if name == FEATURES && given.is_empty() {
            MethodKind::Features
        } else if let Some(info) = METHODS.iter().find(|info| info.name == name)
            && !given.iter().any(|(option, _)| is_of_maps(option))
        {
            MethodKind::Weighting(info)
        } else {
            let names = MAP_METHODS.iter().map(|info| info.name);
            let names = names.chain(METHODS.iter().map(|info| info.name)).chain([ADAPTIVE_NAME]);
            MethodKind::MapMethod(map_method(name).map_err(|_| unknown(name, names))?)
        };
        let mut combinations: Vec<Vec<(String, String)>> = vec![Vec::new()];
        for (option, values) in &given {
            if combinations.len() * values.len() > MOST_ALTERNATIVES {
                return Err(Error::option(
                    "methods",
                    format!("`{text}` has more than {MOST_ALTERNATIVES} alternatives"),
                    "give fewer",
                ));
            }
            let extended = |combination: &Vec<(String, String)>| {
                let one = |value: &String| {
                    let mut all = combination.clone();
                    all.push((option.clone(), value.clone()));
                    all
                };
                values.iter().map(one).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(extended).collect();
        }
        let varied: Vec<&str> = given
            .iter()
            .filter(|(_, values)| values.len() > 1)
            .map(|(option, _)| option.as_str())
            .collect();
        let resolved = |mut given: Vec<(String, String)>| {
            let chosen = given.iter().filter(|(option, _)| varied.contains(&option.as_str()));
            let chosen = chosen.cloned().collect();
            let settings = match kind {
                MethodKind::Features => Settings::resolve::<&str, &str>(name, &[], &[]),
                MethodKind::Weighting(info) => info.settings(&given),
                MethodKind::Adaptive => Settings::resolve(name, ADAPTIVE_OPTIONS, &given),
                MethodKind::MapMethod(info) => {
                    if !given.iter().any(|(option, _)| *option == SCALE.name) {
                        given.push((SCALE.name.to_string(), scaling.name().to_string()));
                    }
                    info.settings(&given)
                }
            };
            settings.map(|settings| GridPoint { settings, chosen })
        };
        let points = combinations.into_iter().map(resolved).collect::<Result<_>>()?;
        Ok(Self { label: text.to_string(), kind, points })
    }

    /// Parses candidates separated by commas. A comma followed by `OPTION=VALUE` separates the options
    /// of one candidate.
    ///
    /// # Errors
    /// See [`ParameterGrid::parse`]; there is no candidate, or one occurs twice.
    pub fn parse_list(text: &str, scaling: Scaling) -> Result<Vec<Self>> {
        let mut texts: Vec<String> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let head = part.split([':', '=']).next().unwrap_or(part);
            let continues = part[head.len()..].starts_with('=');
            match texts.last_mut() {
                Some(last) if continues => {
                    last.push(',');
                    last.push_str(part);
                }
                _ => texts.push(part.to_string()),
            }
        }
        let refuse = |problem: String, help: &str| Err(Error::option("methods", problem, help));
        if texts.is_empty() {
            return refuse(
                "it names no method".into(),
                "use, for example, --methods euclidean,relieff,lfe",
            );
        }
        if let Some(place) = (1..texts.len()).find(|&place| texts[..place].contains(&texts[place]))
        {
            return refuse(format!("`{}` is given twice", texts[place]), "give it once");
        }
        texts.iter().map(|text| Self::parse(text, scaling)).collect()
    }

    /// The text that it was parsed from.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// The number of combinations of alternatives.
    pub fn alternatives(&self) -> usize {
        self.points.len()
    }

    /// Whether its dimensions are components of a map, not features.
    pub fn gives_components(&self) -> bool {
        matches!(self.kind, MethodKind::MapMethod(_))
    }

    /// Whether the method has no neighbor search that consults the roles of rows: it compares rows of the same group, and
    /// all rows count equally.
    pub fn ignores_roles(&self) -> bool {
        match self.kind {
            MethodKind::Weighting(info) => !info.in_one_search(),
            MethodKind::MapMethod(_) => true,
            MethodKind::Features | MethodKind::Adaptive => false,
        }
    }

    pub(crate) fn kind(&self) -> MethodKind {
        self.kind
    }

    pub(crate) fn points(&self) -> &[GridPoint] {
        &self.points
    }

    /// The reason why the method cannot learn from the columns of a table, if there is one: a few methods
    /// do not accept categories or missing values.
    pub fn obstacle(&self, table: &Table<'_>) -> Option<&'static str> {
        let categories =
            table.columns().iter().any(|column| column.kind() == ColumnKind::Categorical);
        let gaps = table.columns().iter().any(|column| column.missing() > 0);
        match self.kind {
            MethodKind::Adaptive if categories => Some("does not accept categories"),
            MethodKind::Adaptive if gaps => Some("does not accept missing values"),
            MethodKind::Weighting(info) if gaps && !info.missing => {
                Some("does not accept missing values")
            }
            _ => None,
        }
    }

    /// Checks that the method can learn from a target.
    ///
    /// # Errors
    /// The method needs classes and the target is numeric, or the reverse; it needs two classes.
    pub fn check(&self, target: &Target) -> Result<()> {
        let task = match self.kind {
            MethodKind::Features => None,
            MethodKind::Weighting(info) => Some(info.task),
            MethodKind::MapMethod(info) => info.task(),
            MethodKind::Adaptive => Some(Task::Classes),
        };
        match task.filter(|task| !task.accepts(target)) {
            None => Ok(()),
            Some(task) => Err(Error::option(
                "methods",
                format!(
                    "{} needs {}, but the target {}",
                    self.label,
                    task.needs(),
                    target.phrase()
                ),
                "leave it out; `basrelief methods` lists what each method accepts",
            )),
        }
    }
}

/// Parses `OPTION=VALUE|VALUE` separated by commas. A part that does not start with an option of the method
/// belongs to the previous value, as in `kernel=poly:degree=2,constant=1`.
fn options(name: &str, text: &str) -> Result<Vec<(String, Vec<String>)>> {
    let known: Vec<&'static OptionInfo> = if name == ADAPTIVE_NAME {
        ADAPTIVE_OPTIONS.to_vec()
    } else {
        let own = METHODS.iter().find(|info| info.name == name).map(|info| info.options);
        let maps = MAP_METHODS.iter().find(|info| info.name == name).map(|info| info.all_options());
        let common = MAP_OPTIONS.iter().copied();
        own.unwrap_or_default()
            .iter()
            .copied()
            .chain(maps.unwrap_or_default())
            .chain(common)
            .collect()
    };
    let mut given: Vec<(String, String)> = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (option, value) = part.split_once('=').unwrap_or((part, ""));
        let info = known.iter().find(|info| info.name == option || info.flag == option);
        match (info, given.last_mut()) {
            (Some(info), _) if part.contains('=') => {
                given.push((info.name.to_string(), value.to_string()));
            }
            (None, Some((_, last))) if last.contains(':') => {
                last.push(',');
                last.push_str(part);
            }
            (None, _) if part.contains('=') => given.push((option.to_string(), value.to_string())),
            _ => {
                return Err(Error::option(
                    "methods",
                    format!("`{part}` is not an option of {name}"),
                    "write METHOD:OPTION=VALUE; separate options by commas and alternatives by |",
                ));
            }
        }
    }
    let split = |value: String| value.split('|').map(str::to_string).collect();
    Ok(given.into_iter().map(|(option, value)| (option, split(value))).collect())
}

fn unknown<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Error {
    let help = match nearest_name(name, names) {
        Some(near) => format!("did you mean `{near}`? `basrelief methods` lists all"),
        None => "`basrelief methods` lists all".to_string(),
    };
    Error::option("methods", format!("unknown method `{name}`"), help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Classes;

    fn parse(text: &str) -> ParameterGrid {
        ParameterGrid::parse(text, Scaling::Standard).unwrap()
    }

    #[test]
    fn only_maps_give_components() {
        let methods =
            ["lfe", "pca", "relieff:kernel=rbf:rho=1", "relieff", "euclidean", "dann-local"];
        let given: Vec<bool> = methods.iter().map(|text| parse(text).gives_components()).collect();
        assert_eq!(given, [true, true, true, false, false, false]);
    }

    #[test]
    fn alternatives_are_all_combinations() {
        let candidate = parse("relieff:neighbors=5|10|20,metric=manhattan|euclidean");
        assert_eq!(candidate.alternatives(), 6);
        let second: Vec<_> = candidate.points()[1].chosen.clone();
        let pair = |a: &str, b: &str| (a.to_string(), b.to_string());
        assert_eq!(second, [pair("n_neighbors", "5"), pair("metric", "euclidean")]);
        assert!(matches!(candidate.kind(), MethodKind::Weighting(_)));
        assert!(matches!(parse("euclidean").kind(), MethodKind::Features));
        assert!(matches!(parse("relieff:kernel=rbf:rho=1").kind(), MethodKind::MapMethod(_)));
        assert!(matches!(
            parse("euclidean:kernel=rbf:rho=1|rbf:rho=2").kind(),
            MethodKind::MapMethod(_)
        ));
        assert_eq!(parse("lfe").points()[0].settings.text(&SCALE).unwrap(), "standard");
        assert_eq!(parse("lfe:scale=none").points()[0].settings.text(&SCALE).unwrap(), "none");
    }

    #[test]
    fn commas_part_candidates_and_their_options() {
        let text = "euclidean, relieff:neighbors=5|10,metric=euclidean,lfe,klfe:kernel=rbf:rho=1";
        let found = ParameterGrid::parse_list(text, Scaling::None).unwrap();
        let labels: Vec<&str> = found.iter().map(ParameterGrid::label).collect();
        assert_eq!(
            labels,
            [
                "euclidean",
                "relieff:neighbors=5|10,metric=euclidean",
                "lfe",
                "klfe:kernel=rbf:rho=1"
            ]
        );
        let polynomial = "lda:kernel=polynomial:degree=2,constant=1,ridge=0.1";
        let found = ParameterGrid::parse_list(polynomial, Scaling::None).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].alternatives(), 1);
    }

    #[test]
    fn mistakes_are_told() {
        let error =
            |text: &str| ParameterGrid::parse_list(text, Scaling::None).unwrap_err().to_string();
        assert!(error("relief,releiff").contains("did you mean `relieff`?"));
        assert!(error("relieff:neigbors=3").contains("relieff does not take it"));
        assert!(error("relieff:5").contains("`5` is not an option of relieff"));
        assert!(error("lfe,lfe").contains("`lfe` is given twice"));
        assert!(error(" , ").contains("names no method"));
        assert!(error("relieff:neighbors=0|1").contains("0 is less than 1"));
        let real = Target::Real(vec![1.0, 2.0]);
        let three = Target::Classes(Classes::from_labels(&["a", "b", "c"]));
        assert!(parse("lfe").check(&real).is_err());
        assert!(parse("rrelieff").check(&three).is_err());
        for (name, target) in
            [("rrelieff", &real), ("pca", &real), ("euclidean", &real), ("lfe", &three)]
        {
            parse(name).check(target).unwrap();
        }
    }
}
