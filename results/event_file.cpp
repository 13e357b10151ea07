#include "results/event_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdio>
#include <system_error>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/temporary_name.hpp"
#include "base/text.hpp"
#include "results/little_endian.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view name_of_event_files = "events.out.tfevents.";
/// Digits of the time in a file's name: names are compared as texts.
constexpr std::size_t digits_of_time = 10;

constexpr std::array<std::uint32_t, 256> crc32c_table() {
  constexpr std::uint32_t polynomial = 0x82f63b78;  // of Castagnoli, the lowest power in the highest bit
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit) remainder = remainder >> 1 ^ ((remainder & 1) != 0 ? polynomial : 0);
    table[byte] = remainder;
  }
  return table;
}

/// Returns a checksum as records hold it, so that one of bytes with checksums differs from theirs.
std::uint32_t masked(std::uint32_t checksum) {
  return (checksum >> 15 | checksum << 17) + 0xa282ead8;
}

// Protocol buffers: a field begins with its number times 8 plus the type of its value.
constexpr int variable_length = 0, eight_bytes = 1, sized = 2, four_bytes = 5;

std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(int number, int type, std::string_view value) {
  const std::string size = type == sized ? varint(value.size()) : "";
  return concat(varint(static_cast<std::uint64_t>(number * 8 + type)), size, value);
}

/// Returns the field wall_time, which every event has.
std::string time_field(double seconds) {
  return field(1, eight_bytes, little_endian(std::bit_cast<std::uint64_t>(seconds), 8));
}

std::string step_field(std::int64_t step) {
  return field(2, variable_length, varint(static_cast<std::uint64_t>(step)));
}

/// Returns an event with the field file_version.
std::string version_event(double seconds) {
  return time_field(seconds) + field(3, sized, "brain.Event:2");
}

/// Returns an event with the field session_log, whose status is START.
std::string start_event(double seconds, std::int64_t step) {
  return time_field(seconds) + step_field(step) + field(7, sized, field(1, variable_length, varint(1)));
}

/// Returns an event with the field summary, whose values have a tag and a simple_value.
std::string point_event(double seconds, std::int64_t step, std::span<const NamedScalar> scalars) {
  std::string values;
  for (const NamedScalar& scalar : scalars) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(scalar.value));
    // Readers refuse a whole file for a text that is no UTF-8.
    values += field(1, sized, field(1, sized, visible_text(scalar.tag)) + field(2, four_bytes, little_endian(bits, 4)));
  }
  return time_field(seconds) + step_field(step) + field(5, sized, values);
}

std::string record_of(std::string_view event) {
  const std::string length = little_endian(event.size(), 8);
  return concat(length, little_endian(masked(crc32c(length)), 4), event, little_endian(masked(crc32c(event)), 4));
}

/// Returns the time for the name of a new file, so that it comes after those that are there.
std::int64_t time_of_name(const fs::path& folder, double seconds) {
  auto time = static_cast<std::int64_t>(seconds);
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(name_of_event_files)) continue;
    const char* begin = name.data() + name_of_event_files.size();
    std::int64_t other = 0;
    const auto [end, problem] = std::from_chars(begin, name.data() + name.size(), other);
    if (problem == std::errc() && end == begin + digits_of_time) time = std::max(time, other + 1);
  }
  return time;
}

fs::path new_path(const fs::path& folder, double seconds) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) file_calls::make_folder(folder);
  char time[32];
  std::snprintf(time, sizeof time, "%0*lld", static_cast<int>(digits_of_time),
                static_cast<long long>(time_of_name(folder, seconds)));
  return folder / concat(name_of_event_files, time, ".", host_name(), ".", ::getpid(), ".0");
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  static constexpr std::array<std::uint32_t, 256> table = crc32c_table();
  std::uint32_t checksum = ~std::uint32_t{0};
  for (const char byte : bytes) checksum = checksum >> 8 ^ table[(checksum ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~checksum;
}

EventFile::EventFile(const fs::path& folder, std::int64_t first_step, double seconds)
    : path_(new_path(folder, seconds)), file_(file_calls::create_file(path_)) {
  RemovedAtEnd removal(path_);
  append(version_event(seconds));
  append(start_event(seconds, first_step));
  removal.keep();
}

void EventFile::add(std::int64_t step, double seconds, std::span<const NamedScalar> scalars) {
  append(point_event(seconds, step, scalars));
}

void EventFile::append(std::string_view event) {
  if (file_.get() < 0) return;
  const std::string record = record_of(event);
  try {
    file_calls::write_all(file_, record, path_);
  } catch (const WriteError&) {
    // Readers go no further than a record that is cut off.
    if (::ftruncate(file_.get(), size_) != 0 || ::lseek(file_.get(), size_, SEEK_SET) < 0) file_ = FileDescriptor();
    throw;
  }
  size_ += static_cast<std::int64_t>(record.size());
}

}  // namespace gausscse
