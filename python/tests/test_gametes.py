"""Interacting pairs without marginal effects are found among the real data sets."""

import pandas as pd
import pytest

from basrelief import ReliefF


@pytest.mark.filterwarnings("ignore::basrelief.ReliefWarning")
@pytest.mark.parametrize(
    "name",
    [
        "gametes_2way_20atts_04h.csv",
        "gametes_2way_missing.csv",
        "gametes_2way_mixed.csv",
        "gametes_3class.csv",
    ],
)
def test_the_interacting_pair_comes_first(data_folder, name):
    table = pd.read_csv(data_folder / name)
    y = table.pop("target")
    selector = ReliefF(n_neighbors=100, n_features_to_select=2).fit(table, y)
    assert {"M0P0", "M0P1"} == set(selector.get_feature_names_out())
    assert sorted(selector.ranking_)[:2] == [1, 2]
