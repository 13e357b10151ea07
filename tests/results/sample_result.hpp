#pragma once

#include "results/run_result.hpp"

namespace gausscse {

/// Returns a small result with a distinct value in every member.
RunResult sample_result();

/// Returns a run that another may continue.
ContinuedRun sample_continued();

/// Returns a geometry task's measurement of a text with two token ids, in two dimensions, with columns of every type.
Measurement sample_geometry();

}  // namespace gausscse
