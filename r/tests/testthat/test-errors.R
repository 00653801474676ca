# Expects an error whose message has all parts.
fails <- function(code, ...) {
  message <- conditionMessage(expect_error(code))
  for (part in c(...)) expect_match(message, part, fixed = TRUE)
}

test_that("formulas are refused with a way forward", {
  fails(relief(~., iris), "it has no left side", "y ~ .")
  fails(relief(Class ~ ., iris), "no column `Class`")
  fails(relief(Species ~ Sepal.Length * Petal.Width, iris), "interaction", "+")
  fails(relief(Species ~ Sepal.Length + Area, iris), "no column `Area`")
  fails(relief(Species ~ 1, iris), "no feature remains")
  fails(relief(Species ~ . - Sepal.Length - Sepal.Width - Petal.Length - Petal.Width, iris), "no feature")
  fails(relief(Species ~ Species + Petal.Width, iris), "both sides")
})

test_that("data are refused with a way forward", {
  fails(relief(Species ~ ., iris[0, ]), "no rows")
  fails(relief(Species ~ ., as.list(iris)), "its class is list")
  dates <- cbind(iris, day = as.Date("2026-01-01") + seq_len(150))
  fails(relief(Species ~ ., dates), "`day`", "dates", "as.numeric()")
  lists <- iris
  lists$what <- as.list(seq_len(150))
  fails(relief(Species ~ ., lists), "`what`", "list")
  infinite <- iris
  infinite$Petal.Width[7] <- Inf
  fails(relief(Species ~ ., infinite), "Petal.Width", "row 7", "NA")
  double <- stats::setNames(iris, c("a", "a", "b", "c", "Species"))
  fails(relief(Species ~ ., double), "two columns are named `a`")
  complex <- cbind(iris, z = complex(150))
  fails(relief(Species ~ ., complex), "`z`", "complex")
  expect_error(relief(iris[1:4]), "data: it is not given")
  expect_error(relief(iris[1:4], iris$Species[-1]), "149 values for 150 rows")
})

test_that("levels without rows do not count", {
  levels <- c(levels(iris$Species), "none")
  with <- transform(iris, Species = factor(Species, levels))
  expect_identical(weights(relief(Species ~ ., with)), weights(relief(Species ~ ., iris)))
  one <- subset(iris, Species == "setosa")
  expect_error(relief(Species ~ ., one), "class")
})

test_that("options are refused with a way forward", {
  fails(relief(Species ~ ., iris, "multisurff"), "multisurf")
  fails(relief(Species ~ ., iris, "multisurf", k = 5), "k")
  fails(relief(Species ~ ., iris, "relieff", k = 0), "k")
  expect_warning(relief(Species ~ ., iris, "relieff", k = 1000), "1000 neighbors were requested")
  fails(relief(Species ~ ., iris, "relieff", 10, 3), "no name")
  fails(relief(Species ~ ., iris, permutations = 5), "permutations")
  fails(relief(Species ~ ., iris, seed = -1), "seed")
  fails(relief(Species ~ ., iris, groups = 1:3), "3 values for 150 rows")
  fails(relief(Species ~ ., iris, groups = "subject"), "no column `subject`")
  fails(relief(Species ~ ., iris, group_weight = "rows"), "there are no groups", "groups")
  fails(relief(Species ~ ., iris, covariates = "Sepal.Width"), "residuals = TRUE", "caliper")
  fails(relief(Species ~ ., iris, report = "page.txt"), ".html")
  fails(relief(Species ~ ., iris, report = file.path(tempdir(), "none", "page.html")), "none")
  fails(relief(Sepal.Length ~ ., iris, "relieff"), "relieff")
})

test_that("advice in a message works", {
  message <- tryCatch(
    relief(Species ~ ., iris, covariates = "Sepal.Width"),
    error = conditionMessage
  )
  expect_match(message, "residuals = TRUE", fixed = TRUE)
  two <- droplevels(subset(iris, Species != "setosa"))
  expect_s3_class(relief(Species ~ ., two, covariates = "Sepal.Width", residuals = TRUE), "relief")
})

test_that("an interrupt stops the work", {
  skip_on_os("windows")
  files <- file.path(tempdir(), c("pid", "out", "script.R"))
  unlink(files)
  writeLines(c(
    "library(basrelief)",
    "data <- as.data.frame(matrix(rnorm(3000 * 400), 3000))",
    "data$y <- rep(c('a', 'b'), 1500)",
    sprintf("writeLines(as.character(Sys.getpid()), '%s')", files[[1]]),
    "start <- NULL",
    "told <- tryCatch({",
    "  relief(y ~ ., data, permutations = 100000)",
    "  'finished'",
    "}, interrupt = function(condition) 'interrupted')",
    sprintf("writeLines(c(told, format(as.numeric(Sys.time()), digits = 15)), '%s')", files[[2]])
  ), files[[3]])
  libraries <- paste(.libPaths(), collapse = .Platform$path.sep)
  old <- Sys.getenv("R_LIBS", NA)
  Sys.setenv(R_LIBS = libraries)
  on.exit(if (is.na(old)) Sys.unsetenv("R_LIBS") else Sys.setenv(R_LIBS = old))
  system2(file.path(R.home("bin"), "Rscript"), files[[3]], wait = FALSE, stdout = FALSE, stderr = FALSE)
  for (wait in 1:300) {
    if (file.exists(files[[1]]) && length(readLines(files[[1]], warn = FALSE))) break
    Sys.sleep(0.1)
  }
  Sys.sleep(2)
  sent <- as.numeric(Sys.time())
  tools::pskill(as.integer(readLines(files[[1]])), tools::SIGINT)
  for (wait in 1:400) {
    if (file.exists(files[[2]]) && length(readLines(files[[2]], warn = FALSE)) == 2) break
    Sys.sleep(0.05)
  }
  told <- readLines(files[[2]])
  expect_identical(told[[1]], "interrupted")
  # A second on a machine without other work.
  expect_lt(as.numeric(told[[2]]) - sent, 10)
})
