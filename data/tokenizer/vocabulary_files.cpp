#include "data/tokenizer/vocabulary_files.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "base/text.hpp"
#include "data/tokenizer/model_json.hpp"
#include "data/tokenizer/tokenizer_config.hpp"

namespace gausscse {

namespace {

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
