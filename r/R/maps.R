#' Learn maps for nearest neighbors
#'
#' A map takes rows to coordinates in which rows of one class are near each
#' other and far from those of other classes. `map_features()` learns one by
#' any method of type `map` in [relief_methods()]; the other functions have
#' the names of their methods.
#'
#' @param formula A formula such as `y ~ .`; for methods without a target
#'   (`pca`, `kpca`), `~ .`.
#' @inheritParams relief
#' @param ... Options of the method, by their names in [relief_methods()], such
#'   as `n_components = 2`.
#' @param method The name of the method.
#'
#' @return An object of class `relief_map`, for which there are methods of
#'   `print()`, `predict()` (a matrix of coordinates, one row per row of
#'   `newdata`), `coef()` (the matrix of a linear map, one row per coordinate)
#'   and `plot()`. [write_map()] stores it in the format of the program and of
#'   the Python package.
#' @examples
#' map <- lfe(Species ~ ., iris, n_components = 2)
#' head(predict(map, iris))
#' coef(map)
#' @export
map_features <- function(formula, data, method = "lfe", ..., categorical = NULL,
                         genotype = NULL, numeric = NULL, ordinal = NULL,
                         target_type = NULL, unlabeled = NULL, report = NULL, force = FALSE,
                         seed = 0, threads = NULL) {
  learn_map(
    formula, data, method, list(...), categorical, genotype, numeric, ordinal,
    target_type, unlabeled, report, force, seed, threads, sys.call(), data_name(substitute(data))
  )
}

learn_map <- function(formula, data, method, options, categorical, genotype, numeric,
                      ordinal, target_type, unlabeled, report, force, seed, threads, call,
                      name) {
  read <- read_formula(formula, data, needs_target = FALSE)
  found <- call_library(
    savvy_learn__impl,
    columns = as_columns(read$columns),
    settings = list(
      data_name = name, target = read$target, event = read$event,
      method = method, options = as_options(options), categorical = categorical,
      genotype = genotype, numeric = numeric, ordinal = ordinal,
      target_type = target_type, unlabeled = as_unlabeled(unlabeled),
      report = if (!is.null(report)) path.expand(report), force = force,
      seed = seed, threads = threads, call = if (!is.null(report)) deparse1(call)
    )
  )
  as_map(found)
}

as_map <- function(found) {
  matrix <- NULL
  if (!is.null(found$matrix)) {
    names <- list(coordinates(found$method, found$components), found$columns)
    matrix <- matrix(found$matrix, found$components, byrow = TRUE, dimnames = names)
  }
  structure(
    list(
      model = found$model, method = found$method, features = found$features,
      components = found$components, eigenvalues = found$eigenvalues,
      matrix = matrix, about = found$about
    ),
    class = "relief_map"
  )
}

coordinates <- function(method, count) paste0(method, "_", seq_len(count))

# A function of one method: `map_features()` with this method.
of_method <- function(method) {
  learn <- map_features
  formals(learn)$method <- NULL
  body(learn) <- do.call(substitute, list(body(map_features), list(method = method)))
  learn
}

#' @rdname map_features
#' @export
lfe <- of_method("lfe")

#' @rdname map_features
#' @export
nca <- of_method("nca")

#' @rdname map_features
#' @export
lmnn <- of_method("lmnn")

#' @rdname map_features
#' @export
lfda <- of_method("lfda")

#' @rdname map_features
#' @export
mfa <- of_method("mfa")

#' @rdname map_features
#' @export
mlkr <- of_method("mlkr")

#' @rdname map_features
#' @export
ldm <- of_method("ldm")

#' @rdname map_features
#' @export
itml <- of_method("itml")

#' @rdname map_features
#' @export
sdml <- of_method("sdml")

#' @rdname map_features
#' @export
mmc <- of_method("mmc")

#' @rdname map_features
#' @export
frobmetric <- of_method("frobmetric")

#' @rdname map_features
#' @export
lsml <- of_method("lsml")

#' @rdname map_features
#' @export
scml <- of_method("scml")

#' @rdname map_features
#' @export
dann <- of_method("dann")

#' @rdname map_features
#' @export
rca <- of_method("rca")

#' @rdname map_features
#' @export
gi_relief <- of_method("gi-relief")

#' @rdname map_features
#' @export
o_relief <- of_method("o-relief")

#' @rdname map_features
#' @export
klfe <- of_method("klfe")

#' @rdname map_features
#' @param object,x A map.
#' @param newdata A data frame or matrix with the columns of the features.
#' @export
predict.relief_map <- function(object, newdata, threads = NULL, ...) {
  if (missing(newdata)) {
    refuse("newdata", "it is not given", "give the rows to map; a map does not keep those of its fit")
  }
  data <- as_data(newdata, "newdata")
  missing <- setdiff(object$features, names(data))
  if (length(missing)) {
    refuse("newdata", paste0("it has no column `", missing[[1]], "`"), "add the column")
  }
  found <- call_library(
    savvy_transform__impl, object$model,
    columns = as_columns(as.list(data)[object$features]),
    settings = list(data_name = data_name(substitute(newdata)), threads = threads)
  )
  matrix(
    found$values, found$rows,
    dimnames = list(NULL, coordinates(found$method, length(found$values) / found$rows))
  )
}

#' @rdname map_features
#' @export
print.relief_map <- function(x, ...) {
  if (is.null(x$about)) {
    cat(
      "map of ", length(x$features), " features to ", x$components, " coordinates by ", x$method,
      "\n",
      sep = ""
    )
  } else {
    cat(x$about, sep = "\n")
  }
  invisible(x)
}

#' @rdname map_features
#' @importFrom stats coef
#' @export
coef.relief_map <- function(object, ...) {
  if (is.null(object$matrix)) {
    refuse("object", paste0("the map of ", object$method, " is not linear"), "use predict()")
  }
  object$matrix
}

#' @rdname map_features
#' @param col Colors of the rows, or their classes.
#' @export
plot.relief_map <- function(x, newdata, col = NULL, ...) {
  mapped <- stats::predict(x, newdata)
  if (is.factor(col) || is.character(col)) col <- as.integer(factor(col))
  if (ncol(mapped) == 1) {
    graphics::plot(mapped[, 1], ylab = colnames(mapped), xlab = "row", col = col %or% 1, ...)
  } else {
    graphics::plot(mapped[, 1:2], col = col %or% 1, ...)
  }
  invisible(x)
}

#' Store and read maps
#'
#' The file is that of `basrelief fit --model` and of `save()` of the Python
#' package, which can read it, too.
#'
#' @param map A map of [map_features()].
#' @param file The name of the file.
#' @param force Whether an existing file is replaced.
#' @return `read_map()` returns a map; `write_map()` returns `file` invisibly.
#' @examples
#' file <- tempfile(fileext = ".safetensors")
#' write_map(lfe(Species ~ ., iris), file)
#' read_map(file)
#' @export
write_map <- function(map, file, force = FALSE) {
  if (file.exists(file) && !force) {
    refuse("file", paste0("`", file, "` exists"), "use force = TRUE to replace it")
  }
  # Nobody sees a file that is half written.
  part <- tempfile("map", tmpdir = dirname(file))
  on.exit(unlink(part))
  writeBin(map$model, part)
  if (!file.rename(part, file)) refuse("file", paste0("`", file, "` cannot be written"), "check the name")
  invisible(file)
}

#' @rdname write_map
#' @export
read_map <- function(file) {
  if (!file.exists(file)) refuse("file", paste0("`", file, "` does not exist"), "check the name")
  bytes <- readBin(file, "raw", file.size(file))
  as_map(.Call(savvy_summary__impl, bytes))
}
