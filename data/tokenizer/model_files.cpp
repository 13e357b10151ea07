#include "data/tokenizer/model_files.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "data/tokenizer/tokenizer_config.hpp"
#include "data/tokenizer/unigram_json.hpp"

namespace gausscse {

namespace {

WordPieceSettings parse_word_piece(const JsonObject& model) {
  model.check_keys({"type", "unk_token", "continuing_subword_prefix", "max_input_chars_per_word", "vocab"});
  WordPieceSettings settings;
  settings.unknown_token = model.string("unk_token");
  settings.continuation_prefix = model.string("continuing_subword_prefix");
  const nlohmann::json& longest = model.at("max_input_chars_per_word");
  if (!longest.is_number_unsigned()) model.not_supported("max_input_chars_per_word", "a whole number from 0 is");
  settings.max_characters_per_word = longest.get<std::size_t>();
  return settings;
}

std::vector<std::pair<std::string, std::string>> parse_merges(const nlohmann::json& list, const std::string& where) {
  if (!list.is_array()) throw InputError(concat(where, " must be an array; give the model's own file"));
  std::vector<std::pair<std::string, std::string>> merges;
  merges.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const nlohmann::json& entry = list[i];
    const bool is_pair = entry.is_array() && entry.size() == 2 && entry[0].is_string() && entry[1].is_string();
    if (is_pair) {
      merges.emplace_back(entry[0].get<std::string>(), entry[1].get<std::string>());
    } else if (entry.is_string()) {
      const std::string& line = entry.get_ref<const std::string&>();
      auto merge = find_merge(line);
      if (!merge) throw_not_a_merge(line, concat(where, "[", i, "]"));
      merges.push_back(std::move(*merge));
    } else {
      throw InputError(
          concat(where, "[", i, "] must be \"left right\" or [\"left\", \"right\"]; give the model's own file"));
    }
  }
  return merges;
}

// Text that would be added to every word's pieces: byte-level models have none.
void check_no_affix(const JsonObject& model, const std::string& key) {
  if (!model.is_null(key) && !model.string(key).empty()) model.not_supported(key, "byte-level BPE has none");
}

ByteLevelBpeModel parse_bpe(const JsonObject& model) {
  // unk_token, fuse_unk and byte_fallback concern characters without a token: of bytes there are none, as
  // ByteLevelBpe makes sure.
  model.check_keys({"type", "dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk",
                    "byte_fallback", "ignore_merges", "vocab", "merges"});
  if (!model.is_null("dropout") && !(model.at("dropout").is_number() && model.at("dropout").get<double>() == 0.0))
    model.not_supported("dropout", "with it the ids of a sentence would be random");
  check_no_affix(model, "continuing_subword_prefix");
  check_no_affix(model, "end_of_word_suffix");
  ByteLevelBpeModel result;
  result.settings.ignore_merges = model.boolean_or("ignore_merges", false);
  result.merges_source = concat(model.where(), ".merges");
  result.merges = parse_merges(model.at("merges"), result.merges_source);
  return result;
}

// Finds the id of each special token and puts it where it belongs.
void append_special_tokens(const TokenizerConfig& config, TokenizerSettings& settings) {
  for (const SpecialToken& special : config.special_tokens) {
    const auto id = settings.vocabulary.find(special.token.content);
    if (!id && !special.required) continue;
    AddedToken token = special.token;
    token.id = settings.vocabulary.require(token.content, settings.source, concat("the ", special.role));
    if (special.role == "cls_token") settings.ids_before = {token.id};
    if (special.role == "sep_token") settings.ids_after = {token.id};
    const auto same = [&](const AddedToken& other) { return other.content == token.content; };
    if (std::none_of(settings.added_tokens.begin(), settings.added_tokens.end(), same))
      settings.added_tokens.push_back(std::move(token));
  }
}

}  // namespace

ParsedModel parse_model_json(const JsonObject& model) {
  // Files of early versions do not name the type.
  const std::string type = model.has("type")     ? model.string("type")
                           : model.has("merges") ? "BPE"
                           : model.has("unk_id") ? "Unigram"
                                                 : "WordPiece";
  if (type == "Unigram") {
    UnigramSettings unigram;
    Vocabulary vocabulary = parse_unigram_json(model, unigram);
    return {std::move(vocabulary), std::move(unigram)};
  }
  if (type != "BPE" && type != "WordPiece") model.not_supported("type", "WordPiece, BPE and Unigram are");
  std::variant<WordPieceSettings, ByteLevelBpeModel, UnigramSettings> settings;
  if (type == "BPE") {
    settings = parse_bpe(model);
  } else {
    settings = parse_word_piece(model);
  }
  return {parse_vocabulary_json(model.at("vocab"), concat(model.where(), ".vocab")), std::move(settings)};
}

Vocabulary parse_vocabulary_json(const nlohmann::json& value, const std::string& where) {
  if (!value.is_object())
    throw InputError(concat(where, " must be an object of tokens and ids; give the model's own file"));
  std::vector<std::pair<std::string, std::uint32_t>> tokens;
  tokens.reserve(value.size());
  for (const auto& [token, value_of_token] : value.items()) {
    const std::optional<std::uint32_t> id = find_token_id(value_of_token);
    tokens.emplace_back(token, id ? *id : json_token_id(value_of_token, concat(where, "[", quoted(token), "]")));
  }
  return Vocabulary(std::move(tokens), where);
}

std::optional<std::pair<std::string, std::string>> find_merge(std::string_view line) {
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos || line.find(' ', space + 1) != std::string_view::npos) return std::nullopt;
  return std::pair(std::string(line.substr(0, space)), std::string(line.substr(space + 1)));
}

void throw_not_a_merge(std::string_view line, const std::string& where) {
  throw InputError(concat(where, ": ", quoted(line),
                          " is not a merge: two tokens with one space between them; give the model's own file"));
}

TokenizerSettings parse_word_piece_files(const TokenizerFiles& files) {
  const std::string source = files.source_name("vocab.txt");
  TokenizerSettings settings{source, Vocabulary::from_lines(*files.find("vocab.txt"), source), {}, {}, {}, {}};
  const TokenizerConfig config = parse_tokenizer_config(files, word_piece_families(), settings.vocabulary, source);
  WordPieceSettings word_piece;
  word_piece.normalizer.clean_text = true;
  word_piece.normalizer.handle_chinese_characters = config.tokenize_chinese_characters;
  word_piece.normalizer.lowercase = config.lower_case;
  word_piece.normalizer.strip_accents = config.strip_accents;
  word_piece.unknown_token = config.unknown_token;
  settings.model = word_piece;
  append_special_tokens(config, settings);
  return settings;
}

TokenizerSettings parse_byte_level_files(const TokenizerFiles& files) {
  const std::string source = files.source_name("vocab.json");
  const std::string merges_source = files.source_name("merges.txt");
  TokenizerSettings settings{
      source, parse_vocabulary_json(parse_strict_json(*files.find("vocab.json"), source), source), {}, {}, {}, {}};
  const TokenizerConfig config = parse_tokenizer_config(files, byte_level_families(), settings.vocabulary, source);
  ByteLevelBpeModel model;
  model.settings.add_prefix_space = config.add_prefix_space;
  model.merges_source = merges_source;
  model.merges = parse_merges_file(*files.find("merges.txt"), merges_source);
  settings.model = std::move(model);
  append_special_tokens(config, settings);
  return settings;
}

std::vector<std::pair<std::string, std::string>> parse_merges_file(std::string_view text, const std::string& source) {
  std::vector<std::pair<std::string, std::string>> merges;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.substr(0, 8) == "#version") continue;
    if (find_invalid_utf8(line) != std::string_view::npos) {
      throw InputError(
          concat(at_line(source, line_number), ": ", quoted(line), " is not UTF-8; give the model's own file"));
    }
    auto merge = find_merge(line);
    if (!merge) throw_not_a_merge(line, at_line(source, line_number));
    merges.push_back(std::move(*merge));
  }
  return merges;
}

}  // namespace gausscse
