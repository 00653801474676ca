test_that("a ranking is a data frame, best first", {
  found <- relief(Species ~ ., iris)
  expect_s3_class(found, c("relief", "data.frame"), exact = TRUE)
  expect_named(found, c("feature", "weight", "kind"))
  expect_setequal(found$feature, names(iris)[1:4])
  expect_false(is.unsorted(rev(found$weight)))
  expect_identical(names(weights(found)), names(iris)[1:4])
  expect_identical(sort(unname(weights(found)), decreasing = TRUE), found$weight)
})

test_that("weights are those of the definition", {
  # Relief of two classes with one neighbor: the mean difference to the nearest
  # miss minus that to the nearest hit, as shares of the range.
  data <- data.frame(x = c(0, 1, 8, 10), noise = c(3, 1, 2, 0), y = c("a", "a", "b", "b"))
  share <- function(values) as.matrix(dist(values)) / diff(range(values))
  differences <- list(x = share(data$x), noise = share(data$noise))
  distances <- Reduce(`+`, differences)
  weight <- function(difference) {
    mean(vapply(1:4, function(row) {
      nearest <- function(rows) rows[which.min(distances[row, rows])]
      hit <- nearest(setdiff(which(data$y == data$y[row]), row))
      miss <- nearest(which(data$y != data$y[row]))
      difference[row, miss] - difference[row, hit]
    }, numeric(1)))
  }
  found <- weights(relief(y ~ ., data, "relieff", k = 1))
  expect_equal(found, vapply(differences, weight, numeric(1)), tolerance = 1e-12)
})

test_that("numbers in options are written with the digits that they need", {
  written <- c("0.04", "0.33333333333333331", "0.30000000000000004", "5", "NA", "Inf")
  expect_identical(basrelief:::as_texts(c(0.04, 1 / 3, 0.1 + 0.2, 5, NA, Inf)), written)
})

test_that("unlabeled rows only scale the features of relieff", {
  # None of these rows has the smallest or the largest value of a feature.
  data <- iris
  data$Species[c(1, 60, 120)] <- NA
  known <- weights(relief(Species ~ ., data[-c(1, 60, 120), ], "relieff"))
  expect_identical(weights(relief(Species ~ ., data, "relieff", unlabeled = "missing")), known)
  map <- lfe(Species ~ ., data, n_components = 2, unlabeled = "missing")
  expect_identical(dim(predict(map, data)), c(150L, 2L))
})

test_that("formulas name the features", {
  all <- weights(relief(Species ~ ., iris))
  expect_identical(weights(relief(Species ~ Petal.Width + Sepal.Length, iris))[["Petal.Width"]],
    weights(relief(Species ~ . - Sepal.Width - Petal.Length, iris))[["Petal.Width"]])
  expect_identical(weights(relief(iris[1:4], iris$Species)), all)
  expect_identical(weights(relief(as.matrix(iris[1:4]), iris$Species)), all)
  expect_identical(weights(relief(Species ~ . - 1, iris)), all)
  logs <- relief(Species ~ log(Sepal.Length) + Petal.Width, iris)
  expect_setequal(logs$feature, c("log(Sepal.Length)", "Petal.Width"))
  many <- as.data.frame(matrix(rnorm(10 * 3000), 10))
  many$y <- rep(c("a", "b"), 5)
  listed <- stats::reformulate(names(many)[1:3000], "y")
  expect_identical(weights(relief(listed, many)), weights(relief(y ~ ., many)))
})

test_that("types of columns are kinds of features", {
  data <- data.frame(
    factor = factor(rep(c("a", "b", "c"), 4)), text = rep(c("u", "v"), 6),
    truth = rep(c(TRUE, FALSE, TRUE), 4), number = seq(0.5, 6, 0.5),
    ordered = factor(rep(c("low", "mid", "high"), 4), c("low", "mid", "high"), ordered = TRUE),
    snp = rep(c(0, 1, 2, 1), 3), y = rep(c("case", "control"), each = 6)
  )
  data$number[3] <- NA
  data$factor[5] <- NA
  found <- relief(y ~ ., data)
  kinds <- stats::setNames(found$kind, found$feature)
  expect_identical(kinds[["factor"]], "categorical")
  expect_identical(kinds[["text"]], "categorical")
  expect_identical(kinds[["truth"]], "categorical")
  expect_identical(kinds[["number"]], "numeric")
  expect_identical(kinds[["ordered"]], "ordinal")
  expect_identical(kinds[["snp"]], "genotype")
  other <- relief(y ~ ., data, numeric = "snp", ordinal = list(text = c("v", "u")))
  kinds <- stats::setNames(other$kind, other$feature)
  expect_identical(kinds[["snp"]], "numeric")
  expect_identical(kinds[["text"]], "ordinal")
})

test_that("tests, groups, covariates and intervals", {
  tested <- relief(Species ~ ., iris, "relieff", permutations = 199, seed = 1)
  expect_true(all(c("p_value", "adjusted", "q_value", "selected") %in% names(tested)))
  expect_true(all(tested$p_value >= 1 / 200))
  expect_true(all(tested$selected))
  data <- cbind(iris, subject = rep(1:75, each = 2), age = seq_len(150) %% 7)
  by_name <- relief(Species ~ ., data, groups = "subject", covariates = "age", caliper = 2)
  expect_setequal(by_name$feature, names(iris)[1:4])
  by_value <- relief(Species ~ ., iris,
    groups = data$subject, covariates = data.frame(age = data$age), caliper = 2
  )
  expect_identical(weights(by_name), weights(by_value))
  expect_identical(
    weights(by_name),
    weights(relief(Species ~ Sepal.Length + Sepal.Width + Petal.Length + Petal.Width, data,
      groups = "subject", covariates = ~age, caliper = 2
    ))
  )
  intervals <- relief(Species ~ ., iris, "relieff", intervals = TRUE)
  expect_true(all(intervals$lower <= intervals$weight & intervals$weight <= intervals$upper))
})

test_that("survival times and several targets", {
  skip_if_not_installed("survival")
  lung <- survival::lung
  lung$inst <- NULL
  found <- suppressWarnings(
    relief(survival::Surv(time, status) ~ ., lung, "survival-relief", k = 10)
  )
  expect_setequal(found$feature, setdiff(names(lung), c("time", "status")))
  two <- relief(cbind(mpg, qsec) ~ wt + hp + drat + gear, mtcars, "rrelieff", k = 5)
  expect_setequal(two$feature, c("wt", "hp", "drat", "gear"))
})

test_that("several numbers of neighbors, wrappers and blocks", {
  several <- relief(Species ~ ., iris, "relieff", k = c(5, 10))
  expect_named(attr(several, "by_neighbors"), c("5", "10"))
  expect_identical(
    attr(several, "by_neighbors")[["5"]],
    unname(weights(relief(Species ~ ., iris, "relieff", k = 5)))
  )
  wrapped <- relief(Species ~ ., iris, wrap = "turf:keep=2")
  expect_identical(nrow(wrapped), 4L)
  blocks <- list(sepal = names(iris)[1:2], petal = names(iris)[3:4])
  blocked <- relief(Species ~ ., iris, blocks = blocks)
  expect_identical(attr(blocked, "blocks")$block, c("sepal", "petal"))
})

test_that("print, plot and report", {
  found <- relief(Species ~ ., iris, permutations = 99)
  expect_output(print(found, n = 2), "multisurf")
  expect_output(print(found, n = 2), "2 more features")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(found))
  expect_invisible(plot(relief(Species ~ ., iris, "relieff", intervals = TRUE)))
  page <- tempfile(fileext = ".html")
  relief(Species ~ ., iris, report = page)
  text <- paste(readLines(page, warn = FALSE), collapse = "\n")
  expect_match(text, "Petal.Width", fixed = TRUE)
  expect_match(text, "relief(Species ~ ., iris", fixed = TRUE)
  expect_error(relief(Species ~ ., iris, report = page), "force = TRUE", fixed = TRUE)
  expect_silent(relief(Species ~ ., iris, report = page, force = TRUE))
})

test_that("results do not depend on threads", {
  one <- relief(Species ~ ., iris, "relieff", permutations = 50, threads = 1)
  two <- relief(Species ~ ., iris, "relieff", permutations = 50, threads = 2)
  expect_identical(one$weight, two$weight)
  expect_identical(one$p_value, two$p_value)
})

test_that("methods are listed", {
  all <- relief_methods()
  expect_true(all(c("multisurf", "relieff", "lfe", "turf") %in% all$name))
  expect_true(all(all$type %in% c("weights", "map", "wrapper")))
  two <- droplevels(iris[51:150, ])
  for (method in all$name[all$type == "weights" & grepl("classes", all$task)]) {
    expect_length(suppressWarnings(weights(relief(Species ~ ., two, method))), 4)
  }
})

test_that("levels that stand for missing values are missing", {
  data <- iris
  data$color <- addNA(factor(rep(c("red", NA, "blue"), 50)))
  data$other <- factor(rep(c("red", NA, "blue"), 50))
  expect_warning(found <- weights(relief(Species ~ ., data)), "copy")
  expect_identical(found[["color"]], found[["other"]])
})
