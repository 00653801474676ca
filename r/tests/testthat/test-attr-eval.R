# The expected numbers are those of attrEval() of CORElearn 1.57.3.1 in R 4.2.2.

flowers <- function() {
  data <- iris[c(1:12, 51:62, 101:112), ]
  data$color <- factor(rep(c("red", "blue", "green"), 12))
  data$Sepal.Width[c(3, 20)] <- NA
  data
}

test_that("classes have the numbers of CORElearn", {
  data <- flowers()
  expected <- list(
    ReliefFequalK = c(0.163310185185185, 0.0801649305555556, 0.648025856044724, 0.691358024691358, -0.286111111111111),
    ReliefFexpRank = c(0.108651205995925, 0.0283180877791997, 0.537474889206424, 0.575388996367631, -0.066583165514134),
    ReliefFbestK = c(0.23485725308642, 0.108267086988304, 0.781184486373166, 0.952546296296296, -0.0606060606060607),
    Relief = c(-0.0758101851851855, -0.0601242690058481, 0.749475890985325, 0.935185185185185, -0.194444444444444),
    ReliefFmerit = c(-0.0490327866664693, -0.0902605994032572, 0.115186677468958, 0.124142998066679, -0.10003628946591),
    ReliefFdistance = c(0.156060210333624, 0.0532253172716392, 0.58957679875572, 0.630383667565363, -0.0367576082771747),
    ReliefFsqrDistance = c(0.212938881520114, 0.0805324132273114, 0.661244534289161, 0.70667567542398, -0.00336814945880803),
    ReliefFexpC = c(0.108651205995925, 0.0283180877791999, 0.537474889206424, 0.575388996367631, -0.0665831655141338)
  )
  for (estimator in names(expected)) {
    found <- attrEval(Species ~ ., data, estimator, kNearestEqual = 5, kNearestExpRank = 20)
    expect_named(found, c("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width", "color"))
    expect_equal(unname(found), expected[[estimator]], tolerance = 1e-10)
  }
  costs <- matrix(c(0, 1, 2, 3, 0, 1, 1, 1, 0), 3, byrow = TRUE)
  found <- attrEval(Species ~ ., data, "ReliefFexpC", costMatrix = costs, kNearestExpRank = 20)
  expect_equal(unname(found), c(0.161583372747589, 0.0567444049078311, 0.836815447842396, 0.890127338780325, -0.0996111623790141), tolerance = 1e-10)
})

test_that("numeric targets have the numbers of CORElearn", {
  data <- flowers()
  expected <- list(
    RReliefFequalK = c(0.22023361464695, 0.0136965536210509, 0.374005497444676, 0.207996075545745, -0.226471289834335),
    RReliefFexpRank = c(0.143621719849887, -0.00272249394687618, 0.585938442346985, 0.593035617391943, -0.349337684648679),
    RReliefFbestK = c(0.310782392776741, 0.0434168834168762, 0.616795302371424, 0.733772792274245, 0.0845590719148739),
    RReliefFwithMSE = c(0.846596492115986, 0.371761891018008, 0.998905783836582, 1, 0),
    RReliefFdistance = c(0.209448215219716, 0.0203982751607207, 0.592687474658488, 0.569451345101622, -0.268113227638352),
    RReliefFsqrDistance = c(0.282754905520775, 0.021166783486415, 0.548986922202588, 0.474246102536508, -0.164797838881364)
  )
  for (estimator in names(expected)) {
    found <- attrEval("Petal.Length", data, estimator, kNearestEqual = 5, kNearestExpRank = 20)
    expect_equal(unname(found), expected[[estimator]], tolerance = 1e-10)
  }
  expect_identical(attrEval(3, data, "RReliefFequalK"), attrEval(Petal.Length ~ ., data, "RReliefFequalK"))
})

test_that("wrong calls are refused with a way forward", {
  expect_error(attrEval(Species ~ ., iris, "InfGain"), "ReliefFexpRank")
  expect_error(attrEval(Species ~ ., iris, "ReliefFsmp"), "ReliefFexpC")
  expect_error(attrEval(Species ~ ., iris, "Relief", k = 3), "kNearestEqual")
  expect_error(attrEval(Species ~ ., iris, "Relief", ReliefIterations = 5), "all rows")
  expect_error(attrEval("Class", iris, "Relief"), "column")
  expect_error(attrEval(Species ~ ., iris, "ReliefFexpC", costMatrix = matrix(0, 2, 2)), "3 classes")
  expect_error(attrEval(Species ~ ., iris, "ReliefFexpRank", quotientExpRankDistance = 0), "quotientExpRankDistance")
})

test_that("no score is NaN", {
  data <- cbind(iris, none = NA_real_)
  expect_warning(found <- attrEval(Species ~ ., data, "ReliefFequalK"), "none")
  expect_identical(found, attrEval(Species ~ ., iris, "ReliefFequalK"))
  expect_error(attrEval(Sepal.Length ~ Petal.Width, iris, "RReliefFwithMSE"), "RReliefFexpRank")
})
