#pragma once

#include <filesystem>
#include <string>

#include "experiments/results/run_result.hpp"

namespace gausscse {

/// The bytes of a result file: HDF5, laid out as docs/results.md says. Equal results give equal bytes. Throws
/// InputError where a test's name cannot be used or is there twice in a state, std::logic_error where the members of a
/// series or of a test's scores differ in length.
std::string result_file_bytes(const RunResult& result);

/// Writes them to `path`, whole or not at all. Throws as `result_file_bytes`, and WriteError where writing fails.
void write_result(const std::filesystem::path& path, const RunResult& result);

/// Reads a result file. It is trusted: HDF5's library is not safe against files made to do harm. Throws InputError
/// where the file is missing, no result file or damaged.
RunResult read_result(const std::filesystem::path& path);

}  // namespace gausscse
