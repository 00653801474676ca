#' Read a cohort of genotypes
#'
#' Opens a PLINK fileset (`.bed`, `.pgen`, `.ped` or `.tped`, with its other
#' files) or a VCF. The genotypes stay in the file until [relief()] reads them.
#'
#' @param path The name of the file. A name without its ending stands for the
#'   `.bed` file.
#' @param pheno A file of phenotypes: lines of FID, IID and values. By default,
#'   the phenotype is that of the fileset.
#' @param pheno_name The name of the phenotype in its file.
#' @param covar A file of covariates, with a header line; name them in the
#'   argument `covariates` of [relief()].
#' @param one_is_case Whether phenotypes are 0 for controls and 1 for cases,
#'   instead of 1 and 2.
#' @param na Additional texts that mark a missing phenotype.
#' @param keep,remove Files of people to keep or to leave out: lines of FID and
#'   IID.
#' @param extract,exclude Files of IDs of variants to keep or to leave out.
#' @param chr Chromosomes to keep, such as `"1-4,22,X"`; by default all except
#'   X, Y, XY and MT.
#' @param all_chromosomes Whether X, Y, XY and MT are kept too.
#' @param chr_set The number of autosomes of the species.
#' @param mind,geno,hwe,maf,ld_prune Thresholds of quality, with the
#'   definitions and the order of PLINK: the share of missing genotypes of a
#'   person and of a variant, the p-value of the Hardy-Weinberg test, the minor
#'   allele frequency, and `"WINDOW:STEP:R2"` for pruning by linkage
#'   disequilibrium.
#' @param king_cutoff A kinship coefficient: people with a larger one are
#'   relatives.
#' @param relatives `"group"` if relatives are groups of rows that are not
#'   independent, `"exclude"` if people are left out until no relatives
#'   remain.
#' @return A list of class `basrelief_cohort` with the data frames `samples`
#'   and `variants` after the filters, for [relief()].
#' @examples
#' \dontrun{
#' cohort <- read_plink("cohort.bed", maf = 0.05)
#' relief(cohort, permutations = 1000, groups = "fid")
#' }
#' @export
read_plink <- function(path, pheno = NULL, pheno_name = NULL, covar = NULL,
                       one_is_case = FALSE, na = NULL, keep = NULL, remove = NULL,
                       extract = NULL, exclude = NULL, chr = NULL,
                       all_chromosomes = FALSE, chr_set = NULL, mind = NULL,
                       geno = NULL, hwe = NULL, maf = NULL, ld_prune = NULL,
                       king_cutoff = NULL, relatives = NULL) {
  if (!file.exists(path) && file.exists(paste0(path, ".bed"))) path <- paste0(path, ".bed")
  full <- function(file) if (!is.null(file)) path.expand(file)
  settings <- list(
    path = full(path), pheno = full(pheno), pheno_name = pheno_name,
    covar = full(covar), one_is_case = one_is_case, na = na, keep = full(keep),
    remove = full(remove), extract = full(extract), exclude = full(exclude),
    chr = chr, all_chromosomes = all_chromosomes, chr_set = chr_set,
    mind = mind, geno = geno, hwe = hwe, maf = maf, ld_prune = ld_prune,
    king_cutoff = king_cutoff, relatives = relatives
  )
  found <- call_library(savvy_people__impl, settings = settings)
  structure(
    list(
      samples = as.data.frame(found$samples),
      variants = as.data.frame(found$variants),
      target = found$target, settings = settings
    ),
    class = "basrelief_cohort"
  )
}

#' @rdname read_plink
#' @param x A cohort.
#' @param ... Not used.
#' @export
print.basrelief_cohort <- function(x, ...) {
  cat(
    x$settings$path, ": ", nrow(x$samples), " people, ", nrow(x$variants),
    " variants, phenotype ", x$target, "\n",
    sep = ""
  )
  invisible(x)
}
