// merges.txt and a text: the merges up to the first zero byte, the text. The vocabulary is that of the merges, so that
// most inputs are valid, unless a merge begins with "!": then its result is left out.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "fuzz/tokenizer/fuzz_checks.hpp"

namespace {

std::map<std::string, std::uint32_t> make_vocabulary(std::string_view merges) {
  std::map<std::string, std::uint32_t> vocabulary = {{"<s>", 0}, {"</s>", 1}, {"<mask>", 2}};
  const auto add = [&](const std::string& token) {
    vocabulary.emplace(token, static_cast<std::uint32_t>(vocabulary.size()));
  };
  for (unsigned byte = 0; byte < 256; ++byte) {
    std::string token;
    gausscse::append_utf8(gausscse::byte_level_character(static_cast<unsigned char>(byte)), token);
    add(token);
  }
  while (!merges.empty()) {
    const std::size_t end = std::min(merges.find('\n'), merges.size());
    const std::string_view line = merges.substr(0, end);
    merges.remove_prefix(std::min(end + 1, merges.size()));
    const std::size_t space = line.find(' ');
    if (space == std::string_view::npos || gausscse::find_invalid_utf8(line) != std::string_view::npos) continue;
    add(std::string(line.substr(0, space)));
    add(std::string(line.substr(space + 1)));
    if (line[0] != '!') add(std::string(line.substr(0, space)).append(line.substr(space + 1)));
  }
  return vocabulary;
}

// The bytes of the tokens of a sentence, put together, are the sentence, where no special token stands in it.
void check_round_trip(const std::map<std::string, std::uint32_t>& vocabulary, std::string_view text,
                      const std::vector<std::uint32_t>& ids) {
  std::map<std::uint32_t, std::string> names;
  for (const auto& [token, id] : vocabulary) names[id] = token;
  std::string bytes;
  for (std::size_t i = 1; i + 1 < ids.size(); ++i) {
    const auto part = gausscse::byte_level_bytes(names.at(ids[i]));
    gausscse::require(part.has_value());
    bytes += *part;
  }
  std::string repaired;
  gausscse::append_repaired_utf8(text, repaired);
  gausscse::require(bytes == repaired);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(input.find('\0'), input.size());
  const std::string merges(input.substr(0, end));
  const std::string_view text = input.substr(std::min(end + 1, input.size()));
  const auto vocabulary = make_vocabulary(merges);
  try {
    const auto tokenizer =
        gausscse::make_tokenizer({{}, {{"vocab.json", nlohmann::json(vocabulary).dump()}, {"merges.txt", merges}}});
    const auto ids = gausscse::check_encoding(*tokenizer, text, 3 + size % 8);
    if (text.find('<') == std::string_view::npos) check_round_trip(vocabulary, text, ids);
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
