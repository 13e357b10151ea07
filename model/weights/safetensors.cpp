#include "model/weights/safetensors.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file_kind.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

using nlohmann::json;
using std::uint64_t;

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

constexpr std::size_t length_bytes = 8;
constexpr uint64_t max_header_bytes = 100'000'000;
constexpr std::size_t max_name_bytes = 1024;
constexpr std::size_t max_tensors = 100'000;
constexpr const char* metadata_key = "__metadata__";

/// Throws InputError about the file, or one tensor of it.
class Refusal {
 public:
  explicit Refusal(std::string_view source_name) : where_(source_name) {}
  Refusal(std::string_view source_name, std::string_view tensor)
      : where_(concat(source_name, ": tensor ", quoted(tensor))) {}

  template <typename... Parts>
  [[noreturn]] void operator()(const Parts&... parts) const {
    throw InputError(concat(where_, ": ", parts..., "; the file is damaged or not a safetensors file: get it again"));
  }

 private:
  std::string where_;
};

/// Returns the header's JSON, after the rules on lengths and on its first byte.
std::string_view header_of(std::string_view bytes, std::string_view source_name, const Refusal& refuse) {
  const bool has_header = bytes.size() > length_bytes && bytes[length_bytes] == '{';
  if (!has_header) refuse_other_file(bytes, source_name);
  if (bytes.size() < length_bytes) refuse("has ", bytes.size(), " bytes, fewer than the 8 a header length takes");
  uint64_t length;
  std::memcpy(&length, bytes.data(), length_bytes);
  if (length > max_header_bytes) refuse("claims a header of ", length, " bytes, more than ", max_header_bytes);
  if (length > bytes.size() - length_bytes) {
    refuse("claims a header of ", length, " bytes, but has only ", bytes.size() - length_bytes, " after the length");
  }
  const std::string_view header = bytes.substr(length_bytes, static_cast<std::size_t>(length));
  if (!has_header || header.empty()) refuse("its header does not begin with {");
  return header;
}

std::map<std::string, std::string> read_metadata(const json& value, const Refusal& refuse) {
  if (!value.is_object()) refuse(metadata_key, " is not an object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) refuse(metadata_key, " has a value that is not a string under ", quoted(key));
    metadata.emplace(key, text.get<std::string>());
  }
  return metadata;
}

const json& member(const json& entry, const char* key, const Refusal& refuse) {
  const auto found = entry.find(key);
  if (found == entry.end()) refuse("has no ", key);
  return *found;
}

uint64_t count(const json& value, const char* key, const Refusal& refuse) {
  if (!value.is_number_unsigned()) refuse("has ", quoted(value.dump()), " in ", key, ", which is not a whole number");
  return value.get<uint64_t>();
}

struct Range {
  uint64_t begin = 0;
  uint64_t end = 0;
};

Range read_range(const json& entry, const Refusal& refuse) {
  constexpr const char* key = "data_offsets";
  const json& offsets = member(entry, key, refuse);
  if (!offsets.is_array() || offsets.size() != 2) refuse("has ", key, " that are not two numbers");
  return {count(offsets[0], key, refuse), count(offsets[1], key, refuse)};
}

std::vector<std::int64_t> read_shape(const json& entry, const Refusal& refuse) {
  constexpr const char* key = "shape";
  const json& value = member(entry, key, refuse);
  if (!value.is_array()) refuse("has a ", key, " that is not a list");
  std::vector<std::int64_t> shape;
  for (const json& extent : value) {
    const uint64_t size = count(extent, key, refuse);
    if (size > static_cast<uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      refuse("has an extent of ", size, ", more than any tensor");
    }
    shape.push_back(static_cast<std::int64_t>(size));
  }
  return shape;
}

Dtype read_dtype(const json& entry, const Refusal& refuse) {
  const json& value = member(entry, "dtype", refuse);
  const auto dtype = value.is_string() ? find_dtype(value.get_ref<const std::string&>()) : std::nullopt;
  if (!dtype) refuse("has the unknown dtype ", quoted(value.dump()));
  return *dtype;
}

uint64_t size_in_bytes(const std::vector<std::int64_t>& shape, Dtype dtype, const Refusal& refuse) {
  uint64_t bits = 1;
  const auto multiply = [&](uint64_t factor) {
    if (__builtin_mul_overflow(bits, factor, &bits)) refuse("has a shape whose size overflows 64 bits");
  };
  for (const std::int64_t extent : shape) multiply(static_cast<uint64_t>(extent));
  multiply(dtype_bits(dtype));
  if (bits % 8 != 0) refuse("has ", bits, " bits of data, not whole bytes");
  return bits / 8;
}

struct UnplacedTensor {
  TensorEntry entry;
  Range range;
};

std::vector<UnplacedTensor> read_entries(const json& header, std::string_view source_name) {
  std::vector<UnplacedTensor> tensors;
  for (const auto& [name, entry] : header.items()) {
    if (name == metadata_key) continue;
    const Refusal refuse(source_name, name);
    if (name.size() > max_name_bytes) refuse("has a name of ", name.size(), " bytes, more than ", max_name_bytes);
    if (!entry.is_object()) refuse("is not described by an object");
    // One by one: g++ 12 destroys members of an aggregate twice where the reading of a later one throws.
    UnplacedTensor tensor;
    tensor.entry.name = name;
    tensor.entry.dtype = read_dtype(entry, refuse);
    tensor.entry.shape = read_shape(entry, refuse);
    tensor.range = read_range(entry, refuse);
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

/// Gives each tensor its bytes; the ranges must follow one another from the start of `data` to its end.
std::vector<TensorEntry> place(std::vector<UnplacedTensor> tensors, std::string_view data,
                               std::string_view source_name) {
  std::sort(tensors.begin(), tensors.end(), [](const UnplacedTensor& a, const UnplacedTensor& b) {
    return std::tie(a.range.begin, a.range.end, a.entry.name) < std::tie(b.range.begin, b.range.end, b.entry.name);
  });
  std::vector<TensorEntry> placed;
  uint64_t position = 0;
  for (UnplacedTensor& tensor : tensors) {
    const Refusal refuse(source_name, tensor.entry.name);
    const auto [begin, end] = tensor.range;
    if (begin != position || end < begin) {
      refuse("has data_offsets [", begin, ", ", end, "] where the data before it ends at ", position);
    }
    const uint64_t size = size_in_bytes(tensor.entry.shape, tensor.entry.dtype, refuse);
    if (end - begin != size) refuse("has ", end - begin, " bytes of data where dtype and shape make ", size);
    if (end > data.size()) refuse("has data up to byte ", end, ", but the file has only ", data.size());
    tensor.entry.bytes = data.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(size));
    placed.push_back(std::move(tensor.entry));
    position = end;
  }
  if (position != data.size()) {
    Refusal refuse(source_name);
    refuse("has ", data.size(), " bytes of data, but its tensors take ", position);
  }
  return placed;
}

}  // namespace

SafetensorsContent parse_safetensors(std::string_view bytes, std::string_view source_name) {
  const Refusal refuse(source_name);
  const std::string_view header_text = header_of(bytes, source_name, refuse);
  const JsonDocument document = parse_strict_json(header_text, concat(source_name, " (header)"));
  const json& header = document;
  if (header.size() > max_tensors + 1) {
    refuse("lists ", header.size(), " tensors, more than ", max_tensors);
  }
  SafetensorsContent content;
  if (const auto found = header.find(metadata_key); found != header.end()) {
    content.metadata = read_metadata(*found, refuse);
  }
  content.tensors =
      place(read_entries(header, source_name), bytes.substr(length_bytes + header_text.size()), source_name);
  return content;
}

SafetensorsFile SafetensorsFile::open(const std::filesystem::path& path, Links links) {
  MappedFile file(path, links);
  SafetensorsContent content = parse_safetensors(file.bytes(), path.string());
  return SafetensorsFile(std::move(file), std::move(content));
}

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::find(content_.tensors, name, &TensorEntry::name);
  return found == content_.tensors.end() ? nullptr : &*found;
}

}  // namespace gausscse
