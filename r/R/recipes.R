#' A step for recipes: keep the best features
#'
#' `step_select_relief()` weighs the selected predictors by [relief()] on the
#' training set, and keeps those with the largest weights.
#'
#' @param recipe A recipe.
#' @param ... Selectors of predictors, such as `recipes::all_predictors()`.
#' @param outcome The name of the outcome; by default, the one variable of the
#'   recipe with that role.
#' @param num_terms The number of predictors that are kept.
#' @param neighbors The number of nearest neighbors, for methods that have it.
#' @param method The name of a method in [relief_methods()].
#' @param options A list of other arguments of [relief()].
#' @param role,trained,removals,weights,skip,id Arguments of all steps of
#'   'recipes', which users rarely set.
#' @return The recipe with the step. `tidy()` of the prepared step is a tibble
#'   of `terms`, their `weight`, and whether they were `removed`. `num_terms`
#'   and `neighbors` can be tuned.
#' @examplesIf requireNamespace("recipes", quietly = TRUE)
#' recipe <- recipes::recipe(Species ~ ., iris)
#' recipe <- step_select_relief(recipe, recipes::all_predictors(), num_terms = 2)
#' recipes::bake(recipes::prep(recipe), iris[1:3, ])
#' @export
step_select_relief <- function(recipe, ..., outcome = NULL, num_terms = 10,
                               neighbors = NULL, method = "multisurf",
                               options = list(), role = NA, trained = FALSE,
                               removals = NULL, weights = NULL, skip = FALSE,
                               id = recipes::rand_id("select_relief")) {
  recipes::add_step(recipe, new_step(
    terms = rlang::enquos(...), outcome = outcome, num_terms = num_terms,
    neighbors = neighbors, method = method, options = options, role = role,
    trained = trained, removals = removals, weights = weights, skip = skip, id = id
  ))
}

new_step <- function(...) recipes::step(subclass = "select_relief", ...)

#' @exportS3Method recipes::prep
prep.step_select_relief <- function(x, training, info = NULL, ...) {
  names <- recipes::recipes_eval_select(x$terms, training, info)
  outcome <- x$outcome %or% info$variable[info$role == "outcome"]
  outcome <- intersect(outcome, names(training))
  if (length(outcome) != 1) {
    refuse(
      "outcome", paste("the recipe has", length(outcome), "outcomes"),
      "name one of its variables"
    )
  }
  names <- setdiff(names, outcome)
  weights <- stats::setNames(numeric(), character())
  if (length(names)) {
    arguments <- c(
      list(
        as.data.frame(training)[names], training[[outcome]], x$method
      ),
      if (!is.null(x$neighbors)) list(k = x$neighbors), x$options
    )
    weights <- stats::weights(do.call(relief, arguments))
  }
  best <- utils::head(names(sort(weights, decreasing = TRUE)), x$num_terms)
  step <- unclass(x)
  step$trained <- TRUE
  step$removals <- setdiff(names, best)
  step$weights <- weights
  do.call(new_step, step)
}

#' @exportS3Method recipes::bake
bake.step_select_relief <- function(object, new_data, ...) {
  new_data[setdiff(names(new_data), object$removals)]
}

#' @export
print.step_select_relief <- function(x, width = max(20, options()$width - 30), ...) {
  title <- paste0("Selection by Relief (", x$method, ") ")
  recipes::print_step(x$removals, x$terms, x$trained, title, width)
  invisible(x)
}

#' @exportS3Method recipes::tidy
tidy.step_select_relief <- function(x, ...) {
  if (recipes::is_trained(x)) {
    found <- tibble::tibble(
      terms = names(x$weights), weight = unname(x$weights),
      removed = names(x$weights) %in% x$removals
    )
  } else {
    found <- tibble::tibble(
      terms = recipes::sel2char(x$terms), weight = NA_real_, removed = NA
    )
  }
  found$id <- rep(x$id, nrow(found))
  found
}

#' @exportS3Method generics::required_pkgs
required_pkgs.step_select_relief <- function(x, ...) c("basrelief", "recipes")

#' @exportS3Method generics::tunable
tunable.step_select_relief <- function(x, ...) {
  tibble::tibble(
    name = c("num_terms", "neighbors"),
    call_info = list(
      list(pkg = "dials", fun = "num_terms"), list(pkg = "dials", fun = "neighbors")
    ),
    source = "recipe", component = "step_select_relief", component_id = x$id
  )
}
