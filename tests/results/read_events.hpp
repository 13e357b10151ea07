#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gausscse {

/// Event of an event file of TensorBoard, with those fields that gausscse writes.
struct ReadEvent {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string file_version;
  bool starts_session = false;
  std::map<std::string, float> scalars;  ///< by tag
};

/// Returns the events of a file, in order. Throws std::runtime_error for a record that is cut off, one whose checksum
/// is wrong by a CRC32C computed bit by bit, and for any other field.
std::vector<ReadEvent> read_events(const std::filesystem::path& file);

/// Returns the event files of a folder by the order of their names; an empty list where there is no folder.
std::vector<std::filesystem::path> event_files_in(const std::filesystem::path& folder);

/// Points of one curve: values by steps.
using Points = std::map<std::int64_t, float>;

/// Returns the curves of the event files of a folder by tags, as TensorBoard reads them. A file that starts a session
/// at a step takes the points from that step on out of the files before it.
std::map<std::string, Points> curves_in(const std::filesystem::path& folder);

}  // namespace gausscse
