#include "tests/results/read_events.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace gausscse {

namespace {

std::uint32_t checksum_of(std::string_view bytes) {
  std::uint32_t remainder = 0xffffffff;
  for (const char byte : bytes) {
    remainder ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) remainder = (remainder & 1) != 0 ? remainder >> 1 ^ 0x82f63b78 : remainder >> 1;
  }
  const std::uint32_t checksum = remainder ^ 0xffffffff;
  return (checksum >> 15 | checksum << 17) + 0xa282ead8;
}

/// Bytes that are taken from the beginning.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : left_(bytes) {}

  bool empty() const { return left_.empty(); }

  std::string_view take(std::size_t count) {
    if (count > left_.size()) throw std::runtime_error("bytes are missing");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  template <typename Number>
  Number number() {
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = number<unsigned char>();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
  }

  /// Returns a field's value that has its size before it.
  std::string_view sized() { return take(varint()); }

 private:
  std::string_view left_;
};

void expect(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

void read_value(std::string_view bytes, ReadEvent& event) {
  Bytes value(bytes);
  expect(value.varint() == (1 << 3 | 2), "a value begins with its tag");
  const std::string tag(value.sized());
  expect(value.varint() == (2 << 3 | 5), "a tag is followed by a simple_value");
  expect(event.scalars.emplace(tag, value.number<float>()).second, "a tag is there twice");
  expect(value.empty(), "a value has two fields");
}

ReadEvent read_event(std::string_view bytes) {
  ReadEvent event;
  for (Bytes fields(bytes); !fields.empty();) switch (fields.varint()) {
      case 1 << 3 | 1:
        event.wall_time = fields.number<double>();
        break;
      case 2 << 3 | 0:
        event.step = static_cast<std::int64_t>(fields.varint());
        break;
      case 3 << 3 | 2:
        event.file_version = fields.sized();
        break;
      case 5 << 3 | 2:
        for (Bytes values(fields.sized()); !values.empty();) {
          expect(values.varint() == (1 << 3 | 2), "a summary has values");
          read_value(values.sized(), event);
        }
        break;
      case 7 << 3 | 2:
        expect(fields.sized() == std::string_view("\x08\x01"), "the status of a session is START");
        event.starts_session = true;
        break;
      default:
        throw std::runtime_error("another field");
    }
  return event;
}

}  // namespace

std::vector<ReadEvent> read_events(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::vector<ReadEvent> events;
  for (Bytes records(bytes); !records.empty();) {
    const std::string_view length = records.take(8);
    expect(records.number<std::uint32_t>() == checksum_of(length), "the checksum of a length");
    const std::string_view event = records.take(Bytes(length).number<std::uint64_t>());
    expect(records.number<std::uint32_t>() == checksum_of(event), "the checksum of an event");
    events.push_back(read_event(event));
  }
  return events;
}

std::vector<std::filesystem::path> event_files_in(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::exists(folder)) return files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::map<std::string, Points> curves_in(const std::filesystem::path& folder) {
  std::map<std::string, Points> curves;
  for (const auto& file : event_files_in(folder))
    for (const ReadEvent& event : read_events(file)) {
      if (event.starts_session)
        for (auto& [tag, points] : curves) points.erase(points.lower_bound(event.step), points.end());
      for (const auto& [tag, value] : event.scalars) curves[tag].emplace(event.step, value);
    }
  return curves;
}

}  // namespace gausscse
