#pragma once

#include <filesystem>
#include <string>

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// Returns the bytes of an index of a study ("gausscse-index/1", HDF5), laid out as docs/results.md says: external
/// links to the result of every done trial, and a table of all trials with their labels and metrics. The file is to lie
/// in `folder`: links are relative to it. Equal studies give equal bytes.
std::string index_bytes(const StudyResults& study, const std::filesystem::path& folder);

/// Writes it to `path`, whole or not at all, if there is another one or none. Throws InputError where a file is there
/// that is no index of gausscse (of any version), WriteError where writing fails.
void write_index(const StudyResults& study, const std::filesystem::path& path);

}  // namespace gausscse
