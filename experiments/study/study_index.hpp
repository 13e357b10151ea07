#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "experiments/study/study_results.hpp"

namespace gausscse {

/// A metric of all trials of a study, NaN where a trial has none.
struct IndexColumn {
  std::string metric;
  Unit unit = Unit::fraction;
  std::vector<double> values;  ///< one a trial
};

/// Metrics under one name: of a task, or averages over tasks.
struct IndexColumns {
  std::string name;
  std::string kind;
  std::vector<IndexColumn> columns;           ///< in the order in which trials first have them
  std::map<std::string, std::size_t> places;  ///< place of each metric in `columns`
};

/// Returns the columns of every task, in the order in which trials first have them.
std::vector<IndexColumns> columns_of_tasks(const StudyResults& study);
/// Returns the columns of the average over tasks; none where no trial has one.
std::vector<IndexColumns> columns_of_averages(const StudyResults& study);

/// Returns all axes, in the order in which trials first have them.
std::vector<std::string> axes_of(const StudyResults& study);

/// Returns the bytes of an index of a study ("gausscse-index/1", HDF5), laid out as in docs/study_files.md. It has
/// external links to the result of every done trial, and a table of all trials with their labels and metrics. The file
/// is to lie in `folder`: links are relative to it. Equal studies give equal bytes.
std::string index_bytes(const StudyResults& study, const std::filesystem::path& folder);

/// Writes it to `path`, whole or not at all, if there is another one or none. Throws InputError where a file is there
/// that is no index of gausscse (of any version), WriteError where writing fails.
void write_index(const StudyResults& study, const std::filesystem::path& path);

}  // namespace gausscse
