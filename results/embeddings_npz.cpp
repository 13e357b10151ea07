#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "results/embeddings_content.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t zip_end_bytes = 22, zip_end64_bytes = 56, zip_locator_bytes = 20, zip_entry_bytes = 46,
                        zip_local_bytes = 30;
constexpr std::uint64_t most_of_directory = std::uint64_t{1} << 20, most_of_attributes = std::uint64_t{1} << 20;
constexpr std::uint64_t moved_to_zip64 = 0xffffffff;
constexpr std::string_view npy_suffix = ".npy";

/// Member of an archive.
struct ZipEntry {
  std::string name;
  std::uint64_t method = 0, checksum = 0, packed = 0, bytes = 0, local_header = 0;
};

[[noreturn]] void refuse_npz(const fs::path& path, std::string_view why) {
  throw InputError(concat(path.string(), ": ", why,
                          ": write it again with `gausscse encode`, or with numpy.savez, which does not compress"));
}

/// Returns `bytes` bytes at `offset`; refuses an archive that ends before.
std::string part_of(const OpenFile& file, const fs::path& path, std::uint64_t offset, std::uint64_t bytes) {
  if (offset > file.size || bytes > file.size - offset) refuse_npz(path, "the .npz archive is damaged or cut");
  std::string part(static_cast<std::size_t>(bytes), '\0');
  read_at(file, offset, part.data(), part.size(), path);
  return part;
}

/// Returns the number in `count` bytes at `offset`, the lowest first.
std::uint64_t number_at(std::string_view bytes, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

/// Replaces sizes and place of a member by those in its zip64 field, where it has one.
void take_zip64(std::string_view extra, ZipEntry& entry) {
  while (extra.size() >= 4) {
    const std::size_t bytes = number_at(extra, 2, 2);
    if (bytes > extra.size() - 4) return;
    std::string_view field = extra.substr(4, bytes);
    if (number_at(extra, 0, 2) == 1)
      for (std::uint64_t* value : {&entry.bytes, &entry.packed, &entry.local_header})
        if (*value == moved_to_zip64 && field.size() >= 8) {
          *value = number_at(field, 0, 8);
          field.remove_prefix(8);
        }
    extra.remove_prefix(4 + bytes);
  }
}

/// Returns the bytes of the directory, which the record at the file's end names (PKWARE's APPNOTE 4.3).
std::string zip_directory(const OpenFile& file, const fs::path& path) {
  const std::uint64_t tail_bytes = std::min<std::uint64_t>(file.size, zip_end_bytes + 0xffff);
  const std::string tail = part_of(file, path, file.size - tail_bytes, tail_bytes);
  const std::size_t end = tail.rfind("PK\x05\x06");
  if (end == std::string::npos || tail.size() - end < zip_end_bytes)
    refuse_npz(path, "the .npz archive has no directory");
  std::uint64_t bytes = number_at(tail, end + 12, 4), place = number_at(tail, end + 16, 4);
  if ((bytes == moved_to_zip64 || place == moved_to_zip64) && end >= zip_locator_bytes &&
      tail.compare(end - zip_locator_bytes, 4, "PK\x06\x07") == 0) {
    const std::string end64 = part_of(file, path, number_at(tail, end - zip_locator_bytes + 8, 8), zip_end64_bytes);
    bytes = number_at(end64, 40, 8);
    place = number_at(end64, 48, 8);
  }
  if (bytes > most_of_directory) refuse_npz(path, "the directory of the .npz archive is longer than any");
  return part_of(file, path, place, bytes);
}

std::vector<ZipEntry> zip_entries(const OpenFile& file, const fs::path& path) {
  const std::string directory = zip_directory(file, path);
  std::vector<ZipEntry> entries;
  std::string_view rest = directory;
  while (rest.starts_with("PK\x01\x02") && rest.size() >= zip_entry_bytes) {
    const std::size_t name = number_at(rest, 28, 2), extra = number_at(rest, 30, 2), note = number_at(rest, 32, 2);
    if (name + extra + note > rest.size() - zip_entry_bytes) break;
    ZipEntry entry{std::string(rest.substr(zip_entry_bytes, name)),
                   number_at(rest, 10, 2),
                   number_at(rest, 16, 4),
                   number_at(rest, 20, 4),
                   number_at(rest, 24, 4),
                   number_at(rest, 42, 4)};
    take_zip64(rest.substr(zip_entry_bytes + name, extra), entry);
    if (std::ranges::find(entries, entry.name, &ZipEntry::name) != entries.end())
      refuse_npz(path, concat("the .npz archive has two members ", quoted(entry.name, 100)));
    entries.push_back(std::move(entry));
    rest.remove_prefix(zip_entry_bytes + name + extra + note);
  }
  if (!rest.empty()) refuse_npz(path, "the directory of the .npz archive is damaged");
  return entries;
}

/// Returns the place of a member's content, which lies in the file as a whole.
std::uint64_t content_place(const OpenFile& file, const fs::path& path, const ZipEntry& entry) {
  if (entry.method != 0 || entry.packed != entry.bytes)
    refuse_npz(path, concat(quoted(entry.name, 100), " in the .npz archive is compressed"));
  const std::string header = part_of(file, path, entry.local_header, zip_local_bytes);
  if (!header.starts_with("PK\x03\x04")) refuse_npz(path, "the .npz archive is damaged");
  const std::uint64_t place =
      entry.local_header + zip_local_bytes + number_at(header, 26, 2) + number_at(header, 28, 2);
  if (place > file.size || entry.bytes > file.size - place) refuse_npz(path, "the .npz archive is damaged or cut");
  return place;
}

/// Throws InputError unless the member has its CRC-32.
void compare_with_checksum(const OpenFile& file, const fs::path& path, const ZipEntry& entry) {
  constexpr std::uint64_t bytes_of_piece = std::uint64_t{1} << 20;
  const std::uint64_t place = content_place(file, path, entry);
  uLong checksum = 0;
  for (std::uint64_t done = 0; done < entry.bytes; done += bytes_of_piece) {
    const std::string piece = part_of(file, path, place + done, std::min(bytes_of_piece, entry.bytes - done));
    checksum = ::crc32_z(checksum, reinterpret_cast<const unsigned char*>(piece.data()), piece.size());
  }
  if (checksum != entry.checksum)
    refuse_npz(path, concat("the .npz archive is damaged, as ", quoted(entry.name, 100), " differs from its CRC-32"));
}

/// Adds the texts of a member with attributes: a JSON text, which an array of bytes holds unless the member is of an
/// earlier version. An array of another program is passed over.
void add_attributes(const OpenFile& file, const fs::path& path, const ZipEntry& entry, EmbeddingsContent& content) {
  std::string text = part_of(file, path, content_place(file, path, entry), entry.bytes);
  if (entry.name.ends_with(npy_suffix)) {
    const std::size_t header = text.find('\n');
    if (header == text.npos || text.substr(0, header).find("'|u1'") == text.npos) return;
    text.erase(0, header + 1);
    if (!text.starts_with('{')) return;
  }
  const JsonDocument document = parse_strict_json(text, concat(path.string(), ": ", entry.name));
  if (!document->is_object()) return;
  for (const auto& [key, value] : document->items())
    if (value.is_string()) content.attributes.emplace(key, value.get<std::string>());
}

}  // namespace

EmbeddingsContent npz_content(const OpenFile& file, const fs::path& path) {
  EmbeddingsContent content;
  content.is_checked = true;
  std::vector<ZipEntry> unchecked;
  for (const ZipEntry& entry : zip_entries(file, path)) {
    const std::string_view name = entry.name;
    if ((name == "attributes.npy" || name == "attributes.json") && entry.bytes <= most_of_attributes) {
      compare_with_checksum(file, path, entry);
      add_attributes(file, path, entry, content);
    }
    const std::string stem(name.ends_with(npy_suffix) ? name.substr(0, name.size() - npy_suffix.size()) : "");
    if (stem != "mean" && stem != "log_var" && stem != "embedding") continue;
    unchecked.push_back(entry);
    StoredMatrix matrix = npy_matrix(file, path, content_place(file, path, entry), entry.bytes);
    matrix.name = stem;
    content.matrices.push_back(std::move(matrix));
  }
  if (!content.attributes.contains(embeddings_seal))
    for (const ZipEntry& entry : unchecked) compare_with_checksum(file, path, entry);
  return content;
}

}  // namespace gausscse
