#pragma once

#include "base/choice.hpp"

/// The values of the manifest's keys that are one of a few words.
namespace gausscse {

namespace setting {

/// Program that starts the ranks of a trial.
enum class Launcher { none, mpirun, srun };
/// Effect of failed trials on a choice among trials.
enum class FailedTrials { block, leave_out };
/// Aggregation of its trials' metrics in a table's cell.
enum class Aggregation { mean, median, highest };

}  // namespace setting

template <>
inline constexpr NameTable<setting::Launcher, 3> names<setting::Launcher>{
    {{setting::Launcher::none, "none"}, {setting::Launcher::mpirun, "mpirun"}, {setting::Launcher::srun, "srun"}}};
template <>
inline constexpr NameTable<setting::FailedTrials, 2> names<setting::FailedTrials>{
    {{setting::FailedTrials::block, "block"}, {setting::FailedTrials::leave_out, "leave_out"}}};
template <>
inline constexpr NameTable<setting::Aggregation, 3> names<setting::Aggregation>{
    {{setting::Aggregation::mean, "mean"},
     {setting::Aggregation::median, "median"},
     {setting::Aggregation::highest, "highest"}}};

}  // namespace gausscse
