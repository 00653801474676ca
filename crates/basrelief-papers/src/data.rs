//! The data sets of the papers: their names, shapes, sources, and their files in a folder.

use std::path::{Path, PathBuf};

use basrelief::data::{
    ColumnKind, KindOverrides, Split, Table, Target, TargetKind, build_problem_parts,
};
use basrelief::{Error, Result, Run};
use basrelief_io::{ReadOptions, checksum_of_file, read_table};

/// The environment variable with the path of the folder with the data sets.
pub const DATA_VARIABLE: &str = "BASRELIEF_DATA";

/// The column with the classes.
const TARGET: &str = "target";

/// A data set of a paper.
#[derive(Debug)]
pub struct DataSet {
    /// The name of the file, without `.csv` or `.csv.gz`.
    pub file: &'static str,
    /// The numbers of rows, features and classes.
    pub shape: (usize, usize, usize),
    /// The source from which it can be obtained.
    pub source: &'static str,
}

/// The rows of a data set with their classes.
#[derive(Debug)]
pub(crate) struct Data {
    pub(crate) table: Table<'static>,
    pub(crate) target: Target,
}

/// A data set of the user, which an experiment adds to those of the paper.
#[derive(Debug)]
pub struct AddedSet {
    /// Its name in tables.
    pub(crate) name: String,
    pub(crate) data: Data,
    /// Identifies the contents.
    pub(crate) fingerprint: String,
}

impl AddedSet {
    /// A data set of numbers with classes; `fingerprint` identifies its contents.
    ///
    /// # Errors
    /// A column that is not numeric or has missing values; a target without classes, or with a class of one row.
    pub fn new(
        name: String,
        table: Table<'static>,
        target: Target,
        fingerprint: String,
    ) -> Result<Self> {
        for column in table.columns() {
            let quoted = format!("column `{}`", column.name());
            if column.kind() != ColumnKind::Numeric {
                let problem = format!(
                    "{quoted} is {}, and the paper's methods take numbers",
                    column.kind().name()
                );
                return Err(Error::data(problem, "write numbers into it, or remove the column"));
            }
            if column.missing() > 0 {
                let problem = format!("{quoted} has {} missing values", column.missing());
                return Err(Error::data(
                    problem,
                    "fill them in, or remove these rows or the column",
                ));
            }
        }
        target.classes(&name)?;
        Split::halves(&target, None, 1, 0, 0)?;
        Ok(Self { name, data: Data { table, target }, fingerprint })
    }
}

/// The folder with the data sets, if there is one.
#[derive(Debug, Clone, Default)]
pub struct DataFolder(Option<PathBuf>);

impl DataFolder {
    /// Returns the given folder; otherwise the folder of the environment variable, if it is set; otherwise none.
    ///
    /// # Errors
    /// The given folder does not exist.
    pub fn find(given: Option<&Path>) -> Result<Self> {
        let named = given.map(Path::to_path_buf).or_else(|| {
            std::env::var_os(DATA_VARIABLE).filter(|name| !name.is_empty()).map(PathBuf::from)
        });
        match named {
            // The environment variable may contain a folder of another machine; then the sets are missing.
            Some(path) if !path.is_dir() && given.is_some() => Err(Error::File {
                path,
                action: "read it as a folder".to_string(),
                cause: "there is no such folder".into(),
                help: format!("give the folder with the data sets with --data or {DATA_VARIABLE}")
                    .into(),
            }),
            named => Ok(Self(named)),
        }
    }

    pub(crate) fn has(&self, set: &DataSet) -> bool {
        self.file(set).is_some()
    }

    fn file(&self, set: &DataSet) -> Option<PathBuf> {
        let folder = self.0.as_ref()?;
        let names = ["csv", "csv.gz"].map(|ending| folder.join(format!("{}.{ending}", set.file)));
        names.into_iter().find(|path| path.is_file())
    }

    /// Returns the fingerprint of a file: the first 64 bits of its [checksum](basrelief::Checksum), or `missing`.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(crate) fn fingerprint(&self, set: &DataSet) -> Result<String> {
        let Some(path) = self.file(set) else { return Ok("missing".to_string()) };
        Ok(format!("{:016x}", checksum_of_file(&path)?.number()))
    }

    /// Reads a data set with all features as numbers. Returns `None` if its file is missing.
    ///
    /// # Errors
    /// The file cannot be read, or its shape is not that of the data set.
    pub(crate) fn load(&self, set: &DataSet, run: &Run) -> Result<Option<Data>> {
        let Some(path) = self.file(set) else { return Ok(None) };
        let kinds = KindOverrides { all: Some(ColumnKind::Numeric), ..KindOverrides::default() };
        let options = ReadOptions {
            kinds: kinds.clone(),
            keep_text: vec![TARGET.to_string()],
            ..ReadOptions::default()
        };
        let raw = read_table(&path, &options, &run.part(run.seed()))?;
        let (table, target, _) =
            build_problem_parts(raw, TARGET, TargetKind::Classes, &kinds, &[])?;
        let found = (table.rows(), table.width(), target.classes(set.file)?.len());
        if found == set.shape {
            return Ok(Some(Data { table, target }));
        }
        let words = |(rows, features, classes): (usize, usize, usize)| {
            format!("{rows} rows, {features} features and {classes} classes")
        };
        let problem = format!("{}, but the experiment has {}", words(found), words(set.shape));
        Err(Error::data(problem, format!("get the data set from {}", set.source)).in_file(&path))
    }

    /// The advice for a missing data set.
    pub(crate) fn advice(&self, set: &DataSet) -> String {
        let place = match &self.0 {
            Some(folder) => format!("put it into {}", folder.display()),
            None => format!("put it into a folder, and give that with --data or {DATA_VARIABLE}"),
        };
        format!(
            "{0} is omitted, because {0}.csv (or .csv.gz) is missing: get it from {1}, with a header and \
             the classes in the column `{TARGET}`, and {place}",
            set.file, set.source
        )
    }
}

/// The error that all data sets of the quick form are missing.
pub(crate) fn nothing_for_quick() -> Error {
    Error::option("data", "all data sets of the quick form are missing", "omit --quick")
}

macro_rules! sets {
    ($($name:ident = $file:literal, $shape:expr, $source:literal;)*) => {
        $(pub(crate) static $name: DataSet = DataSet { file: $file, shape: $shape, source: $source };)*
    };
}

sets! {
    IRIS = "iris", (150, 4, 3), "scikit-learn (load_iris) or the UCI repository";
    WINE = "wine", (178, 13, 3), "scikit-learn (load_wine) or the UCI repository";
    BREAST_CANCER = "breast_cancer_wisconsin_id", (683, 10, 2),
        "the UCI repository, Breast Cancer Wisconsin (Original): complete rows, with the sample id as the \
         first feature";
    PIMA = "pima_diabetes", (768, 8, 2), "the R package mlbench (PimaIndiansDiabetes)";
    BALANCE = "balance", (625, 4, 3), "the UCI repository, Balance Scale";
    IONOSPHERE = "ionosphere", (351, 34, 2), "the UCI repository, Ionosphere";
    USPS = "usps", (9298, 256, 10),
        "the R package ElemStatLearn (the 7291 rows of zip.train, then those of zip.test)";
    SPAMBASE = "spambase", (4601, 57, 2), "the UCI repository, Spambase";
    PROSTATE = "prostate", (102, 12_600, 2), "the R package SIS (prostate.train)";
    YALE = "extended_yale_b", (2414, 1024, 38), "the Extended Yale B faces, 32 x 32 pixels";
    BANANA = "banana", (5300, 2, 2), "Raetsch's benchmark collection, all rows";
    TWONORM = "twonorm", (7400, 20, 2), "Raetsch's benchmark collection, all rows";
    WAVEFORM = "waveform", (5000, 21, 2), "Raetsch's benchmark collection, all rows";
    RINGNORM = "ringnorm", (7400, 20, 2), "Raetsch's benchmark collection, all rows";
    SPLICE = "splice", (3175, 60, 2), "Raetsch's benchmark collection, all rows";
    THYROID = "thyroid", (215, 5, 2), "Raetsch's benchmark collection, all rows";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_and_what_is_not_there_is_told() {
        let place = tempfile::tempdir().unwrap();
        let (folder, run) = (place.path(), Run::new(Some(1)).unwrap());
        let set = DataSet { file: "tiny", shape: (3, 2, 2), source: "nowhere" };
        let data = DataFolder::find(Some(folder)).unwrap();
        assert!(data.load(&set, &run).unwrap().is_none());
        assert_eq!(data.fingerprint(&set).unwrap(), "missing");
        assert!(
            data.advice(&set).contains("tiny.csv (or .csv.gz) is missing: get it from nowhere")
        );

        std::fs::write(folder.join("tiny.csv"), "a,b,target\n0,1,x\n1,0,y\n2,2,x\n").unwrap();
        let found = data.load(&set, &run).unwrap().unwrap();
        // Here 0, 1 and 2 are numbers, not genotypes.
        assert_eq!(found.table.count(ColumnKind::Numeric), 2);
        assert_ne!(data.fingerprint(&set).unwrap(), "missing");
        std::fs::write(folder.join("tiny.csv"), "a,b,target\n0,1,x\n1,0,y\n").unwrap();
        let error = data.load(&set, &run).unwrap_err().to_string();
        assert!(
            error.contains("2 rows, 2 features and 2 classes, but the experiment has 3"),
            "{error}"
        );
        assert!(DataFolder::find(Some(&folder.join("none"))).is_err());
    }
}
