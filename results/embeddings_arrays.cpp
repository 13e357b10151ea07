#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file_calls.hpp"
#include "results/embeddings_output.hpp"
#include "results/little_endian.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

/// The size of a JSON text in eight bytes, the text, padded to a multiple of eight, and the tensors.
class SafetensorsLayout final : public EmbeddingsLayout {
 public:
  SafetensorsLayout(const FileDescriptor& file, const fs::path& path, const EmbeddingsShape& shape,
                    const EmbeddingsAttributes& attributes)
      : shape_(shape) {
    // Room for any counts; blanks fill the bytes that the final ones leave.
    EmbeddingsAttributes longest = attributes;
    for (auto& [name, count] : longest.counts) count = std::numeric_limits<std::int64_t>::min();
    std::string text = text_with(longest);
    text.resize((text.size() + 7) / 8 * 8, ' ');
    text_bytes_ = text.size();
    const auto begin = static_cast<std::int64_t>(length_bytes + text_bytes_);
    for (std::size_t i = 0; i < shape.names.size(); ++i)
      offsets_.push_back(begin + static_cast<std::int64_t>(i) * shape.bytes());
    grow_file(file, begin + static_cast<std::int64_t>(shape.names.size()) * shape.bytes(), path);
    file_calls::write_all(file, little_endian(text_bytes_, length_bytes) + text, path);
  }

  std::vector<PlacedBytes> ending(const EmbeddingsAttributes& attributes) override {
    std::string text = text_with(attributes);
    text.resize(text_bytes_, ' ');
    return {{length_bytes, text}};
  }

 private:
  static constexpr int length_bytes = 8;

  std::string text_with(const EmbeddingsAttributes& attributes) const {
    std::string text = "{";
    const std::map<std::string, std::string> texts = texts_of(attributes);
    if (!texts.empty()) text += concat("\"__metadata__\":", nlohmann::json(texts).dump(), ",");
    for (std::size_t i = 0; i < shape_.names.size(); ++i) {
      const auto begin = static_cast<std::int64_t>(i) * shape_.bytes();
      text += concat(i == 0 ? "" : ",", "\"", shape_.names[i], "\":{\"dtype\":\"F32\",\"shape\":[", shape_.rows, ",",
                     shape_.columns, "],\"data_offsets\":[", begin, ",", begin + shape_.bytes(), "]}");
    }
    return text + "}";
  }

  EmbeddingsShape shape_;
  std::size_t text_bytes_ = 0;
};

/// A zip archive whose members are stored as they are (PKWARE's APPNOTE 4.3). Sizes and places of members are those of
/// zip64 for any size, so that small and large archives are written in one way.
///
///     header, mean.npy | header, log_var.npy | header, attributes.npy | directory, its end
///
/// The headers' checksums are known at the end.
class NpzLayout final : public EmbeddingsLayout {
 public:
  NpzLayout(const FileDescriptor& file, const fs::path& path, const EmbeddingsShape& shape) {
    std::int64_t place = 0;
    const std::string array = npy_header("<f4", concat(shape.rows, ", ", shape.columns));
    std::vector<PlacedBytes> headers;
    for (const std::string& name : shape.names) {
      Member member{name + ".npy", place, static_cast<std::int64_t>(array.size()) + shape.bytes()};
      member.add(array);
      headers.push_back({place, local_header(member) + array});
      offsets_.push_back(place + static_cast<std::int64_t>(headers.back().bytes.size()));
      place = offsets_.back() + shape.bytes();
      members_.push_back(std::move(member));
    }
    end_ = place;
    grow_file(file, end_, path);
    // The headers but the first lie between values, where nothing has been written yet.
    for (const PlacedBytes& header : headers) {
      if (::lseek(file.get(), header.offset, SEEK_SET) != header.offset)
        throw WriteError(concat(path.string(), ": cannot move in it: ", errno_text(errno)));
      file_calls::write_all(file, header.bytes, path);
    }
  }

  void on_values(std::size_t matrix, std::string_view bytes) override { members_[matrix].add(bytes); }

  std::vector<PlacedBytes> ending(const EmbeddingsAttributes& attributes) override {
    std::vector<PlacedBytes> placed;
    for (const Member& member : members_)
      placed.push_back({member.offset + checksum_place, little_endian(member.checksum, 4)});
    std::string tail;
    std::vector<Member> members = members_;
    if (const auto texts = texts_of(attributes); !texts.empty()) {
      const std::string json = nlohmann::json(texts).dump(2) + "\n";
      const std::string text = npy_header("|u1", concat(json.size(), ",")) + json;
      Member member{"attributes.npy", end_, static_cast<std::int64_t>(text.size())};
      member.add(text);
      tail = local_header(member) + text;
      members.push_back(std::move(member));
    }
    const std::int64_t directory = end_ + static_cast<std::int64_t>(tail.size());
    std::string entries;
    for (const Member& member : members) entries += directory_entry(member);
    tail += entries + directory_end(members.size(), entries.size(), directory);
    placed.push_back({end_, tail});
    return placed;
  }

 private:
  struct Member {
    std::string name;
    std::int64_t offset = 0, bytes = 0;  ///< place of its header, length of its content
    std::uint32_t checksum = 0;

    void add(std::string_view more) {
      checksum = static_cast<std::uint32_t>(
          ::crc32_z(checksum, reinterpret_cast<const unsigned char*>(more.data()), more.size()));
    }
  };

  static constexpr std::int64_t checksum_place = 14;
  static constexpr std::uint64_t in_zip64 = 0xffffffff;

  static std::string number(std::int64_t value) { return little_endian(static_cast<std::uint64_t>(value), 8); }

  /// Returns the fields that a local header and a directory's entry share: version 4.5, no flags, stored, the first day
  /// of 1980, the checksum, and sizes that are elsewhere.
  static std::string common_part(const Member& member, std::size_t extra_bytes) {
    return little_endian(45, 2) + little_endian(0, 2) + little_endian(0, 2) + little_endian(0x00210000, 4) +
           little_endian(member.checksum, 4) + little_endian(in_zip64, 4) + little_endian(in_zip64, 4) +
           little_endian(member.name.size(), 2) + little_endian(extra_bytes, 2);
  }

  static std::string local_header(const Member& member) {
    const std::string extra = little_endian(1, 2) + little_endian(16, 2) + number(member.bytes) + number(member.bytes);
    return concat("PK\x03\x04", common_part(member, extra.size()), member.name, extra);
  }

  static std::string directory_entry(const Member& member) {
    const std::string extra = little_endian(1, 2) + little_endian(24, 2) + number(member.bytes) + number(member.bytes) +
                              number(member.offset);
    // No comment, the first disk, no attributes.
    return concat("PK\x01\x02", little_endian(45, 2), common_part(member, extra.size()), little_endian(0, 10),
                  little_endian(in_zip64, 4), member.name, extra);
  }

  static std::string directory_end(std::size_t members, std::size_t directory_bytes, std::int64_t directory) {
    const std::string end64 = concat("PK\x06\x06", little_endian(44, 8), little_endian(45, 2), little_endian(45, 2),
                                     little_endian(0, 8), little_endian(members, 8), little_endian(members, 8),
                                     little_endian(directory_bytes, 8), number(directory));
    const std::int64_t place = directory + static_cast<std::int64_t>(directory_bytes);
    const std::string locator = concat("PK\x06\x07", little_endian(0, 4), number(place), little_endian(1, 4));
    return end64 + locator +
           concat("PK\x05\x06", little_endian(0, 4), little_endian(members, 2), little_endian(members, 2),
                  little_endian(in_zip64, 4), little_endian(in_zip64, 4), little_endian(0, 2));
  }

  std::vector<Member> members_;
  std::int64_t end_ = 0;  ///< end of the last array
};

}  // namespace

std::unique_ptr<EmbeddingsLayout> lay_out_npz(const FileDescriptor& file, const fs::path& path,
                                              const EmbeddingsShape& shape) {
  return std::make_unique<NpzLayout>(file, path, shape);
}

std::unique_ptr<EmbeddingsLayout> lay_out_safetensors(const FileDescriptor& file, const fs::path& path,
                                                      const EmbeddingsShape& shape,
                                                      const EmbeddingsAttributes& attributes) {
  return std::make_unique<SafetensorsLayout>(file, path, shape, attributes);
}

}  // namespace gausscse
