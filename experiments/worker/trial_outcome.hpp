#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "experiments/claims/attempts.hpp"
#include "experiments/manifest/plan.hpp"
#include "experiments/processes/child_process.hpp"
#include "experiments/study/study_records.hpp"

namespace gausscse {

/// Returns the record of the run in `folder`, whose program reported that it is done. Reads all of its result. Throws
/// InputError where that, or the report next to it, is missing or damaged, or the result is of another trial than the
/// one that was planned (see `check_identity`).
RunRecord run_record_of(const std::filesystem::path& folder, const StudyPlanEntry& planned, const Attempts& attempts,
                        std::uint64_t peak_memory_bytes);

/// Returns the reason of the failure: the error that its program reported in error.json, or that it reported none and
/// the end of its log. It has the lines of the log from byte `log_begin` on, where this attempt began.
FailureRecord failure_record_of(const std::filesystem::path& folder, const std::string& reason,
                                const Attempts& attempts, std::uint64_t log_begin);

}  // namespace gausscse
