#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Returns the bytes of a result file: sealed HDF5, laid out as docs/result_files.md says. Equal results give equal
/// bytes. Throws InputError where a test's name cannot be used or is there twice in a state, std::logic_error where the
/// members of a series or of a test's scores differ in length.
std::string result_file_bytes(const RunResult& result);

/// Writes the bytes of `result` to `path`, whole or not at all. Throws as `result_file_bytes`, and WriteError where
/// writing fails.
///
///     write_result("run/result.h5", result);
///     const RunResult same = read_result("run/result.h5");
///     const double accuracy = metric_of(kept_state(same).tasks.front(), "accuracy");
void write_result(const std::filesystem::path& path, const RunResult& result);

/// Parts of a result file that a reader wants; by default all.
struct ResultParts {
  bool kept_metrics = true;  ///< false: the metrics of the first state are empty, because report.json has them
  /// Returns whether a metric's line of a curve is wanted; empty: all are.
  std::function<bool(const std::string& metric, Unit unit)> line = {};
  /// Returns whether a state behind the first one is wanted; empty: all are.
  std::function<bool(std::string_view state)> state = {};
  /// Returns whether a column is wanted, by the name and kind of its task; empty: all are.
  std::function<bool(const Measurement& task, std::string_view column)> column = {};
};

/// Reads a result file, or parts of it. HDF5's library sees one with a seal (see `hdf5_seal_bytes`) only where that
/// fits; another is read by a process apart. Throws InputError where the file is missing, no result file or damaged.
RunResult read_result(const std::filesystem::path& path, Links links = Links::followed, const ResultParts& parts = {});

/// Returns the result in the bytes of a result file, which `source` names in messages. Bytes without a seal must have
/// been compared with a hash: HDF5 may crash on damaged ones. Throws as `read_result`.
RunResult result_of_bytes(std::string_view bytes, const std::string& source);

/// Size of the largest result file that is read.
inline constexpr std::size_t max_result_bytes = std::size_t{4} << 30;

/// Returns whether a file is HDF5 without a seal, as earlier versions wrote results. Throws InputError where it may not
/// be read.
bool has_no_seal(const std::filesystem::path& path, Links links = Links::followed);

/// Returns `kept_state` of a result file, or parts of it; nothing else is read. Throws as `read_result` and
/// `kept_state`.
StateResult read_kept_state(const std::filesystem::path& path, Links links = Links::followed,
                            const ResultParts& parts = {});

/// Returns whether a file claims to be a result of this program, of any version, be it whole or not. With
/// `may_be_damaged`, returns whether it at least begins as a file of HDF5 does. Throws InputError where it is a
/// symbolic link or may not be read.
bool is_result_file(const std::filesystem::path& path, bool may_be_damaged);

}  // namespace gausscse
