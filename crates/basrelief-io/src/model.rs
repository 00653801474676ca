//! Model files, which store a fitted map in the safetensors format. `docs/model-file.md` describes the format. This is
//! the only file that depends on the crate `safetensors`.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use basrelief::data::{DenseMatrix, Differences, EncodedColumn, Encoding};
use basrelief::error::shorten;
use basrelief::maps::{KernelMap, LinearMap, Map};
use basrelief::solve::Kernel;
use basrelief::{Error, Result};
use flate2::Crc;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde_json::{Map as Fields, Value, json};

use crate::write::{AtomicFile, SPACE_HELP, WRITE, cannot};

/// The name of the format in a model file.
const FORMAT: &str = "basrelief-model";

/// The version of the format for dense maps of numeric columns without missing values in the fit.
const FIRST: u64 = 1;

/// The version for all other maps. It adds diagonal maps and the encoding of columns.
const SECOND: u64 = 2;

/// The version for maps with ordinal columns. It adds orders of levels.
const THIRD: u64 = 3;

/// The tensor of a diagonal, instead of a matrix.
const DIAGONAL: &str = "diagonal";

/// The entry of the header that describes the model.
const ENTRY: &str = "basrelief";

/// The tensor with the checksum of all other tensors and of the description.
const CHECKSUM: &str = "checksum";

/// The maximum size of a header in bytes; a file with a larger one is not a model.
const MOST_HEADER_BYTES: u64 = 100_000_000;

/// A fitted map with its method, options and seed.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// The map.
    pub map: Map,
    /// The name of the method that learned it.
    pub method: String,
    /// The options of the fit, fully resolved.
    pub options: Fields<String, Value>,
    /// The seed of the fit.
    pub seed: u64,
}

impl Model {
    /// The bytes of a model file. Equal models have identical bytes.
    ///
    /// # Errors
    /// A number in the map is infinite or not a number.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        to_bytes(self)
    }

    /// Reads the bytes of a model file, with the checks of [`read_model`].
    ///
    /// # Errors
    /// The bytes are not a model, have another version, or are damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let model = checked(read_bytes(&mut &*bytes).ok().flatten());
        model.map_err(|fault| Error::data(format!("not a model: {}", fault.cause), fault.help))
    }
}

/// Writes a model. The file appears only when it is complete.
///
/// Equal models produce identical bytes.
///
/// # Errors
/// The file cannot be written; a number in the map is infinite or not a number.
pub fn write_model(path: &Path, model: &Model) -> Result<()> {
    let bytes = to_bytes(model)?;
    let mut file = AtomicFile::create(path)?;
    file.write_all(&bytes).map_err(|cause| cannot(path, WRITE, cause, SPACE_HELP))?;
    file.commit()
}

/// Reads a model. Nothing in the file is executed. Sizes, names, finiteness of the numbers, and a checksum of
/// everything are checked.
///
/// # Errors
/// [`Error::File`] if the file cannot be read, is not a model, has another version, or is damaged; the message reports
/// the reason.
pub fn read_model(path: &Path) -> Result<Model> {
    let open = |cause: io::Error| cannot(path, "open it for reading", cause, "check the name");
    let mut file = File::open(path).map_err(open)?;
    if file.metadata().is_ok_and(|metadata| metadata.is_dir()) {
        return Err(cannot(path, "open it for reading", "it is a folder", "add a file name to it"));
    }
    let bytes = read_bytes(&mut file)
        .map_err(|cause| cannot(path, "read it", cause, "check that the disk is in order"))?;
    checked(bytes).map_err(|fault| cannot(path, "read it as a model", fault.cause, fault.help))
}

/// The reason why bytes are not a model, and what to do.
struct Fault {
    cause: String,
    help: &'static str,
}

type Checked<T> = std::result::Result<T, Fault>;

fn no_model(cause: impl Into<String>) -> Fault {
    Fault { cause: cause.into(), help: "give a file that `basrelief fit` wrote" }
}

fn damaged(cause: impl Into<String>) -> Fault {
    Fault { cause: cause.into(), help: "the file is damaged: fit the model again" }
}

/// The model of the bytes of a file, which are `None` if the first of them are not those of a model.
fn checked(bytes: Option<Vec<u8>>) -> Checked<Model> {
    let bytes = bytes.ok_or_else(|| no_model("it does not start with the header of a model"));
    bytes.and_then(|bytes| from_bytes(&bytes))
}

/// Reads all bytes, or returns `None` if the first bytes show that the file is not a model.
fn read_bytes(reader: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    reader.by_ref().take(9).read_to_end(&mut bytes)?;
    let Some(length) = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length)) else {
        return Ok(None);
    };
    if length > MOST_HEADER_BYTES || bytes.get(8) != Some(&b'{') {
        return Ok(None);
    }
    reader.read_to_end(&mut bytes)?;
    Ok(Some(bytes))
}

/// A tensor to write.
struct Tensor {
    name: &'static str,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Tensor {
    fn new(name: &'static str, shape: Vec<usize>, values: &[f64]) -> Result<Self> {
        if values.iter().any(|value| !value.is_finite()) {
            return Err(Error::data(
                format!("{name} of the map contains a number that is not finite"),
                "rescale the columns and fit again",
            ));
        }
        let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        Ok(Self { name, shape, bytes })
    }

    fn of_matrix(name: &'static str, matrix: &DenseMatrix) -> Result<Self> {
        Self::new(name, vec![matrix.rows(), matrix.columns()], matrix.values())
    }

    fn of_vector(name: &'static str, values: &[f64]) -> Result<Self> {
        Self::new(name, vec![values.len()], values)
    }
}

/// Returns the encoding of the columns as JSON.
fn encoding_json(encoding: &Encoding) -> Value {
    let column = |column: &EncodedColumn| {
        let mut entry = json!({"missing": column.missing(), "numbers": column.width()});
        if let Some(levels) = column.levels() {
            entry["levels"] = json!(levels);
        }
        if let Some(order) = column.order() {
            entry["order"] = json!(order);
        }
        entry
    };
    let columns: Vec<Value> = encoding.columns().iter().map(column).collect();
    json!({"differences": encoding.differences().name(), "columns": columns})
}

fn to_bytes(model: &Model) -> Result<Vec<u8>> {
    let (kind, means, mut tensors) = match &model.map {
        Map::Linear(map) => {
            let entries = match map.diagonal() {
                Some(diagonal) => Tensor::of_vector(DIAGONAL, diagonal)?,
                None => Tensor::of_matrix("matrix", map.matrix())?,
            };
            ("linear", map.mean(), vec![Tensor::of_vector("mean", map.mean())?, entries])
        }
        Map::Kernel(map) => (
            "kernel",
            map.shift(),
            vec![
                Tensor::of_vector("shift", map.shift())?,
                Tensor::of_vector("units", map.units())?,
                Tensor::of_matrix("basis", map.basis())?,
                Tensor::of_matrix("coefficients", map.coefficients())?,
                Tensor::of_vector("offset", map.offset())?,
            ],
        ),
        _ => return Err(Error::Internal("a map without a file format".to_string())),
    };
    if !model.map.eigenvalues().is_empty() {
        tensors.push(Tensor::of_vector("eigenvalues", model.map.eigenvalues())?);
    }
    let encoding = model.map.encoding();
    let is_plain = *encoding == Encoding::of_numbers(model.map.names(), means);
    if !is_plain {
        let fill = encoding.columns().iter().flat_map(|column| column.fill()).copied();
        tensors.push(Tensor::of_vector("fill", &fill.collect::<Vec<f64>>())?);
    }
    let features: Vec<&str> = encoding.columns().iter().map(EncodedColumn::name).collect();
    let mut description = json!({
        "format": FORMAT,
        "version": version_of(&model.map, is_plain),
        "basrelief": env!("CARGO_PKG_VERSION"),
        "kind": kind,
        "method": model.method,
        "options": model.options,
        "seed": model.seed,
        "discriminant_power": model.map.discriminant_power(),
        "features": features,
    });
    if !is_plain {
        description["encoding"] = encoding_json(encoding);
    }
    if let Map::Kernel(map) = &model.map {
        description["kernel"] = json!(map.kernel().to_string());
    }
    let description = description.to_string();
    tensors.sort_by_key(|tensor| tensor.name);
    let all = tensors.iter().map(|tensor| tensor.bytes.as_slice());
    let checksum = checksum(&description, all).to_le_bytes();
    let views = tensors
        .iter()
        .map(|tensor| (tensor.name, Dtype::F64, &tensor.shape, tensor.bytes.as_slice()))
        .chain([(CHECKSUM, Dtype::U32, &vec![1], checksum.as_slice())])
        .map(|(name, kind, shape, bytes)| Ok((name, TensorView::new(kind, shape.clone(), bytes)?)))
        .collect::<std::result::Result<Vec<_>, safetensors::SafeTensorError>>();
    views
        .and_then(|views| {
            safetensors::serialize(
                views,
                Some([(ENTRY.to_string(), description)].into_iter().collect()),
            )
        })
        .map_err(|cause| {
            Error::data(format!("the model cannot be written: {cause}"), "use fewer columns")
        })
}

/// Returns the first version of the format that supports a map.
fn version_of(map: &Map, is_plain: bool) -> u64 {
    if map.encoding().columns().iter().any(|column| column.order().is_some()) {
        THIRD
    } else if is_plain && !is_diagonal(map) {
        FIRST
    } else {
        SECOND
    }
}

fn is_diagonal(map: &Map) -> bool {
    matches!(map, Map::Linear(map) if map.diagonal().is_some())
}

/// Returns the CRC-32 of the description, followed by the tensors in the order of their names.
fn checksum<'t>(description: &str, tensors: impl Iterator<Item = &'t [u8]>) -> u32 {
    let mut crc = Crc::new();
    crc.update(description.as_bytes());
    tensors.for_each(|bytes| crc.update(bytes));
    crc.sum()
}

fn from_bytes(bytes: &[u8]) -> Checked<Model> {
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|cause| {
        let cause = cause.to_string();
        Fault {
            cause: shorten(cause.lines().next().unwrap_or_default(), 200),
            help: "the file is not a model, or is damaged or truncated: fit the model again",
        }
    })?;
    let description = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
    let description = description
        .ok_or_else(|| no_model("it is a safetensors file, but contains no basrelief model"))?;
    let fields: Fields<String, Value> = serde_json::from_str(description)
        .map_err(|cause| damaged(format!("its description is not a JSON object ({cause})")))?;
    // The version comes first, because everything else may differ between versions.
    match (text(&fields, "format")?, fields.get("version").and_then(Value::as_u64)) {
        (FORMAT, Some(FIRST | SECOND | THIRD)) => {}
        (FORMAT, Some(other)) => {
            return Err(Fault {
                cause: format!(
                    "it has version {other} of the format, not {FIRST}, {SECOND} or {THIRD}"
                ),
                help: "fit the model again, or use the version of basrelief that wrote it",
            });
        }
        _ => return Err(no_model("its description is not that of a basrelief model")),
    }
    let found = SafeTensors::deserialize(bytes)
        .map_err(|cause| damaged(shorten(&cause.to_string(), 200)))?;
    let mut tensors = found.tensors();
    tensors.sort_by(|a, b| a.0.cmp(&b.0));
    let stated = tensors.iter().position(|(name, _)| name == CHECKSUM);
    let stated = stated.map(|place| tensors.remove(place).1);
    let sum = checksum(description, tensors.iter().map(|(_, tensor)| tensor.data()));
    if stated.is_none_or(|stated| stated.data() != sum.to_le_bytes()) {
        return Err(damaged("its checksum does not match its contents"));
    }
    Contents { fields, tensors }.model()
}

fn text<'f>(fields: &'f Fields<String, Value>, name: &str) -> Checked<&'f str> {
    fields.get(name).and_then(Value::as_str).ok_or_else(|| damaged(format!("it has no `{name}`")))
}

/// The content of a file, after its checksum was verified.
struct Contents<'b> {
    fields: Fields<String, Value>,
    tensors: Vec<(String, TensorView<'b>)>,
}

impl Contents<'_> {
    fn version(&self) -> Option<u64> {
        self.fields.get("version").and_then(Value::as_u64)
    }

    fn model(mut self) -> Checked<Model> {
        let features = self.features()?;
        let is_second = self.version() != Some(FIRST);
        let is_encoded = is_second && self.fields.contains_key("encoding");
        let is_diagonal = is_second && self.tensors.iter().any(|(name, _)| name == DIAGONAL);
        if is_second && !is_encoded && !is_diagonal {
            return Err(damaged(format!("it has neither an `encoding` nor a tensor `{DIAGONAL}`")));
        }
        let encoding = is_encoded.then(|| self.encoding(&features)).transpose()?;
        let names = encoding.as_ref().map_or(features, Encoding::part_names);
        let map = match text(&self.fields, "kind")? {
            "linear" => Map::Linear(self.linear(names, is_diagonal)?),
            "kernel" => Map::Kernel(self.kernel(names)?),
            other => return Err(no_model(format!("it is a `{}` map", shorten(other, 40)))),
        };
        let map = match encoding {
            Some(encoding) => map.with_encoding(encoding),
            None => map,
        };
        if let Some((name, _)) = self.tensors.first() {
            return Err(damaged(format!("it has an unexpected tensor, `{}`", shorten(name, 40))));
        }
        let method = text(&self.fields, "method")?.to_string();
        let seed = self.fields.get("seed").and_then(Value::as_u64);
        let seed = seed.ok_or_else(|| damaged("it has no `seed`"))?;
        match self.fields.remove("options") {
            Some(Value::Object(options)) => Ok(Model { map, method, options, seed }),
            _ => Err(damaged("it has no `options`")),
        }
    }

    /// Reads the encoding of the columns with these names.
    fn encoding(&mut self, features: &[String]) -> Checked<Encoding> {
        let wrong = || damaged("its `encoding` does not match its features");
        let Some(Value::Object(fields)) = self.fields.remove("encoding") else {
            return Err(wrong());
        };
        let has_orders = self.version() == Some(THIRD);
        let differences = fields.get("differences").and_then(Value::as_str);
        let differences = differences.and_then(Differences::from_name).ok_or_else(wrong)?;
        let columns = fields.get("columns").and_then(Value::as_array).ok_or_else(wrong)?;
        if columns.len() != features.len() {
            return Err(wrong());
        }
        let mut fill = self.tensor("fill", [None])?.0.into_iter();
        let mut read = |(name, column): (&String, &Value)| {
            let count = |name: &str| usize::try_from(column.get(name)?.as_u64()?).ok();
            let texts = |name: &str| -> Option<Option<Vec<String>>> {
                let Some(texts) = column.get(name) else { return Some(None) };
                let texts = texts.as_array()?.iter().map(|text| text.as_str().map(String::from));
                texts.collect::<Option<_>>().map(Some)
            };
            let (levels, order) = (texts("levels")?, texts("order")?);
            let numbers = count("numbers")?;
            let own: Vec<f64> = fill.by_ref().take(numbers).collect();
            let missing = count("missing")?;
            let column = match (levels, order) {
                (levels, None) => EncodedColumn::new(name, levels, missing, own)?,
                (None, Some(order)) if has_orders => {
                    EncodedColumn::ordinal(name, order, missing, own)?
                }
                _ => return None,
            };
            (column.width() == numbers).then_some(column)
        };
        let columns: Option<Vec<EncodedColumn>> =
            features.iter().zip(columns).map(&mut read).collect();
        let columns = columns.filter(|_| fill.next().is_none()).ok_or_else(wrong)?;
        Ok(Encoding::new(differences, columns))
    }

    fn linear(&mut self, names: Vec<String>, is_diagonal: bool) -> Checked<LinearMap> {
        let mean = self.tensor("mean", [Some(names.len())])?.0;
        if is_diagonal {
            let diagonal = self.tensor(DIAGONAL, [None])?.0;
            if diagonal.len() > names.len() {
                return Err(damaged(
                    "its tensor `diagonal` has more entries than there are features",
                ));
            }
            return Ok(LinearMap::from_diagonal(names, mean, diagonal));
        }
        let (matrix, [components, width]) = self.tensor("matrix", [None, Some(names.len())])?;
        let matrix = DenseMatrix::new(matrix, components, width);
        let eigenvalues = self.eigenvalues(components)?;
        let power = self.discriminant_power()?;
        Ok(LinearMap::new(names, mean, matrix, eigenvalues, power))
    }

    fn kernel(&mut self, names: Vec<String>) -> Checked<KernelMap> {
        let kernel = text(&self.fields, "kernel")?;
        let kernel: Kernel =
            kernel.parse().map_err(|cause| damaged(format!("its kernel: {cause}")))?;
        let width = Some(names.len());
        let shift = self.tensor("shift", [width])?.0;
        let units = self.tensor("units", [width])?.0;
        let (basis, [rows, columns]) = self.tensor("basis", [None, width])?;
        let basis = DenseMatrix::new(basis, rows, columns);
        let (coefficients, [components, _]) = self.tensor("coefficients", [None, Some(rows)])?;
        let coefficients = DenseMatrix::new(coefficients, components, rows);
        let offset = self.tensor("offset", [Some(components)])?.0;
        if units.contains(&0.0) {
            return Err(damaged("its tensor `units` contains a 0"));
        }
        let eigenvalues = self.eigenvalues(components)?;
        let power = self.discriminant_power()?;
        let linear = (coefficients, offset);
        Ok(KernelMap::new(names, (shift, units), kernel, basis, linear, eigenvalues, power))
    }

    fn features(&mut self) -> Checked<Vec<String>> {
        let wrong = || damaged("its `features` are not a list of unique names");
        let Some(Value::Array(list)) = self.fields.remove("features") else { return Err(wrong()) };
        let names: Option<Vec<String>> =
            list.into_iter().map(|name| name.as_str().map(str::to_string)).collect();
        let names = names.ok_or_else(wrong)?;
        let different: std::collections::HashSet<&str> = names.iter().map(String::as_str).collect();
        if names.is_empty() || different.len() < names.len() {
            return Err(wrong());
        }
        Ok(names)
    }

    fn discriminant_power(&self) -> Checked<Option<f64>> {
        match self.fields.get("discriminant_power") {
            None | Some(Value::Null) => Ok(None),
            Some(power) => match power.as_f64() {
                Some(power) if power.is_finite() => Ok(Some(power)),
                _ => Err(damaged("its `discriminant_power` is not a finite number")),
            },
        }
    }

    fn eigenvalues(&mut self, components: usize) -> Checked<Vec<f64>> {
        if self.tensors.iter().all(|(name, _)| name != "eigenvalues") {
            return Ok(Vec::new());
        }
        Ok(self.tensor("eigenvalues", [Some(components)])?.0)
    }

    /// Removes a tensor and returns its numbers and its shape. `sizes` contains the sizes that are known in advance.
    fn tensor<const DIMENSIONS: usize>(
        &mut self,
        name: &str,
        sizes: [Option<usize>; DIMENSIONS],
    ) -> Checked<(Vec<f64>, [usize; DIMENSIONS])> {
        let place = self.tensors.iter().position(|(own, _)| own == name);
        let place = place.ok_or_else(|| damaged(format!("it has no tensor `{name}`")))?;
        let (_, tensor) = self.tensors.remove(place);
        if tensor.dtype() != Dtype::F64 {
            let kind = tensor.dtype();
            return Err(damaged(format!("its tensor `{name}` is of type {kind}, not F64")));
        }
        let shape: Option<[usize; DIMENSIONS]> = tensor.shape().try_into().ok();
        let fits = |shape: &[usize; DIMENSIONS]| {
            shape.iter().zip(&sizes).all(|(own, wanted)| wanted.unwrap_or(*own) == *own)
        };
        let shape = shape.filter(fits).ok_or_else(|| {
            let wanted: Vec<String> = sizes
                .iter()
                .map(|size| size.map_or_else(|| "any".to_string(), |size| size.to_string()))
                .collect();
            damaged(format!(
                "its tensor `{name}` has the shape {:?}, not [{}]",
                tensor.shape(),
                wanted.join(", ")
            ))
        })?;
        let (chunks, _) = tensor.data().as_chunks::<8>();
        let values: Vec<f64> = chunks.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        if values.iter().any(|value| !value.is_finite()) {
            return Err(damaged(format!(
                "its tensor `{name}` contains a value that is infinite or not a number"
            )));
        }
        Ok((values, shape))
    }
}
