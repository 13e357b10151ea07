#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/choice.hpp"
#include "base/output_paths.hpp"

namespace gausscse {

/// Kinds of errors that end a training.
enum class ErrorKind {
  input,     ///< error in what the user gave; a loss that is no number is one of these
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
