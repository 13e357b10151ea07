#include "data/tokenizer/unigram_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <variant>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns a score as the `tokenizers` library reads its shortest text: digits as an integer, divided by a power of
/// ten. The last bit may differ from the nearest double's, and decides which of two ways to cut a word is better where
/// their scores are the same.
double score_of_library(double score) {
  std::array<char, 32> text;
  const char* const end =
      std::to_chars(text.data(), text.data() + text.size(), score, std::chars_format::scientific).ptr;
  std::uint64_t digits = 0;
  int decimals = 0, exponent = 0;
  bool is_behind_point = false;
  const char* at = text.data() + (std::signbit(score) ? 1 : 0);
  for (; *at != 'e'; ++at) {
    if (*at == '.') {
      is_behind_point = true;
    } else {
      digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
      decimals += is_behind_point;
    }
  }
  at += at[1] == '+' ? 2 : 1;
  std::from_chars(at, end, exponent);
  exponent -= decimals;
  const auto magnitude = static_cast<double>(digits);
  const double read = exponent < 0 ? magnitude / std::pow(10.0, -exponent) : magnitude * std::pow(10.0, exponent);
  return std::copysign(read, score);
}

void read_metaspace(const JsonObject& entry, UnigramSettings& settings) {
  if (entry.string("type") != "Metaspace")
    entry.not_supported("type", "a Unigram model takes Metaspace, or WhitespaceSplit and Metaspace");
  entry.check_keys({"type", "replacement", "add_prefix_space", "prepend_scheme", "split", "str_rep"});
  if (entry.string("replacement") != "\u2581") entry.not_supported("replacement", "the mark of a space is \"\u2581\"");
  if (!entry.is_null("prepend_scheme")) {
    const std::string scheme = entry.string("prepend_scheme");
    if (scheme != "always" && scheme != "first" && scheme != "never")
      entry.not_supported("prepend_scheme", "always, first and never are");
    const auto strips_left = [](const TextNormalizer::Step& step) {
      const auto* strip = std::get_if<StripSpace>(&step);
      return strip && strip->left;
    };
    const auto& steps = settings.normalizer.steps();
    if (scheme == "first" && std::any_of(steps.begin(), steps.end(), strips_left))
      entry.not_supported("prepend_scheme", "without Strip of the left end first is");
    settings.prefix = scheme == "always"  ? PrefixMark::always
                      : scheme == "first" ? PrefixMark::first
                                          : PrefixMark::never;
  }
  if (!entry.boolean_or("add_prefix_space", true) && settings.prefix != PrefixMark::never)
    entry.not_supported("add_prefix_space", "it is false only where prepend_scheme is \"never\"");
  settings.splits_marks = entry.boolean_or("split", true);
}

}  // namespace

Vocabulary parse_unigram_json(const JsonObject& model, UnigramSettings& settings) {
  model.check_keys({"type", "unk_id", "vocab", "byte_fallback"});
  if (model.boolean_or("byte_fallback", false))
    model.not_supported("byte_fallback", "characters without a piece are the unknown token (false)");
  const nlohmann::json& pieces = model.at("vocab");
  const std::string where = concat(model.where(), ".vocab");
  if (!pieces.is_array()) throw InputError(concat(where, " must be an array of pieces; give the model's own file"));
  std::vector<std::pair<std::string, std::uint32_t>> tokens;
  tokens.reserve(pieces.size());
  settings.scores.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const nlohmann::json& piece = pieces[i];
    if (!piece.is_array() || piece.size() != 2 || !piece[0].is_string() || !piece[1].is_number())
      throw InputError(concat(where, "[", i, "] must be a piece and its score, [\"piece\", -1.5], but is ",
                              quoted(piece.dump()), "; give the model's own file"));
    tokens.emplace_back(piece[0].get<std::string>(), static_cast<std::uint32_t>(i));
    settings.scores.push_back(score_of_library(piece[1].get<double>()));
  }
  settings.unknown_id = model.id("unk_id");
  if (settings.unknown_id >= tokens.size())
    throw InputError(concat(model.where(), ".unk_id is ", settings.unknown_id, ", but there are ", tokens.size(),
                            " pieces; give the model's own file"));
  return Vocabulary(std::move(tokens), where);
}

void parse_metaspace_json(const JsonObject& root, UnigramSettings& settings) {
  if (root.is_null("pre_tokenizer")) root.not_supported("pre_tokenizer", "a Unigram model takes Metaspace");
  const JsonObject entry = root.object("pre_tokenizer");
  if (entry.string("type") != "Sequence") return read_metaspace(entry, settings);
  entry.check_keys({"type", "pretokenizers"});
  const nlohmann::json& parts = entry.at("pretokenizers");
  const std::string where = concat(entry.where(), ".pretokenizers");
  if (!parts.is_array() || parts.size() != 2)
    throw InputError(concat(where, " must be WhitespaceSplit and Metaspace; give the model's own file"));
  const JsonObject first(parts[0], concat(where, "[0]"));
  if (first.string("type") != "WhitespaceSplit")
    first.not_supported("type", "WhitespaceSplit is the only one before Metaspace");
  first.check_keys({"type"});
  settings.splits_white_space = true;
  read_metaspace({parts[1], concat(where, "[1]")}, settings);
}

}  // namespace gausscse
