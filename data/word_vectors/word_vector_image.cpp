#include "data/word_vectors/word_vector_image.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Values of a block: 64 MiB.
constexpr std::size_t values_of_block = std::size_t{1} << 24;

/// Read back as another number on a machine of the other byte order.
constexpr std::uint64_t image_magic = 0x5345524F57534347;
constexpr std::size_t key_digits = 32;
constexpr std::uint32_t no_word = 0xFFFFFFFF;

struct Header {
  std::uint64_t magic = image_magic;
  std::uint32_t version = word_vector_image_version;
  std::uint32_t width = 0;
  std::array<char, key_digits> key{};
  std::uint64_t words = 0;
  std::uint64_t word_bytes = 0;
  std::uint64_t slots = 0;  ///< a power of two, more than words
  std::uint64_t repeated = 0;
  std::uint64_t index_hash = 0;   ///< XXH3-64 of what lies between the header and the rows
  std::uint64_t header_hash = 0;  ///< XXH3-64 of the header before this field
};

/// Offsets of the sections in an image.
struct Sections {
  explicit Sections(const Header& header)
      : ends(sizeof(Header)),
        text(ends + header.words * sizeof(std::uint64_t)),
        slots(text + aligned(header.word_bytes)),
        row_hashes(slots + aligned(header.slots * sizeof(std::uint32_t))),
        rows(row_hashes + header.words * sizeof(std::uint64_t)),
        end(rows + aligned(header.words * header.width * sizeof(float))) {}

  std::uint64_t ends, text, slots, row_hashes, rows, end;
};

/// Numbers of words by hash, open addressing, at most half full.
std::vector<std::uint32_t> slots_of(const StringTable& words) {
  std::vector<std::uint32_t> slots(std::bit_ceil(2 * words.size() + 1), no_word);
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    std::size_t slot = image_hash(words[i]) & (slots.size() - 1);
    while (slots[slot] != no_word) slot = (slot + 1) & (slots.size() - 1);
    slots[slot] = i;
  }
  return slots;
}

/// Returns the header, after every check that can be made without the content.
Header checked_header(std::string_view bytes, std::string_view key) {
  const auto header = header_of_image<Header>(bytes, key, "an index of word vectors");
  // With each size below the number of bytes, no sum of theirs leaves 64 bits.
  for (const std::uint64_t size : {header.words, header.word_bytes, header.slots})
    require(size <= bytes.size(), "its sizes do not fit the file");
  require(header.width > 0 && header.width <= bytes.size() / std::max<std::uint64_t>(header.words, 1),
          "its width does not fit the file");
  require(header.words < no_word && header.slots > header.words && std::has_single_bit(header.slots),
          "its words do not fit their slots");
  require(Sections(header).end == bytes.size(), "its length differs from that in the header");
  return header;
}

}  // namespace

PartialCopy::PartialCopy(const std::filesystem::path& path) : path_(path), file_(open_regular_file(path)) {
  if (file_.size == 0) return;
  void* address =
      ::mmap(nullptr, file_.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED)
    throw SystemError(concat("no room for ", file_.size, " bytes of ", path.string(), ": ", errno_text(errno)));
  mapping_ = Mapping(address, file_.size);
}

void PartialCopy::read(std::size_t begin, std::size_t count) {
  GAUSSCSE_CHECK(begin <= file_.size && count <= file_.size - begin, begin, " ", count, " of ", file_.size);
  while (count > 0) {
    const ssize_t got = ::pread(file_.descriptor.get(), mapping_.data() + begin, count, static_cast<off_t>(begin));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(concat("cannot read ", path_.string(), ": ", errno_text(errno)));
    if (got == 0) throw InputError(concat(path_.string(), ": became shorter while it was in use"));
    begin += static_cast<std::size_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

WordVectorTable::WordVectorTable(std::size_t width)
    : width_(width), rows_of_block_(std::max(values_of_block / width, std::size_t{1})) {}

void WordVectorTable::set(std::string_view word, std::span<const float> vector) {
  GAUSSCSE_CHECK(vector.size() == width_, vector.size(), " values of ", width_);
  const std::size_t before = words_.size();
  const std::size_t index = words_.intern(word);
  if (index < before) {
    ++repeated_;
    std::copy(vector.begin(), vector.end(),
              blocks_[index / rows_of_block_].begin() + static_cast<std::ptrdiff_t>(index % rows_of_block_ * width_));
    return;
  }
  if (index % rows_of_block_ == 0) blocks_.emplace_back();
  blocks_.back().insert(blocks_.back().end(), vector.begin(), vector.end());
}

std::span<const float> WordVectorTable::row(std::size_t word) const {
  return std::span<const float>(blocks_[word / rows_of_block_]).subspan(word % rows_of_block_ * width_, width_);
}

WordVectorImageParts::WordVectorImageParts(const WordVectorTable& table, std::string_view key)
    : slots_(slots_of(table.words())) {
  const StringTable& words = table.words();
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words_.insert(words_.end(), words[i].begin(), words[i].end());
    ends_.push_back(words_.size());
    row_hashes_.push_back(image_hash(bytes_of(table.row(i))));
  }
  image_.add(bytes_of(std::span<const std::uint64_t>(ends_)));
  image_.add({words_.data(), words_.size()});
  image_.end_section();
  image_.add(bytes_of(std::span<const std::uint32_t>(slots_)));
  image_.end_section();
  image_.add(bytes_of(std::span<const std::uint64_t>(row_hashes_)));

  Header header;
  header.width = static_cast<std::uint32_t>(table.width());
  header.words = words.size();
  header.word_bytes = words_.size();
  header.slots = slots_.size();
  header.repeated = table.repeated();
  header.index_hash = image_hash(image_.parts());
  for (const std::vector<float>& block : table.blocks()) image_.add(bytes_of(std::span<const float>(block)));
  image_.end_section();
  put_sealed_header(header, key, image_);
}

std::size_t WordVectorImage::header_bytes() {
  return sizeof(Header);
}

std::size_t WordVectorImage::rows_begin(std::string_view bytes, std::string_view key) {
  return static_cast<std::size_t>(Sections(checked_header(bytes, key)).rows);
}

WordVectorImage::WordVectorImage(std::string_view bytes, std::string_view key) {
  GAUSSCSE_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % image_alignment == 0, "image not aligned");
  const Header header = checked_header(bytes, key);
  const Sections sections(header);
  require(header.index_hash == image_hash(bytes.substr(sections.ends, sections.rows - sections.ends)),
          "the words do not match their hash");
  width_ = header.width;
  repeated_ = header.repeated;
  ends_ = section<std::uint64_t>(bytes, sections.ends, header.words);
  text_ = bytes.substr(sections.text, header.word_bytes);
  slots_ = section<std::uint32_t>(bytes, sections.slots, header.slots);
  row_hashes_ = section<std::uint64_t>(bytes, sections.row_hashes, header.words);
  rows_ = section<float>(bytes, sections.rows, header.words * header.width);
  require(std::is_sorted(ends_.begin(), ends_.end()) && (ends_.empty() ? 0 : ends_.back()) == text_.size(),
          "its words do not lie one behind the other");
  require(std::all_of(slots_.begin(), slots_.end(),
                      [&](std::uint32_t number) { return number < header.words || number == no_word; }),
          "a slot has the number of a word that does not exist");
}

std::string_view WordVectorImage::word(std::size_t number) const {
  const std::uint64_t begin = number == 0 ? 0 : ends_[number - 1];
  return text_.substr(begin, ends_[number] - begin);
}

std::optional<std::uint32_t> WordVectorImage::find(std::string_view wanted) const {
  if (slots_.empty()) return std::nullopt;
  std::size_t slot = image_hash(wanted) & (slots_.size() - 1);
  // Bounded, should no slot be free.
  for (std::size_t tried = 0; tried < slots_.size() && slots_[slot] != no_word; ++tried) {
    if (word(slots_[slot]) == wanted) return slots_[slot];
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return std::nullopt;
}

bool WordVectorImage::row_is_whole(std::size_t number) const {
  return image_hash(bytes_of(row(number))) == row_hashes_[number];
}

}  // namespace gausscse
