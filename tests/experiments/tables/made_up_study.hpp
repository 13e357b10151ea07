#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "experiments/study/study_results.hpp"
#include "experiments/tables/study_table.hpp"

namespace gausscse {

using Coordinates = std::vector<std::pair<std::string, std::string>>;
using MetricValues = std::vector<std::pair<std::string, double>>;

/// Returns a done trial of the stage `final`, whose task `snli` (kind nli) has these metrics, fractions all.
StudyTrial done_trial(const Coordinates& coordinates, std::int64_t seed, const MetricValues& metrics);
/// Returns one that is not done.
StudyTrial other_trial(const Coordinates& coordinates, std::int64_t seed, TrialStatus status);

/// Returns a done trial with result files in `results`: of the task `snli`, which items it got right ('1') and which
/// not.
StudyTrial trial_with_items(const std::filesystem::path& results, const Coordinates& coordinates, std::int64_t seed,
                            const std::string& right);

/// Returns a done trial whose result files in `results` hold this measurement, in the state `best` after 40 steps.
StudyTrial trial_with_measurement(const std::filesystem::path& results, const Coordinates& coordinates,
                                  std::int64_t seed, const Measurement& measurement);

StudyResults study_of(std::vector<StudyTrial> trials);

/// Returns a table with rows of an axis, of one figure.
TableSettings table_of(const std::vector<std::string>& rows, const std::string& metric = "snli.accuracy");

/// Returns the texts of a table's cells, row by row.
std::vector<std::vector<std::string>> texts_of(const StudyTable& table);

/// Returns whether one of the notes holds this text.
bool notes_say(const StudyTable& table, const std::string& text);

}  // namespace gausscse
