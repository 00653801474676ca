#' Relief feature weights, margin-based metrics and permutation tests
#'
#' [relief()] weighs the features of a data frame or the variants of a cohort,
#' and tests the weights. [map_features()] and the functions of one method,
#' such as [lfe()], learn maps for nearest neighbors. [relief_methods()] lists
#' all methods. [attrEval()] computes the numbers of the Relief estimators of
#' 'CORElearn'. [step_select_relief()] is a step for 'recipes'.
#'
#' Long computations stop within a second after an interrupt. In interactive
#' sessions they show progress; `options(basrelief.progress = FALSE)` turns
#' this off. `options(basrelief.threads = 1)` sets the number of threads for
#' all calls, which by default is that of the cores. Results do not depend on
#' it.
#'
#' @keywords internal
#' @useDynLib basrelief, .registration = TRUE
"_PACKAGE"

# Stops with an error of the user's input, in the format of the library.
refuse <- function(setting, problem, help) {
  stop(setting, ": ", problem, "; ", help, call. = FALSE)
}

shows_progress <- function() isTRUE(getOption("basrelief.progress", interactive()))

# Shows warnings of the library, and notes about the computation where
# progress is shown.
tell <- function(answer) {
  if (shows_progress()) for (note in answer$notes) message(note)
  for (warning in answer$warnings) warning(warning, call. = FALSE)
}

# A function that the library calls several times a second while it works. It
# lets R handle interrupts, and shows progress in interactive sessions.
watcher <- function() {
  start <- proc.time()[["elapsed"]]
  is_shown <- FALSE
  shows <- shows_progress()
  see <- function(stage, done, total) {
    # Without this, R would not notice an interrupt.
    Sys.sleep(0)
    if (shows && nzchar(stage) && proc.time()[["elapsed"]] - start > 1) {
      is_shown <<- TRUE
      share <- if (total > 0) sprintf(" %3.0f %%", 100 * done / total) else ""
      cat(sprintf("\r%-78s", paste0(stage, share)), file = stderr())
    }
    NULL
  }
  clear <- function() {
    if (is_shown) cat(sprintf("\r%78s\r", ""), file = stderr())
  }
  list(see = see, clear = clear)
}

# Calls a function of the library with a data frame, settings and a watcher.
call_library <- function(routine, ..., columns = NULL, settings) {
  watcher <- watcher()
  on.exit(watcher$clear())
  settings$threads <- settings$threads %or% getOption("basrelief.threads")
  settings <- as_settings(settings)
  answer <- if (is.null(columns)) {
    .Call(routine, ..., settings, watcher$see)
  } else {
    .Call(
      routine, ..., columns$values, columns$levels, columns$types, settings,
      watcher$see
    )
  }
  tell(answer)
  answer
}

`%or%` <- function(value, other) if (is.null(value)) other else value

# Settings as named lists of texts; the names of a setting's elements are a
# separate setting. Lists are flattened, and settings that are NULL left out.
as_settings <- function(settings) {
  settings <- settings[!vapply(settings, is.null, logical(1))]
  are_lists <- vapply(settings, is.list, logical(1))
  settings[are_lists] <- lapply(settings[are_lists], flat)
  texts <- lapply(settings, as_texts)
  names_of <- lapply(settings, names)
  named <- !vapply(names_of, is.null, logical(1))
  if (any(named)) {
    more <- lapply(names_of[named], enc2utf8)
    names(more) <- paste0(names(settings)[named], ".names")
    texts <- c(texts, more)
  }
  texts
}

# A named list of vectors as one vector, in which every element has the name of
# its vector.
flat <- function(listed) {
  stats::setNames(
    unlist(lapply(listed, as.character), use.names = FALSE),
    rep(names(listed), lengths(listed))
  )
}

# Texts that are read back as the same values, with 15 digits where these are enough.
as_texts <- function(values) {
  if (is.numeric(values)) {
    known <- which(!is.na(values))
    whole <- known[values[known] == round(values[known]) & abs(values[known]) < 2^53]
    texts <- sprintf("%.15g", values)
    longer <- known[as.numeric(texts[known]) != values[known]]
    texts[longer] <- sprintf("%.17g", values[longer])
    texts[whole] <- sprintf("%.0f", values[whole])
    texts
  } else if (is.logical(values)) {
    ifelse(is.na(values), "NA", ifelse(values, "TRUE", "FALSE"))
  } else {
    enc2utf8(as.character(values))
  }
}

# The options of a method from `...`.
as_options <- function(given) {
  if (!length(given)) {
    return(NULL)
  }
  names <- names(given)
  if (is.null(names) || any(!nzchar(names))) {
    refuse(
      "...", "an argument has no name",
      "name every option of the method, as in k = 5"
    )
  }
  given <- given[!vapply(given, is.null, logical(1))]
  texts <- vapply(given, function(value) {
    if (!is.atomic(value)) refuse("...", "an option is a list", "give a number or a text")
    if (is.logical(value)) value <- ifelse(value, "yes", "no")
    paste(as_texts(value), collapse = ":")
  }, character(1))
  names(texts)[names(texts) == "k"] <- "n_neighbors"
  texts
}
