#!/usr/bin/env python3
"""Writes the tables of tests/golden/tables by the libraries that people write them with, and what pandas reads in them.

    make_tables.py FOLDER        needs pandas, pyarrow, polars, duckdb, datasets and zstandard

The file rows.jsonl has the rows of each table as pandas gives them.
"""

import gzip
import json
import pathlib
import sys

import datasets
import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
import zstandard

ROWS = [
    {"premise": "A man plays a guitar.", "hypothesis": "Someone makes music.", "label": 0, "score": 4.5},
    {"premise": "Two \"dogs\", one ball\tand a line\nend.", "hypothesis": "Größe: 雪 🎸", "label": 2, "score": 0.125},
    {"premise": "No label here.", "hypothesis": "", "label": None, "score": None},
    {"premise": None, "hypothesis": "A row without a premise.", "label": 1, "score": -1.0},
] * 3


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    frame = pandas.DataFrame(ROWS)
    frame["label"] = frame["label"].astype("Int64")
    tables = {}

    def keep(name, read=None):
        found = pandas.read_parquet(folder / name, dtype_backend="numpy_nullable") if read is None else read
        tables[name] = json.loads(found.to_json(orient="records", force_ascii=False))

    frame.to_parquet(folder / "pandas.parquet", row_group_size=5)
    keep("pandas.parquet")
    frame.to_parquet(folder / "pandas-gzip.parquet", compression="gzip", row_group_size=5)
    keep("pandas-gzip.parquet")
    categories = frame.assign(premise=frame["premise"].astype("category"))
    categories.to_parquet(folder / "pandas-category.parquet", compression="zstd")
    keep("pandas-category.parquet")
    polars.DataFrame(ROWS).write_parquet(folder / "polars.parquet", row_group_size=4)
    keep("polars.parquet")
    duckdb.from_arrow(pyarrow.Table.from_pylist(ROWS)).write_parquet(str(folder / "duckdb.parquet"))
    keep("duckdb.parquet")
    labels = datasets.ClassLabel(names=["entailment", "neutral", "contradiction"])
    text = datasets.Value("string")
    features = datasets.Features(premise=text, hypothesis=text, label=labels, score=datasets.Value("float64"),
                                 negatives=datasets.List(text))
    rows = [row | {"negatives": ["one", "two"][:number % 3]} for number, row in enumerate(ROWS)]
    table = datasets.table.InMemoryTable(pyarrow.Table.from_pylist(rows).cast(features.arrow_schema))
    info = datasets.DatasetInfo(features=features)
    # A fingerprint of its own: the one that the library computes cannot be with every version of pyarrow.
    datasets.Dataset(table, info=info, fingerprint="golden").to_parquet(folder / "datasets.parquet")
    keep("datasets.parquet")
    types = pyarrow.table({"text": ["a", "b"], "large": pyarrow.array(["c", None], pyarrow.large_string()),
                           "small": pyarrow.array([1, 255], pyarrow.uint8()), "true": [True, None],
                           "single": pyarrow.array([0.5, -2.0], pyarrow.float32()),
                           "lists": pyarrow.array([["x"], []], pyarrow.large_list(pyarrow.string()))})
    pyarrow.parquet.write_table(types, folder / "types.parquet", compression="brotli")
    keep("types.parquet")
    # Arrow cannot read these pages as the dictionary that its schema asks for, so pandas gets the table as it was made.
    words = pyarrow.table({"text": pyarrow.array(["one", "two", None, "one"]).dictionary_encode()})
    pyarrow.parquet.write_table(words, folder / "delta.parquet", use_dictionary=False,
                                column_encoding="DELTA_LENGTH_BYTE_ARRAY")
    keep("delta.parquet", words.to_pandas())
    checked = pyarrow.table({"text": ["Two dogs run.", "Größe", "Dogs move."], "label": [0, 2, 1]})
    pyarrow.parquet.write_table(checked, folder / "checked.parquet", compression="none", use_dictionary=False,
                                write_statistics=False, write_page_checksum=True)
    keep("checked.parquet")
    # Rows behind those of one batch of our reader.
    many = pyarrow.table({"n": range(10000), "word": [f"w{n % 7}" for n in range(10000)]})
    pyarrow.parquet.write_table(many, folder / "many.parquet", row_group_size=6000, use_dictionary=["word"],
                                column_encoding={"n": "DELTA_BINARY_PACKED"})
    texts = pyarrow.array([b"bad \xff" if n == 4999 else b"good" for n in range(6000)]).view(pyarrow.string())
    pyarrow.parquet.write_table(pyarrow.table({"text": texts}), folder / "invalid.parquet")
    nested = pyarrow.table({"text": ["a"], "time": pyarrow.array([0], pyarrow.timestamp("us")), "bytes": [b"\xff"]})
    pyarrow.parquet.write_table(nested, folder / "others.parquet")

    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS).encode()
    (folder / "text.jsonl").write_bytes(lines)
    (folder / "one.gz").write_bytes(gzip.compress(lines, mtime=0))
    (folder / "members.gz").write_bytes(gzip.compress(lines[:100], mtime=0) + gzip.compress(lines[100:], mtime=0))
    (folder / "one.zst").write_bytes(zstandard.ZstdCompressor().compress(lines))
    (folder / "frames.zst").write_bytes(b"\x50\x2a\x4d\x18\x02\0\0\0hi" + zstandard.ZstdCompressor().compress(lines[:100]) +
                                        zstandard.ZstdCompressor(write_checksum=True).compress(lines[100:]))
    with open(folder / "rows.jsonl", "w", encoding="utf-8") as file:
        for name, found in tables.items():
            file.write(json.dumps({"table": name, "rows": found}, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
