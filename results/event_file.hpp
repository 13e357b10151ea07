#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/file_calls.hpp"

namespace gausscse {

/// A value of a point, and the name under which TensorBoard shows its curve.
struct NamedScalar {
  std::string tag;
  double value = 0;
};

/// Returns the CRC32C (Castagnoli) of RFC 3720, section 12.1.
std::uint32_t crc32c(std::string_view bytes);

/// Event file of TensorBoard, to which points of curves are added. It is a sequence of records, each of which holds an
/// `Event` of TensorBoard's protocol buffers; numbers are little-endian:
///
///     +----------------+-----------------------+-------+----------------------+
///     | length, uint64 | masked CRC32C of that | event | masked CRC32C of it  |   next record ...
///     +----------------+-----------------------+-------+----------------------+
///
/// The first event has the version of the format. The second has the step that the file begins with: readers drop
/// points of earlier files in the folder from that step on, as a run does that resumes from a checkpoint. Each point is
/// one record and one write, so the file of a killed process is readable up to its last whole record.
///
///     EventFile file("run/tensorboard", 300, seconds);  // 300 steps are done
///     file.add(301, seconds, std::vector<NamedScalar>{{"training/loss", 2.5}});
class EventFile {
 public:
  /// Makes a new file in `folder`, which is made where it is missing. `seconds` is the time since 1970. The name has
  /// this time, the host and the process. Readers take files in the order of their names, so the time is made later
  /// than that of every event file in the folder. Throws WriteError, and leaves no file then.
  EventFile(const std::filesystem::path& folder, std::int64_t first_step, double seconds);

  /// Adds a point at `step`. Values become float32. Throws WriteError where the point cannot be written; the file stays
  /// readable, and later points may be added.
  void add(std::int64_t step, double seconds, std::span<const NamedScalar> scalars);

  const std::filesystem::path& path() const { return path_; }

 private:
  /// Adds a record; cuts off its written part where that fails.
  void append(std::string_view event);

  std::filesystem::path path_;
  FileDescriptor file_;
  std::int64_t size_ = 0;  ///< bytes of whole records
};

}  // namespace gausscse
