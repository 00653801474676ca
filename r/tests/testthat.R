library(testthat)
library(basrelief)

test_check("basrelief")
