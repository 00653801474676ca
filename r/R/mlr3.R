#' A filter for mlr3
#'
#' Makes the class of a filter of 'mlr3filters' that scores features by
#' [relief()]. It was written from the documentation of that package, and is
#' not tested.
#'
#' @return A class of 'R6', whose method `new()` makes a filter with the
#'   parameters `method`, `k` and `permutations`.
#' @examples
#' \dontrun{
#' filter <- filter_relief()$new()
#' filter$param_set$values$method <- "multisurf"
#' filter$calculate(mlr3::tsk("iris"))
#' }
#' @export
filter_relief <- function() {
  for (package in c("R6", "mlr3filters", "paradox")) {
    if (!requireNamespace(package, quietly = TRUE)) {
      refuse("filter_relief", paste0("the package '", package, "' is not installed"), "install it")
    }
  }
  R6 <- getExportedValue("R6", "R6Class")
  paradox <- asNamespace("paradox")
  R6(
    "FilterRelief",
    inherit = getExportedValue("mlr3filters", "Filter"),
    public = list(
      initialize = function() {
        super$initialize(
          id = "relief", task_types = c("classif", "regr"),
          feature_types = c("integer", "numeric", "factor", "ordered", "logical", "character"),
          param_set = paradox$ps(
            method = paradox$p_fct(subset(relief_methods(), type == "weights")$name),
            k = paradox$p_int(lower = 1L),
            permutations = paradox$p_int(lower = 0L)
          ),
          packages = "basrelief", label = "Relief weights"
        )
      }
    ),
    private = list(
      .calculate = function(task, nfeat) {
        arguments <- c(
          list(as.data.frame(task$data(cols = task$feature_names)), task$truth()),
          self$param_set$values
        )
        weights(do.call(relief, arguments))
      }
    )
  )
}

# Names that R6 and subset() know.
utils::globalVariables(c("super", "self", "type"))
