// tokenizer.json of a Unigram model and a text: a byte of settings, the table of replacements up to 4 bytes of 0xFF,
// pieces up to the first zero byte, the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "data/tokenizer/utf8_text.hpp"
#include "fuzz/tokenizer/fuzz_checks.hpp"

namespace {

std::string_view take_until(std::string_view& input, std::string_view end) {
  const std::size_t size = std::min(input.find(end), input.size());
  const std::string_view part = input.substr(0, size);
  input.remove_prefix(std::min(size + end.size(), input.size()));
  return part;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto byte = [&](std::size_t at) { return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U; };
  std::string text;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); bit += 6)
    text += digits[(byte(bit / 8) << 8 | byte(bit / 8 + 1)) >> (10 - bit % 8) & 63];
  return text.append((4 - text.size() % 4) % 4, '=');
}

nlohmann::json normalizer_of(unsigned flags, std::string_view table) {
  nlohmann::json steps = nlohmann::json::array();
  if ((flags & 1) != 0) steps.push_back({{"type", "Precompiled"}, {"precompiled_charsmap", base64(table)}});
  if ((flags & 2) != 0) steps.push_back({{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}});
  if ((flags & 4) != 0)
    steps.push_back({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", "\u2581"}});
  if ((flags & 8) != 0) steps.push_back({{"type", "NFKC"}});
  return {{"type", "Sequence"}, {"normalizers", steps}};
}

/// Pieces, one a line, with scores by their place.
nlohmann::json pieces_of(std::string_view lines) {
  nlohmann::json pieces = {{"<s>", 0}, {"</s>", 0}, {"<unk>", 0}, {"\u2581", -3.5}};
  while (!lines.empty()) {
    std::string piece;
    gausscse::append_repaired_utf8(take_until(lines, "\n"), piece);
    pieces.push_back({piece, -1 - 0.37 * static_cast<double>(pieces.size() % 11)});
  }
  return pieces;
}

nlohmann::json special(const char* token, unsigned id) {
  return {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const unsigned flags = data[0];
  std::string_view input(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view table = take_until(input, "\xff\xff\xff\xff");
  const std::string_view pieces = take_until(input, {"\0", 1});
  constexpr const char* schemes[] = {"always", "first", "never", "always"};
  const nlohmann::json metaspace = {{"type", "Metaspace"},
                                    {"replacement", "\u2581"},
                                    {"prepend_scheme", schemes[flags / 16 % 4]},
                                    {"split", (flags & 64) == 0}};
  nlohmann::json words = metaspace;
  if ((flags & 128) != 0) words = {{"type", "Sequence"}, {"pretokenizers", {{{"type", "WhitespaceSplit"}}, metaspace}}};
  const nlohmann::json json = {{"normalizer", normalizer_of(flags, table)},
                               {"pre_tokenizer", words},
                               {"post_processor",
                                {{"type", "TemplateProcessing"},
                                 {"pair", nlohmann::json::array()},
                                 {"single",
                                  {{{"SpecialToken", {{"id", "<s>"}, {"type_id", 0}}}},
                                   {{"Sequence", {{"id", "A"}, {"type_id", 0}}}},
                                   {{"SpecialToken", {{"id", "</s>"}, {"type_id", 0}}}}}},
                                 {"special_tokens", {{"<s>", special("<s>", 0)}, {"</s>", special("</s>", 1)}}}}},
                               {"model", {{"type", "Unigram"}, {"unk_id", 2}, {"vocab", pieces_of(pieces)}}}};
  try {
    const auto tokenizer = gausscse::make_tokenizer({{}, {{"tokenizer.json", json.dump()}}});
    gausscse::check_encoding(*tokenizer, input, 3 + size % 8);
  } catch (const gausscse::InputError&) {
  }
  return 0;
}
