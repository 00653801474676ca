test_that("maps are learned, applied and stored", {
  map <- lfe(Species ~ ., iris, n_components = 2)
  expect_s3_class(map, "relief_map")
  mapped <- predict(map, iris)
  expect_identical(dim(mapped), c(150L, 2L))
  expect_identical(colnames(mapped), c("lfe_1", "lfe_2"))
  # The map is linear: differences of rows are mapped by its matrix.
  rows <- as.matrix(iris[c(1, 60), 1:4])
  expect_equal(unname(mapped[60, ] - mapped[1, ]), unname(drop(coef(map) %*% (rows[2, ] - rows[1, ]))))
  file <- tempfile(fileext = ".safetensors")
  write_map(map, file)
  expect_error(write_map(map, file), "force = TRUE", fixed = TRUE)
  again <- read_map(file)
  expect_identical(predict(again, iris), mapped)
  expect_identical(coef(again), coef(map))
  expect_output(print(again), "lfe")
  expect_output(print(map), "lfe")
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  expect_invisible(plot(map, iris, col = iris$Species))
})

test_that("every function of one method is that method", {
  maps <- c(
    "lfe", "nca", "lmnn", "lfda", "mfa", "ldm", "itml", "sdml", "mmc",
    "frobmetric", "lsml", "scml", "dann", "rca", "gi_relief", "o_relief", "klfe"
  )
  methods <- relief_methods()
  for (name in maps) {
    method <- gsub("_", "-", name)
    expect_true(method %in% methods$name)
    learn <- getExportedValue("basrelief", name)
    map <- suppressWarnings(learn(Species ~ ., iris))
    expect_identical(map$method, method)
    expect_true(all(is.finite(predict(map, iris))))
  }
  expect_identical(mlkr(Sepal.Length ~ Sepal.Width + Petal.Length, iris)$method, "mlkr")
  expect_identical(map_features(~ . - Species, iris, "pca", n_components = 1)$components, 1L)
})

test_that("factors are mapped as in the fit", {
  data <- cbind(iris, color = factor(rep(c("red", "blue", "green"), 50)))
  map <- lfe(Species ~ ., data)
  expect_equal(predict(map, data[5:1, ]), predict(map, data)[5:1, , drop = FALSE])
})

test_that("wrong calls are refused with a way forward", {
  map <- lfe(Species ~ ., iris)
  expect_error(predict(map), "newdata")
  expect_error(predict(map, iris[2:4]), "no column `Sepal.Length`")
  expect_error(lfe(~., iris[1:4]), "left side", fixed = TRUE)
  expect_error(lfe(Species ~ ., iris, coordinates = 2), "coordinates")
  file <- tempfile()
  writeLines("no model", file)
  expect_error(read_map(file), "model")
  expect_error(read_map(tempfile()), "does not exist")
})
