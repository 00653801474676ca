# Writes a fileset of genotypes (copies of A1, people by variants).
write_fileset <- function(genotypes, phenotype) {
  prefix <- tempfile("cohort")
  people <- sprintf("p%02d", seq_len(nrow(genotypes)))
  fam <- data.frame(people, people, 0, 0, 1, phenotype)
  utils::write.table(fam, paste0(prefix, ".fam"), quote = FALSE, row.names = FALSE, col.names = FALSE)
  bim <- data.frame(1, paste0("rs", seq_len(ncol(genotypes))), 0, seq_len(ncol(genotypes)) * 1000, "A", "G")
  utils::write.table(bim, paste0(prefix, ".bim"), quote = FALSE, row.names = FALSE, col.names = FALSE)
  codes <- c(3L, 2L, 0L)
  bytes <- apply(genotypes, 2, function(column) {
    all <- ifelse(is.na(column), 1L, codes[column + 1L])
    all <- c(all, integer(-length(all) %% 4))
    as.raw(colSums(matrix(all, 4) * c(1L, 4L, 16L, 64L)))
  })
  writeBin(c(as.raw(c(0x6c, 0x1b, 0x01)), as.raw(bytes)), paste0(prefix, ".bed"))
  prefix
}

test_that("a cohort is ranked as its genotypes are", {
  set.seed(1)
  genotypes <- matrix(sample(0:2, 40 * 6, TRUE), 40)
  is_case <- (genotypes[, 1] > 0) != (genotypes[, 2] > 0)
  prefix <- write_fileset(genotypes, 1 + is_case)
  cohort <- read_plink(prefix)
  expect_output(print(cohort), "40 people, 6 variants")
  expect_identical(cohort$samples$phenotype, ifelse(is_case, "case", "control"))
  expect_identical(cohort$variants$POS, 1:6 * 1000)
  data <- as.data.frame(genotypes)
  names(data) <- cohort$variants$name
  data$y <- cohort$samples$phenotype
  expect_identical(
    weights(relief(cohort)), weights(relief(y ~ ., data, genotype = names(data)[1:6]))
  )
  tested <- relief(cohort, method = "relieff", k = 5, permutations = 99)
  expect_true("p_value" %in% names(tested))
})

test_that("files and arguments are checked", {
  expect_error(read_plink(tempfile(fileext = ".bed")), "bed")
  prefix <- write_fileset(matrix(rep(0:2, 8), 8), rep(1:2, 4))
  expect_error(read_plink(prefix, maf = 2), "maf")
  expect_error(read_plink(prefix, chr = "z"), "chr")
  expect_error(relief(read_plink(prefix), "relieff"), "name all other arguments")
  expect_error(relief(read_plink(prefix), groups = "center"), "covar")
})
