#' Weigh features, and test their weights
#'
#' Computes the weight of every feature by a method of the Relief family: how
#' much more a row differs in the feature from its nearest neighbors of other
#' classes than from those of its own class. Features that only interact have
#' large weights too.
#'
#' @param x A formula such as `y ~ .`, with the target on the left and the
#'   features on the right; a data frame or matrix of features; or a cohort of
#'   [read_plink()].
#' @param data For a formula, a data frame or matrix with a row per sample; for
#'   features in `x`, the target. Factors and texts are categories, ordered
#'   factors are ordinal, `NA` is missing, and columns of only 0, 1 and 2 are
#'   genotypes (copies of an allele), unless `categorical`, `ordinal`,
#'   `genotype` or `numeric` names them. The target is classes (a factor or
#'   texts), a quantity (numbers), survival times
#'   (`survival::Surv(time, event)`) or several targets
#'   (`cbind(y1, y2)`, for the methods that accept them).
#' @param method The name of a method in [relief_methods()].
#' @param k The number of nearest neighbors, of methods that have this option;
#'   several numbers for `relieff` and `rrelieff`.
#' @param ... Other options of the method, by their names in
#'   [relief_methods()].
#' @param permutations The number of permutations of the target for p-values; 0
#'   for no test, `"adaptive"` to stop early where a feature is clearly not
#'   significant.
#' @param groups Groups of rows that are not independent, such as the rows of
#'   one subject: the name of a column, or one value per row. Rows of one group
#'   are never neighbors, and permutations keep groups whole. For a cohort,
#'   `"fid"` stands for families.
#' @param covariates Covariates, which are not ranked: names of columns, a
#'   one-sided formula such as `~ age + sex`, or a data frame with a row per
#'   row. State their use with `residuals`, `caliper` or `covariate_distance`.
#'   For a cohort, names of columns of its file of covariates.
#' @param residuals Whether the target is adjusted for the covariates: the
#'   weights are those for its residuals after least squares (numbers),
#'   logistic regression (two classes) or Cox regression (survival times).
#' @param caliper The largest difference of neighbors in a numeric covariate,
#'   in standard deviations; categories must be equal.
#' @param covariate_distance Whether the covariates are part of the distances.
#' @param drop_missing_covariates Whether rows with a missing covariate are
#'   left out.
#' @param strata Strata, such as batches, within which a test permutes the
#'   target: the name of a column, or one value per row.
#' @param weights Weights of the rows: the name of a column, or one number per
#'   row. A row of weight w counts as w rows, and one of weight 0 is left out.
#' @param group_weight `"group"` if all groups count equally, `"rows"` if all
#'   rows do.
#' @param priors Prior probabilities of the classes: a named vector,
#'   `"uniform"`, or `"data"` for the proportions in the data.
#' @param correction Which corrected p-values select features: `"max-t"`,
#'   `"studentized"`, `"min-p"`, `"fdr"` or `"storey"`.
#' @param alpha The level of the selection.
#' @param sided `"one"` or `"two"`: whether only large weights are evidence.
#' @param intervals Whether 95 % intervals of the expected weights are
#'   computed, for the methods that have them.
#' @param rank_by `"weight"` or `"absolute"`.
#' @param blocks Blocks of features, each of which counts as one feature in
#'   distances: a named list of names of columns, or `"prefix:_"` for the text
#'   before the first `_` of a name.
#' @param block_scale `"size"`, `"variance"` or `"max"`.
#' @param wrap Wrappers around the method: `"turf"`, `"vls"` or `"iter"`, with
#'   options as in `"turf:keep=20"`.
#' @param categorical,genotype,numeric Names of columns of this kind.
#' @param ordinal Names of columns whose numbers are in order, or a named list
#'   of the levels of columns in ascending order.
#' @param target_type `"auto"`, `"classes"` or `"real"`: how numbers in the
#'   target are read.
#' @param unlabeled The value of the target in rows whose label is unknown, or
#'   `"missing"` for rows without a target. A method for classes and a map use
#'   these rows only to scale the features; for other methods they can be
#'   neighbors, but their pairs do not count. Without it, rows without a target
#'   are excluded.
#' @param report The name of a file for a page (HTML) with the results.
#' @param force Whether an existing file is replaced.
#' @param seed The seed of all random choices, a whole number from 0.
#' @param threads The number of threads; `NULL` for one per core.
#'
#' @return A data frame of class `relief` with a row per feature, best first:
#'   `feature`, `weight`, `kind` (how the column was read) and, after a test,
#'   `p_value`, `adjusted` (for all features together), `q_value` and
#'   `selected`; with intervals `lower` and `upper`. `weights()` of it are the
#'   weights in the order of the columns. `attr(, "json")` holds all results
#'   for programs.
#'
#' @seealso [relief_methods()], [attrEval()]
#' @references Robnik-Sikonja and Kononenko (2003), "Theoretical and empirical
#'   analysis of ReliefF and RReliefF". Urbanowicz et al. (2018), "Benchmarking
#'   relief-based feature selection methods for bioinformatics data mining".
#' @examples
#' relief(Species ~ ., iris)
#' tested <- relief(Species ~ ., iris, "relieff", k = 10, permutations = 99)
#' tested[tested$selected, c("feature", "weight", "adjusted")]
#' @export
relief <- function(x, data, method = "multisurf", k = 10, ...,
                   permutations = 0, groups = NULL, covariates = NULL,
                   residuals = FALSE, caliper = NULL,
                   covariate_distance = FALSE, drop_missing_covariates = FALSE,
                   strata = NULL, weights = NULL, group_weight = NULL,
                   priors = NULL, correction = NULL, alpha = NULL, sided = NULL,
                   intervals = FALSE, rank_by = NULL, blocks = NULL,
                   block_scale = NULL, wrap = NULL, categorical = NULL,
                   genotype = NULL, numeric = NULL, ordinal = NULL,
                   target_type = NULL, unlabeled = NULL, report = NULL,
                   force = FALSE, seed = 0, threads = NULL) {
  call <- sys.call()
  named <- list(strata = strata, groups = groups, weights = weights, covariates = covariates)
  read <- list(columns = list())
  cohort <- NULL
  if (inherits(x, "basrelief_cohort")) {
    if (!missing(data)) {
      refuse("data", "a cohort has its data and phenotype", "leave it out, and name all other arguments")
    }
    cohort <- x$settings
  } else {
    if (missing(data)) {
      refuse("data", "it is not given", "give the data of a formula, or the target of features")
    }
    is_formula <- inherits(x, "formula")
    read <- if (is_formula) read_formula(x, data) else read_features(x, data)
    known <- if (is_formula) data
    for (role in c("strata", "groups", "weights")) {
      added <- add_role(read, named[[role]], role, known)
      read <- added$read
      named[role] <- list(added$name)
    }
    added <- add_covariates(read, covariates, known)
    read <- added$read
    named["covariates"] <- list(added$names)
  }
  source <- if (inherits(x, "formula")) substitute(data) else substitute(x)
  settings <- c(named, cohort, list(
    data_name = data_name(source), target = read$target, event = read$event,
    method = method, options = as_options(c(if (!missing(k)) list(k = k), list(...))),
    permutations = permutations, residuals = residuals, caliper = caliper,
    covariate_distance = covariate_distance,
    drop_missing_covariates = drop_missing_covariates,
    group_weight = group_weight, priors = priors, correction = correction,
    alpha = alpha, sided = sided, intervals = intervals, rank_by = rank_by,
    blocks = blocks, block_scale = block_scale, wrap = wrap, categorical = categorical,
    genotype = genotype, numeric = numeric, ordinal = ordinal,
    target_type = target_type, unlabeled = as_unlabeled(unlabeled),
    report = if (!is.null(report)) path.expand(report), force = force,
    seed = seed, threads = threads, call = if (!is.null(report)) deparse1(call)
  ))
  found <- call_library(savvy_rank__impl, columns = as_columns(read$columns), settings = settings)
  as_ranking(found)
}

# The value of unlabeled rows as a text.
as_unlabeled <- function(unlabeled) {
  if (!is.null(unlabeled)) as.character(unlabeled)
}

# The name of the data in messages and on pages.
data_name <- function(expression) {
  if (is.name(expression)) as.character(expression) else "data"
}

as_ranking <- function(found) {
  columns <- list(feature = found$feature, weight = found$weight)
  test <- found$test
  if (!is.null(test)) {
    columns$p_value <- test$p_value
    columns$adjusted <- test$adjusted
    columns$q_value <- test$q_value
    columns$selected <- test$selected
  }
  columns <- c(columns, found$intervals, list(kind = found$kind))
  order <- order(found$rank, seq_along(found$rank))
  ranking <- as.data.frame(lapply(columns, `[`, order))
  about <- found$about
  if (!is.null(test)) about <- c(about, test$summary)
  blocks <- if (!is.null(found$blocks)) {
    as.data.frame(found$blocks[!vapply(found$blocks, is.null, logical(1))])
  }
  structure(
    ranking,
    class = c("relief", "data.frame"),
    about = about, order = order, json = found$json, blocks = blocks,
    by_neighbors = found$by_neighbors
  )
}

#' Print, draw and use a ranking
#'
#' @param x,object A ranking of [relief()].
#' @param n The number of features that are shown.
#' @param ... For `print()`, arguments of `print.data.frame()`; for `plot()`,
#'   those of `barplot()`.
#' @return `print()` and `plot()` return `x` invisibly; `weights()` returns the
#'   weights with the names of the features, in the order of the columns.
#' @examples
#' found <- relief(Species ~ ., iris)
#' print(found, n = 2)
#' plot(found)
#' weights(found)
#' @export
print.relief <- function(x, n = 20, ...) {
  about <- attr(x, "about")
  if (!is.null(about)) cat(about, sep = "\n")
  shown <- utils::head(as.data.frame(x), n)
  class(shown) <- "data.frame"
  print(shown, ...)
  if (nrow(x) > n) cat("... and", nrow(x) - n, "more features\n")
  invisible(x)
}

#' @rdname print.relief
#' @export
plot.relief <- function(x, n = 20, ...) {
  shown <- utils::head(as.data.frame(x), n)
  shown <- shown[rev(seq_len(nrow(shown))), ]
  arguments <- list(
    height = shown$weight, names.arg = shown$feature, horiz = TRUE, las = 1,
    xlab = "weight",
    col = if (is.null(shown$selected)) "grey" else ifelse(shown$selected, "steelblue", "grey")
  )
  given <- list(...)
  arguments[names(given)] <- given
  if (!is.null(shown$lower) && is.null(given$xlim)) {
    arguments$xlim <- range(0, shown$lower, shown$upper, na.rm = TRUE)
  }
  width <- max(graphics::strwidth(shown$feature, "inches", cex = graphics::par("cex.axis")), 0.5)
  old <- graphics::par(mai = replace(graphics::par("mai"), 2, min(width + 0.3, 3)))
  on.exit(graphics::par(old))
  places <- do.call(graphics::barplot, arguments)
  if (!is.null(shown$lower)) graphics::segments(shown$lower, places, shown$upper, places)
  invisible(x)
}

#' @rdname print.relief
#' @importFrom stats weights
#' @export
weights.relief <- function(object, ...) {
  order <- attr(object, "order")
  if (is.null(order) || length(order) != nrow(object)) {
    return(stats::setNames(object$weight, object$feature))
  }
  back <- order(order)
  stats::setNames(object$weight[back], object$feature[back])
}

#' The methods
#'
#' @return A data frame with a row per method, map and wrapper: `name`, `type`
#'   (`weights` for [relief()], `map` for [map_features()], `wrapper` for the
#'   argument `wrap` of [relief()]), the `task` (the targets that it accepts),
#'   its `purpose`, its `source`, and the names of its `options`.
#' @examples
#' subset(relief_methods(), type == "map", c(name, purpose))
#' @export
relief_methods <- function() {
  as.data.frame(.Call(savvy_methods__impl))
}
