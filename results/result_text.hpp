#pragma once

#include <string>

#include "results/run_result.hpp"

namespace gausscse {

/// Style in which curves are shown: as block characters, for a terminal, or as numbers in ASCII, for a log or a
/// program.
enum class CurveStyle { sparkline, plain };

/// Returns a description of a result file: its program and machine, its inputs, its configuration, curves and the
/// metrics of each state.
std::string result_text(const RunResult& result, CurveStyle style);

/// Returns the curves alone, with the backbone's metrics, if there are some. Plain, they are tables of evenly chosen
/// steps: 12 of the training, 20 of a task, below the row `backbone`.
std::string curves_text(const TrainingSeries& training, const std::vector<Curve>& curves, CurveStyle style,
                        const StateResult* backbone = nullptr);

/// Returns `text` with each line behind two blanks.
std::string indented(const std::string& text);

}  // namespace gausscse
