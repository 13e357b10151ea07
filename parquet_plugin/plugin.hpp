#pragma once

#include <cstddef>
#include <cstdint>

/// Interface of the plug-in that reads and writes Parquet tables by Arrow's libraries, which only a process that opens
/// such a table loads. The functions are plain C: the plug-in and the program share no library but the system's.

extern "C" {

/// An open table.
struct GausscseParquet;

/// Opens the table in the file of `descriptor`, which stays the caller's. Null where it cannot be read; `error` then
/// holds why, as a text of at most `error_bytes` bytes with its final zero.
GausscseParquet* gausscse_parquet_open(int descriptor, char* error, std::size_t error_bytes);

/// Writes at most `capacity` (>= 1) bytes of the rows' text to `buffer` and returns how many; 0 at the end, -1 where
/// the table cannot be read on. A row is a JSON object a line; its keys are the columns' names, in their order. Texts,
/// numbers, truth values and lists of these are values of JSON. A class label is its number. A value of any other type
/// is {"type": NAME}, which no reader takes for a text.
long gausscse_parquet_read(GausscseParquet* table, char* buffer, std::size_t capacity, char* error,
                           std::size_t error_bytes);

/// Closes the table.
void gausscse_parquet_close(GausscseParquet* table);

/// A table that is being written.
struct GausscseParquetWriter;

/// Begins a table in the empty file of `descriptor`, which stays the caller's: `count` columns of these names, each of
/// lists of `width` float32. Null where that fails, with `error` as above.
GausscseParquetWriter* gausscse_parquet_create(int descriptor, const char* const* names, std::size_t count,
                                               std::int64_t width, char* error, std::size_t error_bytes);

/// Writes `rows` (>= 1) rows as a row group: `values` are [rows, width] of each column. False where that fails.
bool gausscse_parquet_write(GausscseParquetWriter* table, const float* const* values, std::int64_t rows, char* error,
                            std::size_t error_bytes);

/// Writes the end of the table, with `count` keys and their values as its metadata; once. False where that fails.
bool gausscse_parquet_finish(GausscseParquetWriter* table, const char* const* keys, const char* const* values,
                             std::size_t count, char* error, std::size_t error_bytes);

/// Frees the writer; null is fine. A table that is not finished is none.
void gausscse_parquet_discard(GausscseParquetWriter* table);
}
