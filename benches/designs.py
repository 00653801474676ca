"""Permutation tests in study designs: data sets without an effect, and with a planted one.

The rows of these data sets are not independent, or a covariate affects both the target and the
features. The result of every data set is appended to a file of JSON lines in
``target/calibration/``, one file per row of a table, so that a stopped run resumes.
"""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from hashlib import sha256
from itertools import count, cycle, product, repeat
from pathlib import Path

import numpy as np
from measuring import ROOT
from nulls import correlated
from scipy import stats
from scipy.special import expit

LEVEL = 0.05
PERMUTATIONS = 199
FEATURES = 10
ROWS = 150
SUBJECTS = 30
ROWS_PER_SUBJECT = 5
MARKERS = 500
CALIPER = 0.5
# The coverage of the limits of the family-wise error rate, for the number of data sets.
COVERAGE = 0.999
FOLDER = ROOT / "target" / "calibration"
# Increase this number if the data of a design change: stored results are then discarded.
REVISION = 1
# Data sets with a planted effect, and of the cross-validation.
PLANTED = 50
CROSS_VALIDATED = 100
# Numbers of subjects, of whom one feature has an effect within each.
SUBJECTS_WITH_EFFECT = (20, 40, 80)
ROWS_OF_PAIR = 200
FOLDS = 5
SUBJECTS_OF_FOLDS = 200
FEATURES_OF_FOLDS = 5
FEATURES_OF_SIDES = 30
ROWS_OF_PAIRS = 600
FEATURES_OF_PAIRS = 8
# Subjects with several rows, in tests of pairs, and their features if the models have a covariate.
SUBJECTS_OF_PAIRS = 80
FEATURES_WITH_COVARIATE = 4


@dataclass
class Study:
    """Features, a target, and the arguments of `permutation_test` that describe the design."""

    X: np.ndarray
    y: np.ndarray
    design: dict = field(default_factory=dict)

    @property
    def is_numeric(self):
        """Whether the method must be for a numeric target, as it is for residuals."""
        return self.y.dtype.kind == "f" or self.design.get("residuals", False)


def draw(rng, log_odds):
    """Draw classes 0 and 1 with the log-odds of class 1."""
    return (rng.random(len(log_odds)) < expit(log_odds)).astype(int)


def halves(rng, count):
    """Draw two classes of equal size, in random order."""
    return rng.permutation(np.arange(count) % 2)


def effects(rng, values, scale=0.7):
    """Effects of a number per row on every feature, of random size."""
    return np.outer(values, rng.normal(scale=scale, size=FEATURES))


def similar_rows(rng, subject):
    """Features of subjects, with small differences between the rows of a subject."""
    own = correlated(rng, subject.max() + 1, FEATURES)
    return own[subject] + rng.normal(scale=0.3, size=(len(subject), FEATURES))


def equal_sizes():
    return np.repeat(np.arange(SUBJECTS), ROWS_PER_SUBJECT)


def constant_target(rng, subject):
    """Rows of subjects whose target is constant."""
    y = halves(rng, subject.max() + 1)[subject]
    return Study(similar_rows(rng, subject), y, {"groups": subject})


def groups_constant(rng):
    return constant_target(rng, equal_sizes())


def trait_of_subjects(rng, y_of):
    """Draw subjects with a trait that affects the features and the frequency of the classes."""
    subject = equal_sizes()
    trait = rng.normal(size=SUBJECTS)
    X = similar_rows(rng, subject) + effects(rng, trait[subject])
    return Study(X, y_of(rng, trait), {"groups": subject})


def both_classes(rng, log_odds, rows):
    """Draw the classes of the rows of subjects, at least one row of each class per subject."""
    cases = 1 + rng.binomial(rows - 2, expit(log_odds))
    order = rng.permuted(np.tile(np.arange(rows), (len(cases), 1)), axis=1)
    return (order < cases[:, None]).astype(int).ravel()


def groups_varying(rng):
    return trait_of_subjects(
        rng, lambda rng, trait: both_classes(rng, 1.5 * trait, ROWS_PER_SUBJECT)
    )


def groups_both(rng):
    """Draw subjects of which every other has a constant target, independent of the trait."""
    study = groups_varying(rng)
    subject = study.design["groups"]
    study.y = np.where(subject % 2 == 0, halves(rng, SUBJECTS)[subject], study.y)
    return study


def groups_by_chance(rng):
    """Draw subjects of which some have a constant target by chance, depending on the trait."""
    rows = equal_sizes()
    return trait_of_subjects(rng, lambda rng, trait: draw(rng, 1.5 * trait[rows]))


def groups_unequal(rng):
    sizes = rng.permutation(np.tile(np.arange(1, 13), 2))
    return constant_target(rng, np.repeat(np.arange(len(sizes)), sizes))


def groups_giant(rng):
    sizes = [60] + [ROWS_PER_SUBJECT] * 18
    return constant_target(rng, np.repeat(np.arange(len(sizes)), sizes))


def populations(rng):
    """Two populations that differ in the features and in the frequency of the classes."""
    population = halves(rng, ROWS)
    X = correlated(rng, ROWS, FEATURES) + effects(rng, 2.0 * population - 1)
    component = population + rng.normal(scale=0.05, size=ROWS)
    return Study(X, draw(rng, 1.7 * population - 0.85), {"covariates": component[:, None]})


def components(rng):
    """Draw genotypes of two populations, and two principal components of 500 other markers."""
    population = halves(rng, ROWS)
    markers = FEATURES + MARKERS
    ancestral = rng.uniform(0.2, 0.8, size=markers)
    shift = rng.uniform(-0.2, 0.2, size=markers)
    frequency = np.clip(ancestral + np.outer(2 * population - 1, shift), 0.05, 0.95)
    genotypes = rng.binomial(2, frequency).astype(float)
    X, others = genotypes[:, :FEATURES], genotypes[:, FEATURES:]
    others = (others - others.mean(axis=0)) / others.std(axis=0)
    vectors = np.linalg.svd(others, full_matrices=False)[0]
    return Study(X, draw(rng, 1.7 * population - 0.85), {"covariates": vectors[:, :2]})


def age_of_rows(rng):
    """Draw a continuous covariate that affects the features and the classes."""
    age = rng.normal(size=ROWS)
    X = correlated(rng, ROWS, FEATURES) + effects(rng, age)
    return Study(X, draw(rng, 1.2 * age), {"covariates": age[:, None]})


def residuals_numeric(rng):
    study = age_of_rows(rng)
    study.y = study.design["covariates"][:, 0] + rng.normal(size=ROWS)
    return study


def age_of_subjects(rng):
    """Rows of subjects, with a covariate and a target that are constant for a subject."""
    subject = equal_sizes()
    age = rng.normal(size=SUBJECTS)
    X = similar_rows(rng, subject) + effects(rng, age[subject])
    y = draw(rng, 1.2 * age)[subject]
    return Study(X, y, {"groups": subject, "covariates": age[subject][:, None]})


def subjects_in_centers(rng):
    """Rows of subjects of three centers, which differ in the features and in the classes."""
    subject = equal_sizes()
    center = np.arange(SUBJECTS) % 3
    X = similar_rows(rng, subject) + rng.normal(scale=0.7, size=(3, FEATURES))[center[subject]]
    ranks = np.arange(SUBJECTS) // 3
    y = rng.permutation(SUBJECTS // 3)[ranks] < np.array([3, 5, 7])[center]
    return Study(X, y.astype(int)[subject], {"groups": subject, "strata": center[subject]})


def age_in_centers(rng):
    """Rows of three centers, with a covariate that affects the features and the classes."""
    study = age_of_rows(rng)
    center = np.arange(ROWS) % 3
    study.X += rng.normal(scale=0.7, size=(3, FEATURES))[center]
    study.y = draw(rng, 1.2 * study.design["covariates"][:, 0] + 1.2 * (center - 1))
    study.design["strata"] = center
    return study


def families(rng):
    """Families of 2 to 5 people: age varies within families, and so does a numeric target."""
    sizes = rng.permutation(np.repeat([2, 3, 4, 5], 11))
    family = np.repeat(np.arange(len(sizes)), sizes)
    rows = len(family)
    trait = rng.normal(size=len(sizes))[family]
    age = 0.5 * rng.normal(size=len(sizes))[family] + rng.normal(size=rows)
    shared = correlated(rng, len(sizes), FEATURES)[family]
    X = shared + correlated(rng, rows, FEATURES) + effects(rng, age) + effects(rng, trait)
    y = age + trait + rng.normal(size=rows)
    return Study(X, y, {"groups": family, "covariates": age[:, None], "residuals": True})


def families_of_cases(rng):
    study = families(rng)
    study.y = draw(rng, 1.2 * study.y)
    return study


def of_log_weights(rng, logarithm, y):
    """Rows with weights that affect the features; the target depends on the weights alone."""
    X = correlated(rng, len(y), FEATURES) + effects(rng, logarithm, scale=0.5)
    return Study(X, y, {"sample_weight": np.exp(logarithm)})


def weights_unrelated(rng):
    weights = np.exp(rng.normal(scale=0.8, size=ROWS))
    return Study(correlated(rng, ROWS, FEATURES), halves(rng, ROWS), {"sample_weight": weights})


def weights_of_both(rng):
    logarithm = rng.normal(scale=0.8, size=ROWS)
    return of_log_weights(rng, logarithm, draw(rng, 1.5 * logarithm))


def weights_of_three_values(rng):
    logarithm = np.log(rng.choice([1, 2, 4], size=ROWS))
    return of_log_weights(rng, logarithm, draw(rng, 1.5 * logarithm - 1))


def weights_of_numeric_target(rng):
    logarithm = rng.normal(scale=0.8, size=ROWS)
    return of_log_weights(rng, logarithm, logarithm + rng.normal(size=ROWS))


def weights_of_subjects(rng):
    """Rows of subjects with a constant target, and a weight that is related to it."""
    subject = equal_sizes()
    logarithm = rng.normal(scale=0.8, size=SUBJECTS)
    X = similar_rows(rng, subject) + effects(rng, logarithm[subject], scale=0.5)
    weights = np.exp(logarithm)[subject]
    y = draw(rng, 1.2 * logarithm)[subject]
    return Study(X, y, {"groups": subject, "sample_weight": weights})


def weights_and_age(rng):
    study = age_of_rows(rng)
    age = study.design["covariates"][:, 0]
    study.design["sample_weight"] = np.exp(0.5 * age + rng.normal(scale=0.5, size=ROWS))
    return study


def weights_and_residuals(rng):
    """Draw an age and a property that affect the features, the target and the weights of rows."""
    study = age_of_rows(rng)
    own = rng.normal(size=ROWS)
    study.X += effects(rng, own, scale=0.5)
    age = study.design["covariates"][:, 0]
    study.design["sample_weight"] = np.exp(0.5 * age + 0.5 * own)
    return study, age + own


def weights_and_residuals_of_numbers(rng):
    study, expected = weights_and_residuals(rng)
    study.y = expected + rng.normal(size=ROWS)
    return study


def weights_and_residuals_of_classes(rng):
    study, expected = weights_and_residuals(rng)
    study.y = draw(rng, 1.2 * expected)
    return study


def priors_of_three_classes(rng):
    y = rng.permutation(np.repeat([0, 1, 2], [90, 40, 20]))
    priors = {0: 0.9, 1: 0.08, 2: 0.02}
    return Study(correlated(rng, ROWS, FEATURES), y, {"priors": priors})


def survival_times(rng, log_hazard):
    """Draw exponential times with these log-hazards, of which about a third is censored."""
    times = rng.exponential(np.exp(-log_hazard))
    censored = rng.exponential(2 * np.exp(-log_hazard.mean()), size=len(times))
    y = np.empty(len(times), dtype=[("event", bool), ("time", float)])
    y["event"], y["time"] = times <= censored, np.minimum(times, censored)
    return y


def survival(rng):
    return Study(correlated(rng, ROWS, FEATURES), survival_times(rng, np.zeros(ROWS)))


def survival_of_age(rng):
    """Draw a continuous covariate that affects the features and the hazard."""
    study = age_of_rows(rng)
    study.y = survival_times(rng, study.design["covariates"][:, 0])
    return study


def survival_of_subjects(rng):
    """Rows of subjects who have one time each."""
    subject = equal_sizes()
    y = survival_times(rng, np.zeros(SUBJECTS))[subject]
    return Study(similar_rows(rng, subject), y, {"groups": subject})


def with_options(make, **options):
    """Add arguments of the permutation test to a design."""

    def study(rng):
        found = make(rng)
        found.design.update(options)
        return found

    return study


CALIPERS = {"caliper": CALIPER}
DISTANCE = {"covariate_distance": True}
RESIDUALS = {"residuals": True}
DESIGNS = {
    "groups, constant target": groups_constant,
    "groups, varying target": groups_varying,
    "groups, both kinds": groups_both,
    "groups, target constant by chance": groups_by_chance,
    "groups of 1 to 12 rows": groups_unequal,
    "groups, one of 60 rows": groups_giant,
    "caliper, population": with_options(populations, **CALIPERS),
    "caliper, two components": with_options(components, **CALIPERS),
    "caliper, age": with_options(age_of_rows, **CALIPERS),
    "distance, population": with_options(populations, **DISTANCE),
    "distance, two components": with_options(components, **DISTANCE),
    "distance, age": with_options(age_of_rows, **DISTANCE),
    "residuals, numeric target": with_options(residuals_numeric, **RESIDUALS),
    "residuals, two classes": with_options(age_of_rows, **RESIDUALS),
    "groups and caliper": with_options(age_of_subjects, **CALIPERS),
    "groups and strata": subjects_in_centers,
    "caliper and strata": with_options(age_in_centers, **CALIPERS),
    "families, residuals, numeric": families,
    "families, residuals, classes": families_of_cases,
    "weights, unrelated": weights_unrelated,
    "weights, related to both": weights_of_both,
    "weights, three values": weights_of_three_values,
    "weights, numeric target": weights_of_numeric_target,
    "groups and weights": weights_of_subjects,
    "caliper and weights": with_options(weights_and_age, **CALIPERS),
    "residuals and weights, numeric": with_options(weights_and_residuals_of_numbers, **RESIDUALS),
    "residuals and weights, classes": with_options(weights_and_residuals_of_classes, **RESIDUALS),
    "priors of three classes": priors_of_three_classes,
    "survival times": survival,
    "survival times, caliper, age": with_options(survival_of_age, **CALIPERS),
    "survival times, residuals": with_options(survival_of_age, **RESIDUALS),
    "survival times, groups": survival_of_subjects,
}
# Also tested without the arguments that describe the design.
NAIVE = (
    "groups, constant target",
    "groups, varying target",
    "caliper, population",
    "caliper, two components",
    "residuals, numeric target",
    "weights, related to both",
    "survival times, caliper, age",
)
METHODS = {"relieff": "ReliefF", "multisurf": "MultiSURF"}


def cases(is_quick=False):
    """List the rows of the table: design, method, and whether the test ignores the design.

    A quick run has each design with one of the methods in turn, and states it.
    """
    if is_quick:
        return [
            (name, method, False) for name, method in zip(DESIGNS, cycle(METHODS), strict=False)
        ]
    rows = [(name, method, False) for name in DESIGNS for method in METHODS]
    return rows + [(name, method, True) for name in NAIVE for method in METHODS]


def make(name, number):
    """Make the data set of a design and a number, always the same."""
    return DESIGNS[name](np.random.default_rng([number, *name.encode()]))


def selector(method, study):
    """Make a selector of one thread, and its name."""
    import basrelief

    name = METHODS[method]
    if method == "relieff" and study.y.dtype.names:
        name = "SurvivalRelief"
    elif method == "relieff" and study.is_numeric:
        name = "RReliefF"
    return getattr(basrelief, name)(n_jobs=1), name


def permuted(method, study, number, correction, is_naive=False):
    from basrelief import permutation_test

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return permutation_test(
            selector(method, study)[0],
            study.X,
            study.y,
            n_permutations=PERMUTATIONS,
            alpha=LEVEL,
            correction=correction,
            random_state=number,
            **({} if is_naive else study.design),
        )


def null_set(case, number):
    """Test a data set without an effect."""
    name, method, is_naive = case
    start = time.process_time()
    test = permuted(method, make(name, number), number, "studentized", is_naive)
    return {
        "share": float((test.pvalues_ <= LEVEL).mean()),
        # One test for both corrections: the null threshold is that of max-T.
        "max-t": bool(test.weights_.max() > test.chance_weight_),
        "studentized": bool(test.selected_.any()),
        "seconds": round(time.process_time() - start, 3),
    }


def rare_genotypes(rng):
    """Draw genotypes with rare and common alleles, and two classes of 30 and 70 % of the rows."""
    frequency = rng.uniform(0.02, 0.5, size=FEATURES_OF_SIDES)
    X = rng.binomial(2, frequency, size=(ROWS, FEATURES_OF_SIDES)).astype(float)
    return Study(X, (rng.permutation(ROWS) < 0.3 * ROWS).astype(int))


def normal_numbers(rng):
    """Draw numbers, half of them in correlated blocks, and two classes of equal size."""
    return Study(correlated(rng, ROWS, FEATURES_OF_SIDES), halves(rng, ROWS))


WITHOUT_EFFECT = {"rare genotypes": rare_genotypes, "numbers": normal_numbers}


def sided_set(case, number):
    """Test a data set without an effect one- or two-sided."""
    name, method, sided = case
    start = time.process_time()
    study = WITHOUT_EFFECT[name](np.random.default_rng([number, 4, *name.encode()]))
    study.design["sided"] = sided
    test = permuted(method, study, number, "studentized")
    size = test.weights_ if sided == "one" else abs(test.weights_)
    return {
        "share": float((test.pvalues_ <= LEVEL).mean()),
        "max-t": bool(size.max() > test.chance_weight_),
        "studentized": bool(test.selected_.any()),
        "fdr": bool((test.qvalues_ <= LEVEL).any()),
        "seconds": round(time.process_time() - start, 3),
    }


def genotypes_of(rng, shift, features=FEATURES_OF_PAIRS):
    """Draw genotypes whose allele frequencies depend on a number per row."""
    ancestral = rng.normal(scale=0.5, size=features)
    slopes = rng.normal(scale=0.5, size=features)
    return rng.binomial(2, expit(ancestral + np.outer(shift, slopes))).astype(float)


def pairs_without_covariates(rng):
    X = genotypes_of(rng, np.zeros(ROWS_OF_PAIRS))
    return Study(X, halves(rng, ROWS_OF_PAIRS))


def pairs_of_age(rng):
    age = rng.normal(size=ROWS_OF_PAIRS)
    y = draw(rng, 1.2 * age)
    return Study(genotypes_of(rng, age), y, {"covariates": age[:, None]})


def pairs_of_numeric_target(rng):
    age = rng.normal(size=ROWS_OF_PAIRS)
    y = age + rng.normal(size=ROWS_OF_PAIRS)
    return Study(genotypes_of(rng, age), y, {"covariates": age[:, None]})


def pairs_of_populations(rng):
    population = halves(rng, ROWS_OF_PAIRS)
    y = draw(rng, 1.7 * population - 0.85)
    design = {"strata": population, "n_permutations": PERMUTATIONS}
    return Study(genotypes_of(rng, 2.0 * population - 1), y, design)


def genotypes_of_subjects(rng, subject, trait, features=FEATURES_OF_PAIRS):
    """Draw genotypes of subjects with a trait; 20 % of those of a row are drawn again."""
    own = genotypes_of(rng, trait, features)[subject]
    again = own[rng.permutation(len(own))]
    return np.where(rng.random(own.shape) < 0.2, again, own)


def subjects_of_pairs():
    return np.repeat(np.arange(SUBJECTS_OF_PAIRS), ROWS_PER_SUBJECT)


def in_groups(X, y, subject, **design):
    design.update(groups=subject, n_permutations=PERMUTATIONS)
    return Study(X, y, design)


def pairs_of_constant_groups(rng):
    subject = subjects_of_pairs()
    X = genotypes_of_subjects(rng, subject, np.zeros(SUBJECTS_OF_PAIRS))
    return in_groups(X, halves(rng, SUBJECTS_OF_PAIRS)[subject], subject)


def pairs_of_effects_in_groups(rng):
    """Draw subjects with a constant class that depends on their first genotype."""
    subject = subjects_of_pairs()
    X = genotypes_of(rng, np.zeros(SUBJECTS_OF_PAIRS))
    y = draw(rng, 1.5 * (X[:, 0] - 1))[subject]
    X = X[subject]
    again = rng.random((len(X), FEATURES_OF_PAIRS - 1)) < 0.2
    X[:, 1:] = np.where(again, X[rng.permutation(len(X)), 1:], X[:, 1:])
    return in_groups(X, y, subject)


def pairs_of_varying_groups(rng):
    subject = subjects_of_pairs()
    trait = rng.normal(size=SUBJECTS_OF_PAIRS)
    y = both_classes(rng, 1.5 * trait, ROWS_PER_SUBJECT)
    return in_groups(genotypes_of_subjects(rng, subject, trait), y, subject)


def pairs_of_unequal_groups(rng):
    """Draw subjects of 1 to 9 rows, with a constant numeric target."""
    sizes = rng.permutation(np.tile(np.arange(1, 10), SUBJECTS_OF_PAIRS // 10))
    subject = np.repeat(np.arange(len(sizes)), sizes)
    X = genotypes_of_subjects(rng, subject, np.zeros(len(sizes)))
    return in_groups(X, rng.normal(size=len(sizes))[subject], subject)


def pairs_of_age_in_groups(rng):
    subject = equal_sizes()
    age = rng.normal(size=SUBJECTS)
    y = draw(rng, 1.2 * age)[subject]
    X = genotypes_of_subjects(rng, subject, age, FEATURES_WITH_COVARIATE)
    return in_groups(X, y, subject, covariates=age[subject][:, None])


PAIR_DESIGNS = {
    "two classes": pairs_without_covariates,
    "two classes, covariate": pairs_of_age,
    "numeric target, covariate": pairs_of_numeric_target,
    "two classes, strata": pairs_of_populations,
    "groups, constant classes": pairs_of_constant_groups,
    "groups, constant classes, main effect": pairs_of_effects_in_groups,
    "groups, varying classes": pairs_of_varying_groups,
    "groups of 1 to 9 rows, constant numbers": pairs_of_unequal_groups,
    "groups, constant classes, covariate": pairs_of_age_in_groups,
}


def pairs_study(name, number):
    """Make the data set of a design of pairs and a number, always the same."""
    return PAIR_DESIGNS[name](np.random.default_rng([number, 5, *name.encode()]))


def pairs_set(case, number):
    """Test all pairs of features of a data set without an effect."""
    from basrelief import interacting_pairs

    name, is_naive = case
    start = time.process_time()
    study = pairs_study(name, number)
    pairs = study.X.shape[1] * (study.X.shape[1] - 1) // 2
    design = {} if is_naive else study.design
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = interacting_pairs(
            study.X,
            study.y,
            n_pairs=pairs,
            genotype_features="all",
            random_state=number,
            n_jobs=1,
            **design,
        )
    adjusted = found.adjusted_pvalues_
    p_values = found.pvalues_
    smallest = p_values.min() * pairs if adjusted is None else adjusted.min()
    return {
        "share": None if p_values is None else float((p_values <= LEVEL).mean()),
        "any": bool(smallest <= LEVEL),
        "seconds": round(time.process_time() - start, 3),
    }


def within_subjects(rng, subjects):
    """Draw subjects whose target varies, and an effect of the last feature within subjects.

    The other features are similar in all rows of a subject, as an identifier is, and a trait
    affects both them and the target.
    """
    rows = 10
    subject = np.repeat(np.arange(subjects), rows)
    trait = rng.normal(size=subjects)
    y = both_classes(rng, 2 * trait, rows)
    X = similar_rows(rng, subject) + effects(rng, trait[subject])
    X[:, -1] = rng.normal(size=len(y)) + 1.3 * y
    return Study(X, y, {"groups": subject})


def misleading(number, subjects):
    """Draw subjects until ReliefF without groups ranks another feature first."""
    for attempt in count():
        study = within_subjects(np.random.default_rng([number, 1, attempt]), subjects)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            weights = selector("relieff", study)[0].fit(study.X, study.y).weights_
        if weights.argmax() != FEATURES - 1:
            return study


def within_set(case, number):
    """Test with groups whether the feature with an effect is significant, and whether any other."""
    method, subjects = case
    test = permuted(method, misleading(number, subjects), number, "max-t")
    return {"found": bool(test.selected_[-1]), "false": bool(test.selected_[:-1].any())}


def confounded_pair(rng):
    """Draw a cohort with a covariate, and two features that affect the target only together."""
    age = rng.normal(size=ROWS_OF_PAIR)
    X = correlated(rng, ROWS_OF_PAIR, FEATURES) + effects(rng, age)
    X[:, -2:] = rng.normal(size=(ROWS_OF_PAIR, 2))
    y = draw(rng, 1.2 * age + 2 * np.sign(X[:, -1] * X[:, -2]))
    return Study(X, y, {"covariates": age[:, None]})


USES = {"caliper": CALIPERS, "distance": DISTANCE, "residuals": RESIDUALS}


def pair_set(case, number):
    """By correction, whether both features of the pair are significant, and whether any other."""
    use, method = case
    study = confounded_pair(np.random.default_rng([number, 2]))
    study.design.update(USES[use])
    test = permuted(method, study, number, "studentized")
    significant = {"max-t": test.weights_ > test.chance_weight_, "studentized": test.selected_}
    found = {}
    for correction, features in significant.items():
        found[correction] = bool(features[-2:].all())
        found[f"{correction} false"] = bool(features[:-2].any())
    return found


def folds_set(case, number):
    """Cross-validated errors of a selector and k-NN on noise: whole subjects, and single rows."""
    import sklearn
    from sklearn.model_selection import GroupKFold, KFold, cross_val_score
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline

    (method,) = case
    subject = np.repeat(np.arange(SUBJECTS_OF_FOLDS), ROWS_PER_SUBJECT)
    study = constant_target(np.random.default_rng([number, 3]), subject)
    chosen = selector(method, study)[0].set_params(n_features_to_select=FEATURES_OF_FOLDS)
    splits = {
        "subjects": GroupKFold(FOLDS, shuffle=True, random_state=number),
        "rows": KFold(FOLDS, shuffle=True, random_state=number),
    }
    errors = {}
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(chosen.set_fit_request(groups=True), KNeighborsClassifier(5))
        for name, split in splits.items():
            groups = {"groups": subject}
            scores = cross_val_score(model, study.X, study.y, cv=split, params=groups)
            errors[name] = round(float(1 - scores.mean()), 6)
    return errors


@cache
def program():
    """Compute a hash of the compiled library: results of another one are discarded."""
    from basrelief import _native

    return sha256(Path(_native.__file__).read_bytes()).hexdigest()[:16]


def stored(pool, function, case, sets):
    """Results of the first data sets; those in the file of the case are not computed again."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    words = [function.__name__.removesuffix("_set"), *map(str, case)]
    file = FOLDER / ("-".join(words).replace(",", "").replace(" ", "-").lower() + ".jsonl")
    head = {"revision": REVISION, "permutations": PERMUTATIONS, "program": program()}
    lines = file.read_text().split("\n")[:-1] if file.is_file() else []
    if not lines or json.loads(lines[0]) != head:
        lines = [json.dumps(head)]
    # Without a last line that was not completed.
    file.write_text("\n".join([*lines, ""]))
    records = [json.loads(line) for line in lines[1:]]
    missing = range(len(records), sets)
    with file.open("a") as out:
        for record in pool.map(function, repeat(case), missing, chunksize=5):
            records.append(record)
            out.write(json.dumps(record) + "\n")
            out.flush()
    return records[:sets]


def quick_lines():
    """Count the lines of the tables that a quick run compares with limits."""
    return len(cases(is_quick=True)) + len(PAIR_DESIGNS) + 2 * len(WITHOUT_EFFECT) * len(METHODS)


def limits(sets, lines=1):
    """Give the smallest and the largest count that an exact binomial test does not reject.

    The level is that of `lines` tests together.
    """
    rejected = (1 - COVERAGE) / lines
    counts = range(sets + 1)
    accepted = [own for own in counts if stats.binomtest(own, sets, LEVEL).pvalue > rejected]
    return accepted[0], accepted[-1]


def share(values):
    """Spell a mean over data sets and its standard error."""
    values = np.asarray(values, dtype=float)
    return f"{values.mean():.3f} ± {values.std(ddof=1) / np.sqrt(len(values)):.3f}"


def mean_of(records, name):
    return f"{np.mean([record[name] for record in records]):.3f}"


def costs(sets, seconds):
    """Spell the number of data sets of a table, when it was made, and its CPU time in seconds."""
    return (
        f"{sets} data sets per line, {date.today().isoformat()}, {os.cpu_count()} cores, "
        f"{seconds / 60:.1f} minutes of CPU time."
    )


def table(pool, sets, is_quick=False):
    """Table of the designs, and the rows whose max-T rate is outside of the limits."""
    least, most = limits(sets, quick_lines() if is_quick else 1)
    interval = f"in [{least / sets:.3f}, {most / sets:.3f}]"
    headings = ["design", "method", "p ≤ 0.05", "max-T: any found", interval]
    headings.append("studentized: any found")
    lines = [f"| {' | '.join(headings)} |", "|" + " --- |" * len(headings)]
    outside, total = [], 0.0
    for case in cases(is_quick):
        name, method, is_naive = case
        records = stored(pool, null_set, case, sets)
        found = sum(record["max-t"] for record in records)
        is_within = least <= found <= most
        if not is_within and not is_naive:
            outside.append(f"{name}, {method}: {found} of {sets}")
        cells = [
            f"*{name}, ignored*" if is_naive else name,
            selector(method, make(name, 0))[1],
            share([record["share"] for record in records]),
            mean_of(records, "max-t"),
            "yes" if is_within else "no",
            mean_of(records, "studentized"),
        ]
        lines.append(f"| {' | '.join(cells)} |")
        seconds = sum(record["seconds"] for record in records)
        total += seconds
        print(f"{lines[-1]} {seconds:.0f} s", file=sys.stderr, flush=True)
    return [*lines, "", costs(sets, total)], outside


def sided_table(pool, sets, is_quick=False):
    """Table of one- and two-sided tests, and the rows with a rate outside of the limits."""
    least, most = limits(sets, quick_lines() if is_quick else 1)
    interval = f"both in [{least / sets:.3f}, {most / sets:.3f}]"
    headings = ["data", "method", "test", "p ≤ 0.05", "max-T: any found"]
    headings += ["studentized: any found", interval, "FDR: any found"]
    lines = [f"| {' | '.join(headings)} |", "|" + " --- |" * len(headings)]
    outside, total = [], 0.0
    for name in WITHOUT_EFFECT:
        for method, spelled in METHODS.items():
            for sided in ("one", "two"):
                records = stored(pool, sided_set, (name, method, sided), sets)
                found = [sum(record[by] for record in records) for by in ("max-t", "studentized")]
                is_within = all(least <= count <= most for count in found)
                if not is_within:
                    outside.append(f"{name}, {method}, {sided}-sided: {found} of {sets}")
                cells = [name, spelled, f"{sided}-sided"]
                cells += [share([record["share"] for record in records])]
                cells += [mean_of(records, by) for by in ("max-t", "studentized")]
                cells += ["yes" if is_within else "no", mean_of(records, "fdr")]
                lines.append(f"| {' | '.join(cells)} |")
                total += sum(record["seconds"] for record in records)
                print(lines[-1], file=sys.stderr, flush=True)
    return [*lines, "", costs(sets, total)], outside


def pairs_table(pool, sets, is_quick=False):
    """Table of the tests of pairs, and the rows with a rate outside of the limits."""
    least, most = limits(sets, quick_lines() if is_quick else 1)
    interval = f"in [{least / sets:.3f}, {most / sets:.3f}]"
    headings = ["design", "adjustment", "p ≤ 0.05", "any pair found", interval]
    lines = [f"| {' | '.join(headings)} |", "|" + " --- |" * len(headings)]
    outside, total = [], 0.0
    naive = [(name, True) for name in PAIR_DESIGNS if name != "two classes"]
    for case in [(name, False) for name in PAIR_DESIGNS] + ([] if is_quick else naive):
        name, is_naive = case
        records = stored(pool, pairs_set, case, sets)
        found = sum(record["any"] for record in records)
        is_within = least <= found <= most
        if not is_within and not is_naive:
            outside.append(f"pairs, {name}: {found} of {sets}")
        is_permuted = "n_permutations" in pairs_study(name, 0).design and not is_naive
        shares = [record["share"] for record in records]
        cells = [f"*{name}, ignored*" if is_naive else name]
        cells += ["max-T" if is_permuted else "Bonferroni"]
        cells += ["none" if None in shares else share(shares), mean_of(records, "any")]
        cells += ["yes" if is_within else "no"]
        lines.append(f"| {' | '.join(cells)} |")
        total += sum(record["seconds"] for record in records)
        print(lines[-1], file=sys.stderr, flush=True)
    return [*lines, "", costs(sets, total)], outside


def planted_table(pool):
    """Tables of the data sets with a planted effect."""
    lines = [
        "| subjects | method | max-T: feature found | max-T: any false |",
        "| --- | --- | --- | --- |",
    ]
    for subjects, (method, spelled) in product(SUBJECTS_WITH_EFFECT, METHODS.items()):
        records = stored(pool, within_set, (method, subjects), PLANTED)
        cells = [mean_of(records, name) for name in ("found", "false")]
        lines.append(f"| {subjects} | {spelled} | {' | '.join(cells)} |")
        print(lines[-1], file=sys.stderr, flush=True)
    lines += [
        "",
        "| covariate | method | max-T: pair found | max-T: any false "
        "| studentized: pair found | studentized: any false |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for use, options in USES.items():
        for method in METHODS:
            records = stored(pool, pair_set, (use, method), PLANTED)
            columns = ("max-t", "max-t false", "studentized", "studentized false")
            study = Study(np.empty(0), np.empty(0, dtype=int), options)
            cells = [use, selector(method, study)[1]]
            cells += [mean_of(records, name) for name in columns]
            lines.append(f"| {' | '.join(cells)} |")
            print(lines[-1], file=sys.stderr, flush=True)
    return lines


def folds_table(pool):
    """Table of cross-validated errors on noise."""
    lines = ["| selector | whole subjects | single rows |", "| --- | --- | --- |"]
    for method, spelled in METHODS.items():
        records = stored(pool, folds_set, (method,), CROSS_VALIDATED)
        cells = [share([record[name] for record in records]) for name in ("subjects", "rows")]
        lines.append(f"| {spelled} | {' | '.join(cells)} |")
    return lines
