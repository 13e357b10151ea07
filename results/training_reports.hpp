#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/choice.hpp"
#include "base/output_paths.hpp"

namespace gausscse {

/// Phase that a training is in.
enum class TrainingPhase {
  preparing,  ///< reads data and model, up to its first step
  training,
  finishing  ///< has done its last step: measures, and writes its result
};

template <>
inline constexpr NameTable<TrainingPhase, 3> names<TrainingPhase>{{{TrainingPhase::preparing, "preparing"},
                                                                   {TrainingPhase::training, "training"},
                                                                   {TrainingPhase::finishing, "finishing"}}};

/// Progress of a running training.
struct TrainingProgress {
  TrainingPhase phase = TrainingPhase::preparing;
  std::int64_t step = 0;  ///< done
  std::int64_t total_steps = 0;
  double examples_per_second = 0;
  double seconds_left = 0;
  /// Why the last checkpoint is lost; empty where it was written, or none was.
  std::string checkpoint_problem = {};
  /// Time when the first checkpoint was lost of those since the last that was written: seconds since 1970 by the clock
  /// of the training's host; 0 where none was.
  std::int64_t checkpoints_lost_since = 0;
  /// Loss of the last step; nothing before the first.
  std::optional<double> loss = {};
  bool operator==(const TrainingProgress&) const = default;
};

/// Value of "format" in a progress file.
inline constexpr const char* progress_format = "gausscse-progress/1";
/// The size of a progress file, and that of one with the reason why checkpoints are lost. Both fit a block of any disk,
/// so that a file that is there can be written on a full one.
inline constexpr std::size_t progress_bytes = 256, longest_progress_bytes = 1024;

/// Returns "2026-01-31T12:00:00Z" of seconds since 1970.
std::string utc_text(std::int64_t seconds);

/// Returns `{"format": "gausscse-progress/1", "step": 12, "total_steps": 100, "examples_per_second": 64.5,
/// "seconds_left": 8.25, "phase": "training"}` on one line, spaces and a line break up to `progress_bytes`. Rates and
/// times have three decimals; those that are no numbers are null. From the first step on `"loss": 2.0312` follows, with
/// four decimals. Where checkpoints are lost `"checkpoints_lost_since": "2026-01-31T12:00:00Z", "checkpoint_problem":
/// "..."` follow, the problem cut to the room of `longest_progress_bytes`.
std::string progress_text(const TrainingProgress& progress);

/// Checks, as `check_output_file`, a file that progress is to be written to: an earlier progress file may be written
/// over, any other file, also an empty one, may not.
void check_progress_file(std::string_view name, const std::filesystem::path& path, std::span<const InputPath> inputs);

/// Writes all of the file, at its place and in one piece: a reader sees meanwhile one state or, seldom, none. A file
/// that is not there appears whole, so that none is ever empty. Throws WriteError.
void write_progress(const std::filesystem::path& path, const TrainingProgress& progress);

/// Returns nothing where there is no whole progress file: the training has not begun, or is just writing it.
std::optional<TrainingProgress> read_progress(const std::filesystem::path& path);

/// Kinds of errors that end a training.
enum class ErrorKind {
  input,     ///< error in the user's input; a loss that is no number is one of these
  write,     ///< a file cannot be written
  memory,    ///< memory of the host or of a GPU is refused
  system,    ///< the machine fails otherwise
  internal,  ///< the program contradicts itself
};

template <>
inline constexpr NameTable<ErrorKind, 5> names<ErrorKind>{{{ErrorKind::input, "input"},
                                                           {ErrorKind::write, "write"},
                                                           {ErrorKind::memory, "memory"},
                                                           {ErrorKind::system, "system"},
                                                           {ErrorKind::internal, "internal"}}};

/// Error that ended a training, for the program that started it.
struct ErrorReport {
  ErrorKind kind = ErrorKind::system;
  std::string message;
  bool operator==(const ErrorReport&) const = default;
};

/// Checks, as `check_output_file`, a file that an error is to be reported to: an earlier report may be written over,
/// any other file may not.
void check_error_report_file(std::string_view name, const std::filesystem::path& path,
                             std::span<const InputPath> inputs);

/// Writes `{"format": "gausscse-error/1", "kind": "write", "message": "..."}`, in place of an earlier report. A file
/// that is none stays as it is. A failure to write is passed over: another error is being reported.
void write_error_report(const std::filesystem::path& file, const ErrorReport& report);

/// Reads a report; nothing where there is none.
std::optional<ErrorReport> read_error_report(const std::filesystem::path& file);

}  // namespace gausscse
