# Data frames, formulas and roles of rows as the library reads them.

# The columns of a list as the library reads them: the values, the levels of
# factors and texts, and the types.
as_columns <- function(data) {
  read <- lapply(seq_along(data), function(place) {
    as_column(data[[place]], names(data)[[place]])
  })
  names <- enc2utf8(names(data) %or% character())
  list(
    values = stats::setNames(lapply(read, `[[`, "values"), names),
    levels = stats::setNames(lapply(read, `[[`, "levels"), names),
    types = vapply(read, `[[`, character(1), "type")
  )
}

as_column <- function(values, name) {
  refuse_column <- function(what, help) {
    stop("column `", name, "`: ", what, "; ", help, call. = FALSE)
  }
  if (is.factor(values)) {
    # A level that stands for missing values is missing.
    if (anyNA(levels(values))) values <- factor(values, ordered = is.ordered(values))
    # Levels without rows say nothing, except in an order.
    if (!is.ordered(values)) values <- droplevels(values)
    return(list(
      values = as.integer(values),
      levels = enc2utf8(levels(values)),
      type = if (is.ordered(values)) "ordered" else "factor"
    ))
  }
  is_time <- inherits(values, c("Date", "POSIXt", "difftime"))
  if (is_time) {
    refuse_column(
      "its values are dates or times",
      "use as.numeric() if they are quantities, or leave the column out"
    )
  }
  if (inherits(values, "integer64")) {
    refuse_column("its type is integer64", "use as.numeric() if its numbers are below 2^53")
  }
  if (is.list(values) || is.complex(values) || is.raw(values) || is.function(values)) {
    refuse_column(
      paste0("its type is ", typeof(values)),
      "use numbers, texts or factors, or leave the column out"
    )
  }
  if (length(dim(values)) > 1) {
    refuse_column("it is a matrix", "make a column of every column of the matrix")
  }
  if (is.logical(values)) {
    values <- factor(values, levels = c(FALSE, TRUE))
    return(as_column(droplevels(values), name))
  }
  if (is.character(values)) {
    levels <- unique(values[!is.na(values)])
    return(list(values = match(values, levels), levels = enc2utf8(levels), type = "texts"))
  }
  if (is.numeric(values)) {
    return(list(values = as.double(values), levels = NULL, type = "numbers"))
  }
  refuse_column(
    paste0("its class is ", class(values)[[1]]),
    "use numbers, texts or factors, or leave the column out"
  )
}

# Checks that an argument is a data frame or a matrix with names, and returns a
# list of its columns.
as_data <- function(data, argument = "data") {
  if (is.matrix(data)) {
    names <- colnames(data) %or% paste0("x", seq_len(ncol(data)))
    columns <- lapply(seq_len(ncol(data)), function(column) data[, column])
    data <- structure(
      stats::setNames(columns, names),
      row.names = .set_row_names(nrow(data)), class = "data.frame"
    )
  }
  if (!is.data.frame(data)) {
    refuse(
      argument, paste0("its class is ", class(data)[[1]]),
      "give a data frame or a matrix with a row per sample"
    )
  }
  if (nrow(data) == 0) refuse(argument, "it has no rows", "give a row per sample")
  if (anyDuplicated(names(data))) {
    name <- names(data)[[anyDuplicated(names(data))]]
    refuse(argument, paste0("two columns are named `", name, "`"), "give every column its own name")
  }
  data
}

# The features and the target that a formula names.
#
# Returns a list of `columns` (all columns that the library reads), the name of
# the `target` and that of the column of `event`s, and the names of `features`.
read_formula <- function(formula, data, needs_target = TRUE) {
  data <- as_data(data)
  where <- environment(formula)
  has_target <- length(formula) == 3
  if (!has_target && needs_target) {
    refuse("formula", "it has no left side", "write the target before `~`, as in y ~ .")
  }
  found <- list(columns = list(), target = NULL, event = NULL)
  used <- character()
  if (has_target) {
    left <- formula[[2]]
    used <- all.vars(left)
    found <- as_target(evaluate(left, data, where), deparse1(left), nrow(data))
  }
  features <- read_terms(formula[[length(formula)]], data, where, used)
  taken <- intersect(names(features), names(found$columns))
  if (length(taken)) {
    refuse(
      "formula", paste0("`", taken[[1]], "` is on both sides"),
      "leave the target out of the features"
    )
  }
  if (!length(features)) {
    refuse("formula", "no feature remains", "name columns on the right side, or write `.` for all")
  }
  found$features <- names(features)
  found$columns <- c(features, found$columns)
  found$rows <- nrow(data)
  found
}

# The features of a data frame or matrix, and a target, in the form of
# `read_formula()`.
read_features <- function(features, target) {
  data <- as_data(features, "x")
  found <- as_target(target, "y", nrow(data))
  taken <- intersect(names(found$columns), names(data))
  if (length(taken)) {
    refuse("x", paste0("it has a column `", taken[[1]], "`, the name of the target"), "rename the column")
  }
  found$features <- names(data)
  found$columns <- c(as.list(data), found$columns)
  found$rows <- nrow(data)
  found
}

# The value of an expression in the data.
evaluate <- function(expression, data, where) {
  unknown <- setdiff(all.vars(expression), names(data))
  for (name in unknown) {
    if (!exists(name, envir = where)) {
      refuse("formula", paste0("the data have no column `", name, "`"), "check the name")
    }
  }
  eval(expression, data, where)
}

# The target as columns: a vector, several targets as a matrix, or a survival
# object.
as_target <- function(value, name, rows) {
  if (inherits(value, "Surv")) {
    type <- attr(value, "type")
    if (!identical(type, "right")) {
      refuse(
        "formula", paste0("the survival times are of type `", type, "`"),
        "only right-censored times are supported: Surv(time, event)"
      )
    }
    value <- unclass(value)
    columns <- list(as.double(value[, "time"]), as.double(value[, "status"]))
    return(list(
      columns = stats::setNames(columns, c(name, ".event")), target = name, event = ".event"
    ))
  }
  if (is.matrix(value) || is.data.frame(value)) {
    names <- colnames(value) %or% character(ncol(value))
    colnames(value) <- ifelse(nzchar(names), names, paste0("y", seq_along(names)))
    value <- as.list(as_data(value, "the target"))
    if (any(grepl(",", names(value), fixed = TRUE))) {
      refuse("formula", "the name of a target has a comma", "rename the column")
    }
    return(list(columns = value, target = paste(names(value), collapse = ","), event = NULL))
  }
  if (NROW(value) != rows) {
    refuse(
      "formula", sprintf("the target has %d values for %d rows", NROW(value), rows),
      "give one value per row"
    )
  }
  list(columns = stats::setNames(list(value), name), target = name, event = NULL)
}

# The columns that the right side of a formula names, in its order.
read_terms <- function(expression, data, where, used) {
  # A sum of many terms is nested deeply, so that it is unrolled.
  parts <- list()
  while (is.call(expression) && as.character(expression[[1]])[[1]] %in% c("+", "-", "(")) {
    sign <- as.character(expression[[1]])[[1]]
    if (sign == "(") {
      expression <- expression[[2]]
    } else if (length(expression) == 2) {
      parts <- c(list(list(sign, expression[[2]])), parts)
      expression <- 0
    } else {
      parts <- c(list(list(sign, expression[[3]])), parts)
      expression <- expression[[2]]
    }
  }
  parts <- c(list(list("+", expression)), parts)
  chosen <- list()
  for (part in parts) {
    own <- read_term(part[[2]], data, where, used)
    if (part[[1]] == "+") {
      chosen <- c(chosen, own[setdiff(names(own), names(chosen))])
    } else {
      chosen <- chosen[setdiff(names(chosen), names(own))]
    }
  }
  chosen
}

read_term <- function(term, data, where, used) {
  if (is.numeric(term)) {
    # An intercept, which a ranking does not have.
    return(list())
  }
  if (identical(term, quote(.))) {
    return(as.list(data)[setdiff(names(data), used)])
  }
  if (is.call(term)) {
    operator <- as.character(term[[1]])[[1]]
    if (operator %in% c("+", "-", "(")) {
      return(read_terms(term, data, where, used))
    }
    if (operator %in% c(":", "*", "^", "%in%", "/", "|")) {
      refuse(
        "formula", paste0("`", deparse1(term), "` is an interaction"),
        "list the features with `+`: Relief finds features that interact without it"
      )
    }
  }
  value <- evaluate(term, data, where)
  if (NROW(value) != nrow(data)) {
    refuse(
      "formula",
      sprintf("`%s` has %d values for %d rows", deparse1(term), NROW(value), nrow(data)),
      "give one value per row"
    )
  }
  name <- if (is.name(term)) as.character(term) else deparse1(term)
  stats::setNames(list(value), name)
}

# Adds a column with a role to the columns that are read: the name of a column,
# or one value per row. Returns the columns and the name.
add_role <- function(read, value, argument, data = NULL) {
  if (is.null(value)) {
    return(list(read = read, name = NULL))
  }
  if (inherits(value, "formula")) value <- all.vars(value)
  if (is.character(value) && length(value) == 1) {
    if (is.null(read$columns[[value]]) && !is.null(data)) {
      if (is.null(data[[value]])) {
        refuse(argument, paste0("the data have no column `", value, "`"), "check the name")
      }
      read$columns[[value]] <- data[[value]]
    }
    return(list(read = read, name = value))
  }
  if (length(value) != read$rows) {
    refuse(
      argument, sprintf("it has %d values for %d rows", length(value), read$rows),
      "give the name of a column, or one value per row"
    )
  }
  name <- argument
  while (!is.null(read$columns[[name]])) name <- paste0(".", name)
  read$columns[[name]] <- value
  list(read = read, name = name)
}

# Adds covariates: names of columns, a one-sided formula, or a data frame.
add_covariates <- function(read, value, data = NULL) {
  if (is.null(value)) {
    return(list(read = read, names = NULL))
  }
  if (inherits(value, "formula")) value <- all.vars(value)
  if (is.character(value)) {
    for (name in value) {
      read <- add_role(read, name, "covariates", data)$read
    }
    return(list(read = read, names = value))
  }
  if (is.null(dim(value))) value <- data.frame(covariate = value)
  value <- as_data(value, "covariates")
  if (nrow(value) != read$rows) {
    refuse(
      "covariates", sprintf("they have %d rows, and the data %d", nrow(value), read$rows),
      "give a row per row of the data"
    )
  }
  taken <- intersect(names(value), names(read$columns))
  if (length(taken)) {
    refuse(
      "covariates", paste0("the data have a column `", taken[[1]], "` too"),
      "name the column of the data, or rename the covariate"
    )
  }
  read$columns <- c(read$columns, as.list(value))
  list(read = read, names = names(value))
}
