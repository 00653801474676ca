test_that("the step keeps the best predictors", {
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(Species ~ ., iris)
  recipe <- step_select_relief(recipe, recipes::all_predictors(), num_terms = 2)
  expect_output(print(recipe), "Relief")
  before <- recipes::tidy(recipe, 1)
  expect_identical(names(before), c("terms", "weight", "removed", "id"))
  ready <- recipes::prep(recipe)
  expect_output(print(ready), "Relief")
  best <- relief(Species ~ ., iris)$feature[1:2]
  baked <- recipes::bake(ready, iris)
  expect_setequal(names(baked), c(best, "Species"))
  found <- recipes::tidy(ready, 1)
  expect_equal(stats::setNames(found$weight, found$terms), weights(relief(Species ~ ., iris)))
  expect_setequal(found$terms[!found$removed], best)
  expect_setequal(names(recipes::bake(ready, iris[1:3, 1:4])), best)
})

test_that("the step takes options, and can be tuned", {
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(Sepal.Length ~ ., iris)
  recipe <- step_select_relief(recipe, recipes::all_numeric_predictors(),
    num_terms = 1, method = "rrelieff", neighbors = 5, options = list(seed = 1)
  )
  expect_length(names(recipes::bake(recipes::prep(recipe), iris)), 3)
  step <- recipe$steps[[1]]
  tuned <- generics::tunable(step)
  expect_identical(tuned$name, c("num_terms", "neighbors"))
  expect_identical(generics::required_pkgs(step), c("basrelief", "recipes"))
})

test_that("the step needs one outcome", {
  skip_if_not_installed("recipes")
  recipe <- recipes::recipe(~., iris)
  recipe <- step_select_relief(recipe, recipes::all_predictors())
  expect_error(recipes::prep(recipe), "0 outcomes")
  named <- recipes::recipe(~., iris)
  named <- step_select_relief(named, recipes::all_predictors(), outcome = "Species", num_terms = 1)
  expect_setequal(names(recipes::bake(recipes::prep(named), iris)), c("Petal.Width", "Species"))
})
