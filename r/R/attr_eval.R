#' Weights by the rules of CORElearn
#'
#' Computes the numbers of the Relief estimators of the function `attrEval()`
#' of the package 'CORElearn' (1.57.3), by its own rules, so that a script only
#' changes `library()`. Other estimators of that package, such as `InfGain`, do
#' not exist here. [relief()] follows the documented rules of this package and
#' has tests, groups and covariates, which these numbers do not.
#'
#' @param formula A formula, the name of the column of the target, or its
#'   number.
#' @param data A data frame; factors, texts and truth values are discrete, and
#'   all numbers are numeric.
#' @param estimator The name of an estimator; `attrEval()` with another name
#'   lists them.
#' @param costMatrix Costs of errors, for the estimators with costs: a matrix
#'   with a row per class and a column per predicted class, in the order of the
#'   levels. By default, every error costs 1.
#' @param outputNumericSplits Must be `FALSE`: splits are not computed.
#' @param ... Parameters of CORElearn: `kNearestEqual` (10), `kNearestExpRank`
#'   (70), `quotientExpRankDistance` (20), `numAttrProportionEqual` (0.04) and
#'   `numAttrProportionDifferent` (0.1). `ReliefIterations` must be 0, which
#'   stands for all rows.
#' @return A numeric vector of weights with the names of the features.
#' @references Robnik-Sikonja and Kononenko (2003), "Theoretical and empirical
#'   analysis of ReliefF and RReliefF".
#' @examples
#' attrEval(Species ~ ., iris, "ReliefFequalK", kNearestEqual = 5)
#' attrEval("Sepal.Length", iris, "RReliefFexpRank")
#' @export
attrEval <- function(formula, data, estimator, costMatrix = NULL,
                     outputNumericSplits = FALSE, ...) {
  if (!identical(outputNumericSplits, FALSE)) {
    refuse("outputNumericSplits", "splits are not computed", "leave it out")
  }
  data <- as_data(data)
  if (!inherits(formula, "formula")) {
    target <- if (is.numeric(formula)) names(data)[formula] else formula
    if (length(target) != 1 || is.na(target) || !target %in% names(data)) {
      refuse("formula", "it is not a column of the data", "name the column of the target")
    }
    formula <- stats::reformulate(".", as.name(target))
  }
  read <- read_formula(formula, data)
  given <- list(...)
  known <- c(
    "kNearestEqual", "kNearestExpRank", "quotientExpRankDistance",
    "numAttrProportionEqual", "numAttrProportionDifferent", "ReliefIterations"
  )
  unknown <- setdiff(names(given), known)
  if (length(unknown)) {
    refuse(
      "...", paste0("`", unknown[[1]], "` is not a parameter of a Relief estimator"),
      paste("the parameters are", paste(known, collapse = ", "))
    )
  }
  if (!identical(given$ReliefIterations %or% 0, 0)) {
    refuse("ReliefIterations", "random rows are not supported", "use 0 for all rows, or leave it out")
  }
  given$ReliefIterations <- NULL
  levels <- NULL
  if (!is.null(costMatrix)) {
    levels <- levels(factor(read$columns[[read$target]]))
    costMatrix <- as.numeric(t(costMatrix))
  }
  kinds <- vapply(read$columns[read$features], is.numeric, logical(1))
  found <- call_library(
    savvy_attr_eval__impl,
    columns = as_columns(read$columns),
    settings = c(given, list(
      estimator = estimator, target = read$target, data_name = "data",
      costMatrix = costMatrix, costMatrix.classes = levels,
      numeric = read$features[kinds], categorical = read$features[!kinds]
    ))
  )
  stats::setNames(found$weight, found$feature)
}
