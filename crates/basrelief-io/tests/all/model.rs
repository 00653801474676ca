//! Model files: what is written reads back to the bit, and whatever is wrong is an error.

use std::path::Path;

use basrelief::data::{DenseMatrix, Differences, EncodedColumn, Encoding};
use basrelief::maps::{KernelMap, LinearMap, Map};
use basrelief::solve::Kernel;
use basrelief_io::{Model, read_model, write_model};
use proptest::prelude::*;
use serde_json::json;

use super::{assert_says, entries};

fn names(count: usize) -> Vec<String> {
    (0..count).map(|k| format!("f\"{k}\n")).collect()
}

fn model(map: Map) -> Model {
    let options = json!({"n_neighbors": 3, "scale": "none", "tol": 1e-6});
    let options = options.as_object().unwrap().clone();
    Model { map, method: "lfe".to_string(), options, seed: u64::MAX }
}

fn linear() -> Model {
    let matrix = DenseMatrix::new(vec![0.1, -0.0, 1e-300, 2.0, f64::MAX, -5e-324], 2, 3);
    let map =
        LinearMap::new(names(3), vec![0.3, 0.1 + 0.2, -7.0], matrix, vec![2.0, 0.1], Some(0.3));
    model(Map::Linear(map))
}

fn diagonal() -> Model {
    let mean = vec![0.3, 0.1 + 0.2, -7.0];
    model(Map::Linear(LinearMap::from_diagonal(names(3), mean, vec![0.1, 1e-300])))
}

fn kernel() -> Model {
    let basis = DenseMatrix::new((0..12).map(|k| f64::from(k) / 7.0).collect(), 4, 3);
    let coefficients = DenseMatrix::new((0..8).map(|k| f64::from(k) / 3.0).collect(), 2, 4);
    let map = KernelMap::new(
        names(3),
        (vec![0.3, 0.2, -7.0], vec![1.0, 0.1, 3.0]),
        Kernel::Rbf { rho: 0.1 + 0.2 },
        basis,
        (coefficients, vec![0.5, -0.25]),
        Vec::new(),
        None,
    );
    model(Map::Kernel(map))
}

/// A model of numbers with missing values, and of categories.
fn encoded() -> Model {
    let levels = vec!["a\"".to_string(), "b\n".to_string()];
    let columns = [
        EncodedColumn::new("x", None, 7, vec![0.1 + 0.2, 3.0]),
        EncodedColumn::new("c", Some(levels), 0, vec![0.25, 1.0 / 3.0]),
        EncodedColumn::new("none", Some(Vec::new()), 3, Vec::new()),
    ];
    let columns = columns.into_iter().collect::<Option<Vec<EncodedColumn>>>().unwrap();
    let matrix = DenseMatrix::new((0..8).map(|k| f64::from(k) / 9.0).collect(), 2, 4);
    let map = LinearMap::new(names(4), vec![0.3, 1.0, 0.2, 0.1], matrix, Vec::new(), None);
    model(Map::Linear(map.with_encoding(Encoding::new(Differences::Absolute, columns))))
}

/// A model of levels in an order.
fn ordinal() -> Model {
    let order = ["low", "<mid>", "high"].map(String::from).to_vec();
    let column = EncodedColumn::ordinal("grade", order, 2, vec![0.25, 0.5]).unwrap();
    let matrix = DenseMatrix::new(vec![1.5, 0.25], 1, 2);
    let map = LinearMap::new(names(2), vec![0.25, 0.1], matrix, Vec::new(), None);
    model(Map::Linear(map.with_encoding(Encoding::new(Differences::Squared, vec![column]))))
}

/// The bytes of a model's file.
fn bytes(model: &Model) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.basrelief");
    write_model(&path, model).unwrap();
    assert_eq!(entries(folder.path()), ["m.basrelief"]);
    std::fs::read(&path).unwrap()
}

fn read(bytes: &[u8]) -> basrelief::Result<Model> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.basrelief");
    std::fs::write(&path, bytes).unwrap();
    let found = read_model(&path);
    if let Err(error) = &found {
        let message = error.to_string();
        assert!(message.contains(path.to_str().unwrap()), "{message}");
        assert!(message.len() < 600 && message.lines().count() == 1, "{message}");
    }
    found
}

fn message(bytes: &[u8]) -> String {
    read(bytes).unwrap_err().to_string()
}

/// The header and the tensors of a file.
fn parts(bytes: &[u8]) -> (serde_json::Value, Vec<u8>) {
    let length = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (serde_json::from_slice(&bytes[8..8 + length]).unwrap(), bytes[8 + length..].to_vec())
}

fn join(header: &serde_json::Value, tensors: &[u8]) -> Vec<u8> {
    let header = header.to_string();
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), tensors].concat()
}

/// A file of which the description was changed and the checksum set right.
fn described(model: &Model, change: impl FnOnce(&mut serde_json::Value)) -> Vec<u8> {
    let (mut header, mut tensors) = parts(&bytes(model));
    let entry = &mut header["__metadata__"]["basrelief"];
    let mut description = serde_json::from_str(entry.as_str().unwrap()).unwrap();
    change(&mut description);
    *entry = description.to_string().into();
    let mut places: Vec<(String, usize, usize)> = header
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| !["__metadata__", "checksum"].contains(&name.as_str()))
        .map(|(name, tensor)| {
            let at = |k: usize| tensor["data_offsets"][k].as_u64().unwrap() as usize;
            (name.clone(), at(0), at(1))
        })
        .collect();
    places.sort();
    let mut crc = flate2::Crc::new();
    crc.update(header["__metadata__"]["basrelief"].as_str().unwrap().as_bytes());
    places.iter().for_each(|(_, from, to)| crc.update(&tensors[*from..*to]));
    let end = tensors.len();
    tensors[end - 4..].copy_from_slice(&crc.sum().to_le_bytes());
    join(&header, &tensors)
}

#[test]
fn what_is_written_reads_back_to_the_bit() {
    for model in [linear(), diagonal(), kernel(), encoded(), ordinal()] {
        let written = bytes(&model);
        assert_eq!(bytes(&model), written, "the same model, the same bytes");
        let back = read(&written).unwrap();
        assert_eq!(back, model);
        // `==` does not tell 0 from -0.
        assert_eq!(bytes(&back), written);
        // The tests' own checksum is that of the format.
        assert_eq!(read(&described(&model, |_| {})).unwrap(), model);
    }
}

/// The version that a file states, with what it says of itself.
fn description(model: &Model) -> serde_json::Value {
    let header = parts(&bytes(model)).0;
    let entry = header["__metadata__"]["basrelief"].as_str().unwrap().to_string();
    serde_json::from_str(&entry).unwrap()
}

#[test]
fn a_diagonal_map_of_many_columns_is_a_small_file() {
    let count = 2000;
    let map = LinearMap::from_diagonal(names(count), vec![0.5; count], vec![2.0; count]);
    let written = bytes(&model(Map::Linear(map)));
    assert!(written.len() < 40 * count, "{} bytes", written.len());
    let wrong = described(&diagonal(), |d| d["version"] = 1.into());
    assert_says(&message(&wrong), &["no tensor `matrix`"]);
}

/// A plain map's file is as it was before there were others, so that older programs read it.
#[test]
fn the_version_is_the_first_that_can_hold_the_model() {
    for model in [linear(), kernel()] {
        let description = description(&model);
        assert_eq!(description["version"], 1);
        assert_eq!(description.get("encoding"), None);
    }
    let description_of_diagonal = description(&diagonal());
    assert_eq!(description_of_diagonal["version"], 2);
    assert_eq!(description_of_diagonal.get("encoding"), None);
    let description = description(&encoded());
    assert_eq!(description["version"], 2);
    assert_eq!(description["features"], json!(["x", "c", "none"]));
    assert_eq!(description["encoding"]["columns"][1]["levels"], json!(["a\"", "b\n"]));
    let of_order = self::description(&ordinal());
    assert_eq!(of_order["version"], 3);
    assert_eq!(of_order["encoding"]["columns"][0]["order"], json!(["low", "<mid>", "high"]));
    // Older programs would take such a column for numbers.
    let says = "its `encoding` does not match its features";
    let earlier = described(&ordinal(), |d| d["version"] = 2.into());
    assert_says(&message(&earlier), &[says]);
    let twice = described(&ordinal(), |d| {
        d["encoding"]["columns"][0]["order"][0] = "high".into();
    });
    assert_says(&message(&twice), &[says]);
}

#[test]
fn other_files_are_no_models() {
    assert_says(
        &message(b""),
        &["read it as a model", "does not start with the header of a model"],
    );
    assert_says(&message(b"x1,x2,class\n1,2,a\n"), &["does not start with the header of a model"]);
    let foreign =
        join(&json!({"w": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}), &[0; 4]);
    assert_says(&message(&foreign), &["safetensors file", "no basrelief model"]);
    let foreign = join(&json!({"__metadata__": {"basrelief": "{\"format\": \"other\"}"}}), &[]);
    assert_says(&message(&foreign), &["not that of a basrelief model"]);
    let folder = tempfile::tempdir().unwrap();
    let error = read_model(folder.path()).unwrap_err().to_string();
    assert_says(&error, &["it is a folder"]);
    let error = read_model(&folder.path().join("none")).unwrap_err().to_string();
    assert_says(&error, &["none", "open it for reading"]);
}

#[test]
fn what_is_wrong_is_told() {
    let model = linear();
    let whole = bytes(&model);
    assert_says(&message(&whole[..whole.len() - 1]), &["truncated"]);
    assert_says(&message(&[&whole[..], b"x"].concat()), &["damaged"]);

    let wrong = |change: fn(&mut serde_json::Value)| message(&described(&linear(), change));
    assert_says(&wrong(|d| d["version"] = 4.into()), &["version 4", "not 1, 2 or 3"]);
    assert_says(&wrong(|d| d["version"] = 2.into()), &["`encoding`", "`diagonal`"]);
    assert_says(&wrong(|d| d["kind"] = "cubic".into()), &["`cubic` map"]);
    assert_says(&wrong(|d| d["features"] = json!(["a", "b"])), &["`mean`", "shape [3], not [2]"]);
    assert_says(&wrong(|d| d["features"] = json!(["a", "b", "a"])), &["unique names"]);
    assert_says(&wrong(|d| d["features"] = json!(["a", "b", 3])), &["unique names"]);
    assert_says(&wrong(|d| d["method"] = json!(3)), &["no `method`"]);
    assert_says(&wrong(|d| d["seed"] = json!(-1)), &["no `seed`"]);
    assert_says(&wrong(|d| d["options"] = json!([])), &["no `options`"]);
    assert_says(&wrong(|d| d["discriminant_power"] = json!("x")), &["discriminant_power"]);
    let wrong = |change: fn(&mut serde_json::Value)| message(&described(&kernel(), change));
    assert_says(&wrong(|d| d["kernel"] = "rbf:rho=-1".into()), &["its kernel", "above 0"]);
    assert_says(&wrong(|d| d["kind"] = "linear".into()), &["no tensor `mean`"]);

    let wrong = |change: fn(&mut serde_json::Value)| message(&described(&encoded(), change));
    let says = "`encoding` does not match its features";
    assert_says(&wrong(|d| d["features"] = json!(["x", "c"])), &[says]);
    assert_says(&wrong(|d| d["encoding"]["differences"] = json!("cubic")), &[says]);
    for (field, value) in [
        ("missing", json!(-1)),
        ("missing", json!(0)),
        ("numbers", json!(1)),
        ("numbers", json!(u64::MAX)),
        ("levels", json!(["a", "b", "c"])),
        ("levels", json!([1])),
        ("levels", json!(3)),
    ] {
        let changed = described(&encoded(), |d| d["encoding"]["columns"][0][field] = value.clone());
        assert_says(&message(&changed), &[says]);
    }
    let twice = |d: &mut serde_json::Value| {
        d["encoding"]["columns"][1]["levels"] = json!(["a", "a"]);
    };
    assert_says(&message(&described(&encoded(), twice)), &[says]);
    assert_says(&wrong(|d| d["version"] = 1.into()), &["shape [4], not [3]"]);

    // A tensor of another type, one too many, one too few.
    let (mut header, tensors) = parts(&described(&model, |_| {}));
    header["mean"]["dtype"] = "I64".into();
    assert_says(&message(&join(&header, &tensors)), &["`mean` is of type I64"]);
    let (mut header, tensors) = parts(&whole);
    let moved = header.as_object_mut().unwrap().shift_remove("eigenvalues").unwrap();
    header["zzz"] = moved;
    // The order of the names, and with it the checksum, is another.
    assert_says(&message(&join(&header, &tensors)), &["checksum"]);
    let (mut header, tensors) = parts(&whole);
    header["matrix"]["shape"] = json!([3, 2]);
    assert_says(&message(&join(&header, &tensors)), &["`matrix`", "shape [3, 2], not [any, 3]"]);
}

#[test]
fn numbers_that_are_not_finite_are_refused_on_both_ways() {
    let matrix = DenseMatrix::new(vec![1.0, f64::NAN], 1, 2);
    let map = LinearMap::new(names(2), vec![0.0; 2], matrix, Vec::new(), None);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.basrelief");
    let error = write_model(&path, &model(Map::Linear(map))).unwrap_err().to_string();
    assert_says(&error, &["matrix", "not finite"]);
    assert!(entries(folder.path()).is_empty());

    // Infinity in place of the first number of the file, with the right checksum.
    let (header, mut tensors) = parts(&bytes(&linear()));
    tensors[..8].copy_from_slice(&f64::INFINITY.to_le_bytes());
    let damaged = join(&header, &tensors);
    assert_says(&message(&damaged), &["checksum"]);
}

#[test]
fn a_model_is_written_whole_or_not_at_all() {
    let error = write_model(Path::new("no/such/folder/m"), &linear()).unwrap_err().to_string();
    assert_says(&error, &["no/such/folder"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_linear_map_reads_back(
        components in 1..4_usize,
        features in 1..6_usize,
        bits in proptest::collection::vec(any::<f64>().prop_filter("finite", |v| v.is_finite()), 60),
        with_eigenvalues in any::<bool>(),
    ) {
        let mut numbers = bits.into_iter();
        let mut take = |count: usize| numbers.by_ref().take(count).collect::<Vec<f64>>();
        let mean = take(features);
        let matrix = DenseMatrix::new(take(components * features), components, features);
        let eigenvalues = if with_eigenvalues { take(components) } else { Vec::new() };
        let power = take(1)[0];
        let map = LinearMap::new(names(features), mean, matrix, eigenvalues, Some(power));
        let written = model(Map::Linear(map));
        prop_assert_eq!(read(&bytes(&written)).unwrap(), written);
    }

    #[test]
    fn a_changed_byte_is_an_error_and_never_a_panic(
        place in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
        kind in 0..3_usize,
    ) {
        let model = [kernel, linear, encoded][kind]();
        let mut bytes = bytes(&model);
        let place = place.index(bytes.len());
        bytes[place] ^= flip;
        // Only blanks and the spelling of JSON may change without a trace.
        if let Ok(back) = read(&bytes) {
            prop_assert_eq!(back, model);
        }
    }

    #[test]
    fn a_truncated_file_is_an_error(place in any::<prop::sample::Index>()) {
        let bytes = bytes(&kernel());
        prop_assert!(read(&bytes[..place.index(bytes.len())]).is_err());
    }
}

#[test]
fn a_map_without_components_reads_back() {
    let map =
        LinearMap::new(names(3), vec![0.0; 3], DenseMatrix::zeros(0, 3), Vec::new(), Some(0.0));
    let model = model(Map::Linear(map));
    assert_eq!(read(&bytes(&model)).unwrap(), model);
}
