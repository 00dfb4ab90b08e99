"""Tables of pandas and polars, and Parquet files, give the same rows as a list of records."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from faithfulness_assert import ConfigError
from faithfulness_assert.batch import open_data_set

RECORDS: list[dict[str, Any]] = [
    {"id": "a", "answer": "x", "contexts": ["c", "d"], "score": 0.5, "day": None},
    {"id": "b", "answer": "y", "contexts": [], "score": None, "day": None},
]


def rows_of(source: Any) -> list[Any]:
    rows = list(open_data_set(source).rows())
    json.dumps([[row.fields, row.columns] for row in rows], allow_nan=False)
    return [(row.case_id, row.fields, row.columns) for row in rows]


def of_pandas(_folder: Path) -> Any:
    return pytest.importorskip("pandas").DataFrame(RECORDS)


def of_polars(_folder: Path) -> Any:
    return pytest.importorskip("polars").DataFrame(RECORDS)


def of_parquet(folder: Path) -> Path:
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pytest.importorskip("pyarrow").Table.from_pylist(RECORDS)
    parquet.write_table(table, folder / "a.parquet")
    return folder / "a.parquet"


@pytest.mark.parametrize("table", [of_pandas, of_polars, of_parquet])
def test_a_table_gives_the_rows_of_its_records(tmp_path, table):
    source = table(tmp_path)
    assert rows_of(source) == rows_of(RECORDS)
    first, whole = open_data_set(source).fingerprints(1)
    assert (first, whole) == open_data_set(source).fingerprints(1)
    assert whole not in (
        first,
        *open_data_set(source, mapping={"question": "answer"}).fingerprints(),
    )


def test_values_of_numpy_and_pandas_are_plain_and_missing_ones_are_none():
    pandas, numpy = pytest.importorskip("pandas"), pytest.importorskip("numpy")
    frame = pandas.DataFrame(
        {
            "answer": ["x"],
            "context": [numpy.array(["c", "d"])],
            "n": numpy.array([3], dtype="int64"),
            "nan": [numpy.float32("nan")],
            "na": [pandas.NA],
            "nat": [pandas.NaT],
            "day": [pandas.Timestamp("2026-01-15")],
            "kind": pandas.Categorical(["k"]),
        }
    )
    ((_, fields, columns),) = rows_of(frame)
    assert fields == {"answer": "x", "context": ["c", "d"]}
    missing = {"nan": None, "na": None, "nat": None}
    assert columns == {"n": 3, **missing, "day": "2026-01-15T00:00:00", "kind": "k"}


def test_an_iterator_is_read_as_needed_and_only_once():
    read = []

    def records() -> Iterator[dict[str, Any]]:
        for record in RECORDS:
            read.append(record)
            yield record

    data_set = open_data_set(records())
    rows = data_set.rows()
    assert next(rows).case_id == "a"
    assert len(read) == 1
    assert next(rows).case_id == "b"
    assert data_set.fingerprints() == ("", "")
    with pytest.raises(ConfigError, match="only once"):
        list(data_set.rows())


def test_a_parquet_file_that_is_none_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "a.parquet").write_bytes(b"PAR1 and nothing more")
    with pytest.raises(ConfigError, match="not a Parquet file"):
        open_data_set(tmp_path / "a.parquet")


def test_a_parquet_file_with_two_columns_of_one_name_is_refused(tmp_path):
    pytest.importorskip("pyarrow.parquet")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_arrays([pyarrow.array(["x"])] * 3, ["answer", "answer", "context"])
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    with pytest.raises(ConfigError, match="two columns have the name 'answer'"):
        open_data_set(tmp_path / "a.parquet")


def test_a_parquet_file_with_a_value_that_is_too_large_is_an_error(tmp_path):
    parquet, file = pytest.importorskip("pyarrow.parquet"), tmp_path / "a.parquet"
    large = {"answer": ["a"], "context": ["c" * 250_000_000]}
    table = pytest.importorskip("pyarrow").table(large)
    parquet.write_table(table, file, compression="zstd", write_statistics=False)
    with pytest.raises(ConfigError, match="more than 800 MB of memory"):
        open_data_set(file)


def test_parquet_without_pyarrow_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(ConfigError, match=r"pip install 'faithfulness-assert\[parquet\]'"):
        open_data_set(tmp_path / "a.parquet")
