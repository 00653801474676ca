test_that("weights and p-values are those of Python, bit by bit", {
  folder <- Sys.getenv("BASRELIEF_R_AGREEMENT")
  skip_if(folder == "", "BASRELIEF_R_AGREEMENT does not name the results of Python")
  skip_if_not_installed("jsonlite")
  cases <- jsonlite::fromJSON(file.path(folder, "cases.json"), simplifyVector = FALSE)$cases
  expect_length(cases, 20)
  numbers <- function(number, name) {
    file <- file.path(folder, paste0(number, "-", name, ".bin"))
    readBin(file, "double", file.size(file) / 8, endian = "little")
  }
  for (case in cases) {
    columns <- lapply(case$columns, function(column) {
      values <- numbers(case$number, column$name)
      switch(column$kind,
        numbers = values,
        factor(unlist(column$levels)[values], unlist(column$levels), ordered = column$kind == "ordered")
      )
    })
    names(columns) <- vapply(case$columns, `[[`, character(1), "name")
    data <- as.data.frame(columns)
    y <- if (length(case$classes)) unlist(case$classes) else numbers(case$number, "y")
    arguments <- c(list(data, y, case$method), case$options)
    if (case$tested) {
      arguments <- c(arguments, list(permutations = 50, alpha = 0.05, seed = case$number))
    }
    found <- suppressWarnings(do.call(relief, arguments))
    expect_identical(unname(weights(found)), numbers(case$number, "weights"))
    if (case$tested) {
      p_values <- stats::setNames(found$p_value, found$feature)[names(columns)]
      expect_identical(unname(p_values), numbers(case$number, "p"))
    }
  }
})
