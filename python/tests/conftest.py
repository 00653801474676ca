import os
from pathlib import Path

import pytest

# Before scipy is imported: else scikit-learn leaves out its check of array-API input.
os.environ.setdefault("SCIPY_ARRAY_API", "1")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def data_folder():
    """Folder of the real data sets, where there is one."""
    folder = Path(os.environ.get("BASRELIEF_DATA", ROOT.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no data sets in {folder}: set BASRELIEF_DATA to their folder")
    return folder


@pytest.fixture(scope="session")
def program():
    """Path of the program that `scripts/setup.sh` built with the extension module."""
    target = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
    found = target / "debug" / ("basrelief.exe" if os.name == "nt" else "basrelief")
    if not found.exists():
        pytest.skip(f"no {found}: `make setup` builds it")
    return found
