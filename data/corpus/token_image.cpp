#include "data/corpus/token_image.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/corpus/nli_pair.hpp"

namespace gausscse {

namespace {

constexpr std::size_t alignment = 8;
constexpr std::string_view magic = "gausscse tokens\n";

struct Start {
  std::array<char, 16> text{};
  std::uint64_t header_bytes = 0;
  std::uint64_t hash = 0;
};

/// Members of the counts in the order of the header.
constexpr std::array counts_of_corpus{
    &CorpusCounts::pairs,     &CorpusCounts::without_gold_label, &CorpusCounts::duplicates, &CorpusCounts::conflicting,
    &CorpusCounts::bad_lines, &CorpusCounts::premises,           &CorpusCounts::examples,   &CorpusCounts::sentences};

/// Numbers of TokenCounts, with their names in the header.
constexpr std::array<std::pair<const char*, std::uint64_t TokenCounts::*>, 5> numbers_of_tokens{
    {{"sentences", &TokenCounts::sentences},
     {"cut", &TokenCounts::cut},
     {"tokens", &TokenCounts::tokens},
     {"unknown", &TokenCounts::unknown},
     {"unknown_of_example", &TokenCounts::unknown_of_example}}};

/// Throws InputError with `what`, of an image that is read, unless it holds.
void require(bool holds, std::string_view what) {
  if (!holds) throw InputError(std::string(what));
}

/// Returns the number of bytes that `size` lacks to a multiple of the alignment.
std::size_t bytes_to_fill(std::size_t size) {
  return (alignment - size % alignment) % alignment;
}

/// Returns the header of an image, filled up.
std::string header_of(const std::string& key, std::size_t vocabulary_size, const TokenizedSentences& tokens,
                      const TrainingCorpus& corpus, const std::vector<std::uint32_t>& groups) {
  // Objects and arrays are made by name: where no memory is left for one that a null value turns into, nlohmann's value
  // is an object of no address.
  JsonDocument document(nlohmann::json::object());
  nlohmann::json& header = document.value();
  header["version"] = token_image_version;
  header["key"] = key;
  header["vocabulary_size"] = vocabulary_size;
  header["roles"] = corpus.roles;
  header["id_bytes"] = tokens.id_bytes;
  nlohmann::json& groups_of_sentences = header["token_counts"] = nlohmann::json::array();
  for (const TokenCounts& counts_of_group : tokens.counts) {
    nlohmann::json& group = groups_of_sentences.emplace_back(nlohmann::json::object());
    for (const auto& [name, count] : numbers_of_tokens) group[name] = counts_of_group.*count;
    group["example"] = counts_of_group.example;
  }
  header["messages"] = corpus.bad_line_messages;
  nlohmann::json& counts = header["counts"] = nlohmann::json::array();
  for (const auto count : counts_of_corpus) counts.push_back(corpus.counts.*count);
  nlohmann::json& sizes = header["sizes"] = nlohmann::json::object();
  sizes["offsets"] = tokens.offsets.size();
  sizes["example_sentences"] = corpus.example_sentences.size();
  sizes["labels"] = corpus.labels.size();
  sizes["groups"] = groups.size();
  sizes["ids"] = tokens.offsets.back();
  // The name of a file in a message may be no UTF-8.
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.append(bytes_to_fill(text.size()), ' ');
  return text;
}

/// Takes a part of `count` values off `rest`.
template <typename T>
std::span<const T> take_part(std::string_view& rest, std::size_t count) {
  require(count <= rest.size() / sizeof(T), "its length differs from that in the header");
  const std::span values(reinterpret_cast<const T*>(rest.data()), count);
  rest.remove_prefix(std::min(rest.size(), (values.size_bytes() + alignment - 1) / alignment * alignment));
  return values;
}

bool all_less(const auto& values, std::size_t limit) {
  return values.empty() || *std::max_element(values.begin(), values.end()) < limit;
}

/// Returns the header, after the checks of start and hash. The rest of `image` is the part behind it.
JsonDocument take_header(std::string_view& image) {
  Start start;
  require(image.size() >= sizeof start, "it is shorter than its header");
  std::memcpy(&start, image.data(), sizeof start);
  require(std::string_view(start.text.data(), start.text.size()) == magic, "it does not begin as a token store");
  image.remove_prefix(sizeof start);
  require(start.hash == XXH3_64bits(image.data(), image.size()), "the content does not match its hash");
  require(start.header_bytes <= image.size() && start.header_bytes % alignment == 0, "its header does not fit");
  const std::string_view header = image.substr(0, start.header_bytes);
  image.remove_prefix(header.size());
  return parse_strict_json(header, "its header");
}

TokenImageView view_of(const nlohmann::json& header, std::string_view rest, std::string_view key) {
  require(header.at("version") == token_image_version, "it is of another version");
  require(header.at("key") == key, "it was made from something else");
  TokenImageView view;
  view.roles = header.at("roles").get<std::size_t>();
  for (const nlohmann::json& group : header.at("token_counts")) {
    TokenCounts& counts = view.token_counts.emplace_back();
    for (const auto& [name, count] : numbers_of_tokens) counts.*count = group.at(name).get<std::uint64_t>();
    counts.example = group.at("example").get<std::string>();
  }
  view.bad_line_messages = header.at("messages").get<std::vector<std::string>>();
  for (std::size_t i = 0; i < counts_of_corpus.size(); ++i)
    view.counts.*counts_of_corpus[i] = header.at("counts").at(i).get<std::size_t>();
  const auto id_bytes = header.at("id_bytes").get<std::size_t>();
  const auto size_of = [&](const char* part) { return header.at("sizes").at(part).get<std::size_t>(); };
  view.offsets = take_part<std::uint64_t>(rest, size_of("offsets"));
  view.example_sentences = take_part<std::uint32_t>(rest, size_of("example_sentences"));
  view.labels = take_part<std::uint32_t>(rest, size_of("labels"));
  view.groups = take_part<std::uint32_t>(rest, size_of("groups"));
  require(id_bytes == 2 || id_bytes == 4, "the width of its ids is neither 2 nor 4");
  if (id_bytes == 2) view.narrow_ids = take_part<std::uint16_t>(rest, size_of("ids"));
  if (id_bytes == 4) view.wide_ids = take_part<std::uint32_t>(rest, size_of("ids"));
  require(rest.empty(), "its length differs from that in the header");
  return view;
}

void check_content(const TokenImageView& view, std::size_t vocabulary_size) {
  const std::size_t ids = view.narrow_ids.size() + view.wide_ids.size();
  require(!view.offsets.empty() && view.offsets.front() == 0 && view.offsets.back() == ids,
          "its offsets do not span its ids");
  require(std::is_sorted(view.offsets.begin(), view.offsets.end()), "its offsets are not in order");
  const std::size_t sentences = view.offsets.size() - 1;
  require(view.roles == 2 || view.roles == 3 || (view.roles == 0 && view.example_sentences.empty()),
          "its examples have neither 2 nor 3 sentences");
  require(view.roles == 0 || view.example_sentences.size() % view.roles == 0, "its last example is cut short");
  require(view.labels.empty() || view.labels.size() * view.roles == view.example_sentences.size(),
          "it has labels for some of its examples alone");
  require(view.groups.size() == view.labels.size(), "it has groups for some of its labels alone");
  require(all_less(view.example_sentences, sentences), "an example has the number of a sentence that does not exist");
  require(all_less(view.labels, gold_labels), "a label is none of the three");
  require(all_less(view.groups, sentences), "a group has the number of a sentence that does not exist");
  require(all_less(view.narrow_ids, vocabulary_size) && all_less(view.wide_ids, vocabulary_size),
          "a token id is outside the vocabulary");
}

}  // namespace

TokenImage::TokenImage(const std::string& key, std::size_t vocabulary_size, const TokenizedSentences& tokens,
                       const TrainingCorpus& corpus, const std::vector<std::uint32_t>& groups)
    : header_(sizeof(Start), '\0') {
  header_ += header_of(key, vocabulary_size, tokens, corpus, groups);
  append(header_);
  append_part(tokens.offsets);
  append_part(corpus.example_sentences);
  append_part(corpus.labels);
  append_part(groups);
  for (const TokenizedSentences::Ids& ids : tokens.ids) append(ids);
  fill_up();

  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> hash(XXH3_createState(), XXH3_freeState);
  if (!hash) throw SystemError("no memory to compute a hash");
  XXH3_64bits_reset(hash.get());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    std::string_view piece = pieces_[i];
    if (i == 0) piece.remove_prefix(sizeof(Start));
    XXH3_64bits_update(hash.get(), piece.data(), piece.size());
  }
  Start start;
  magic.copy(start.text.data(), magic.size());
  start.header_bytes = header_.size() - sizeof start;
  start.hash = XXH3_64bits_digest(hash.get());
  std::memcpy(header_.data(), &start, sizeof start);
}

void TokenImage::append(std::string_view piece) {
  if (!piece.empty()) pieces_.push_back(piece);
  size_ += piece.size();
}

void TokenImage::fill_up() {
  constexpr std::string_view filling("\0\0\0\0\0\0\0", alignment - 1);
  append(filling.substr(0, bytes_to_fill(size_)));
}

template <typename Values>
void TokenImage::append_part(const Values& values) {
  append({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])});
  fill_up();
}

TokenImageView view_token_image(std::string_view bytes, std::string_view key) {
  GAUSSCSE_CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0, "token image not aligned");
  try {
    const JsonDocument header = take_header(bytes);
    TokenImageView view = view_of(header, bytes, key);
    check_content(view, header->at("vocabulary_size").get<std::size_t>());
    return view;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(concat("its header is not that of a token store: ", error.what()));
  }
}

}  // namespace gausscse
