#include "data/corpus/token_image.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "base/error.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

namespace {

/// Read back as another number on a machine of the other byte order.
constexpr std::uint64_t image_magic = 0x534B4F5443534347;
constexpr std::size_t key_digits = 32;

struct Header {
  std::uint64_t magic = image_magic;
  std::uint32_t version = token_image_version;
  std::uint32_t id_bytes = 0;
  std::array<char, key_digits> key{};
  std::uint64_t vocabulary_size = 0;
  std::uint64_t sentences = 0;
  std::uint64_t examples = 0;
  std::uint64_t roles = 0;
  std::uint64_t labels = 0;  ///< and groups
  std::uint64_t tokens = 0;
  std::uint64_t message_bytes = 0;
  std::uint64_t cut_sentences = 0;
  std::array<std::uint64_t, 8> counts{};
  std::uint64_t content_hash = 0;  ///< XXH3-64 of all that follows the header
  std::uint64_t header_hash = 0;   ///< XXH3-64 of the header before this field
};

std::array<std::uint64_t, 8> to_numbers(const CorpusCounts& counts) {
  return {counts.pairs,     counts.without_gold_label, counts.duplicates, counts.conflicting,
          counts.bad_lines, counts.premises,           counts.examples,   counts.sentences};
}

CorpusCounts to_counts(const std::array<std::uint64_t, 8>& numbers) {
  CorpusCounts counts;
  counts.pairs = numbers[0];
  counts.without_gold_label = numbers[1];
  counts.duplicates = numbers[2];
  counts.conflicting = numbers[3];
  counts.bad_lines = numbers[4];
  counts.premises = numbers[5];
  counts.examples = numbers[6];
  counts.sentences = numbers[7];
  return counts;
}

/// Offsets of the sections in an image.
struct Sections {
  explicit Sections(const Header& header)
      : offsets(sizeof(Header)),
        examples(offsets + aligned((header.sentences + 1) * sizeof(std::uint64_t))),
        labels(examples + aligned(header.examples * header.roles * sizeof(std::uint32_t))),
        groups(labels + aligned(header.labels * sizeof(std::uint32_t))),
        ids(groups + aligned(header.labels * sizeof(std::uint32_t))),
        messages(ids + aligned(header.tokens * header.id_bytes)),
        end(messages + aligned(header.message_bytes)) {}

  std::uint64_t offsets;
  std::uint64_t examples;
  std::uint64_t labels;
  std::uint64_t groups;
  std::uint64_t ids;
  std::uint64_t messages;
  std::uint64_t end;
};

/// Returns the header, after every check that can be made without the content.
Header checked_header(std::string_view bytes, std::string_view key) {
  const auto header = header_of_image<Header>(bytes, key, "a token store");
  require(header.id_bytes == 2 || header.id_bytes == 4, "the width of its ids is neither 2 nor 4");
  require(header.roles == 2 || header.roles == 3 || (header.roles == 0 && header.examples == 0),
          "its examples have neither 2 nor 3 sentences");
  require(header.labels == 0 || header.labels == header.examples, "it has labels for some of its examples alone");
  // With each size below the number of bytes, no sum of theirs leaves 64 bits.
  for (const std::uint64_t size : {header.sentences, header.examples, header.tokens, header.message_bytes}) {
    require(size <= bytes.size(), "its sizes do not fit the file");
  }
  require(Sections(header).end == bytes.size(), "its length differs from that in the header");
  return header;
}

template <typename Id>
void check_ids(std::span<const Id> ids, std::uint64_t vocabulary_size) {
  Id largest = 0;
  for (const Id id : ids) largest = std::max(largest, id);
  require(ids.empty() || largest < vocabulary_size, "a token id is outside the vocabulary");
}

void check_content(const TokenImageView& view, const Header& header) {
  require(view.offsets.front() == 0 && view.offsets.back() == header.tokens, "its offsets do not span its ids");
  require(std::is_sorted(view.offsets.begin(), view.offsets.end()), "its offsets are not in order");
  const std::span<const std::uint32_t> named = view.example_sentences;
  require(named.empty() || *std::max_element(named.begin(), named.end()) < header.sentences,
          "an example has the number of a sentence that does not exist");
  require(view.labels.empty() || *std::max_element(view.labels.begin(), view.labels.end()) < gold_labels,
          "a label is none of the three");
  require(view.groups.empty() || *std::max_element(view.groups.begin(), view.groups.end()) < header.sentences,
          "a group has the number of a sentence that does not exist");
  check_ids(view.narrow_ids, header.vocabulary_size);
  check_ids(view.wide_ids, header.vocabulary_size);
}

}  // namespace

TokenImageParts::TokenImageParts(const TokenizedSentences& tokens, const TokenImageContent& content) {
  for (const std::string& message : content.bad_line_messages) messages_ += message + '\n';
  image_.add(bytes_of(std::span<const std::uint64_t>(tokens.offsets)));
  image_.end_section();
  image_.add(bytes_of(std::span<const std::uint32_t>(content.example_sentences)));
  image_.end_section();
  image_.add(bytes_of(std::span<const std::uint32_t>(content.labels)));
  image_.end_section();
  image_.add(bytes_of(std::span<const std::uint32_t>(content.groups)));
  image_.end_section();
  for (const std::string& ids : tokens.id_parts) image_.add(ids);
  image_.end_section();
  image_.add(messages_);
  image_.end_section();

  Header header;
  header.id_bytes = static_cast<std::uint32_t>(tokens.id_bytes);
  header.vocabulary_size = content.vocabulary_size;
  header.sentences = tokens.offsets.size() - 1;
  header.examples = content.roles == 0 ? 0 : content.example_sentences.size() / content.roles;
  header.roles = content.roles;
  GAUSSCSE_CHECK(content.example_sentences.size() == header.examples * header.roles, "roles ", header.roles);
  header.labels = content.labels.size();
  GAUSSCSE_CHECK(content.groups.size() == header.labels, content.groups.size(), " groups of ", header.labels,
                 " labels");
  header.tokens = tokens.offsets.back();
  header.message_bytes = messages_.size();
  header.cut_sentences = tokens.cut_sentences;
  header.counts = to_numbers(content.counts);
  header.content_hash = image_hash(image_.parts());
  put_sealed_header(header, content.key, image_);
}

TokenImageView view_token_image(std::string_view bytes, std::string_view key) {
  GAUSSCSE_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % image_alignment == 0, "token image not aligned");
  const Header header = checked_header(bytes, key);
  require(header.content_hash == image_hash(bytes.substr(sizeof(Header))), "the content does not match its hash");
  const Sections sections(header);
  TokenImageView view;
  view.offsets = section<std::uint64_t>(bytes, sections.offsets, header.sentences + 1);
  view.roles = static_cast<std::size_t>(header.roles);
  view.example_sentences = section<std::uint32_t>(bytes, sections.examples, header.examples * header.roles);
  view.labels = section<std::uint32_t>(bytes, sections.labels, header.labels);
  view.groups = section<std::uint32_t>(bytes, sections.groups, header.labels);
  if (header.id_bytes == 2) view.narrow_ids = section<std::uint16_t>(bytes, sections.ids, header.tokens);
  if (header.id_bytes == 4) view.wide_ids = section<std::uint32_t>(bytes, sections.ids, header.tokens);
  check_content(view, header);
  view.cut_sentences = static_cast<std::size_t>(header.cut_sentences);
  view.counts = to_counts(header.counts);
  std::string_view messages = bytes.substr(sections.messages, header.message_bytes);
  for (std::size_t end; (end = messages.find('\n')) != std::string_view::npos; messages.remove_prefix(end + 1)) {
    view.bad_line_messages.emplace_back(messages.substr(0, end));
  }
  return view;
}

}  // namespace gausscse
