#include "data/tokenizer/token_agreement.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/added_tokens.hpp"
#include "data/tokenizer/json_object.hpp"
#include "data/tokenizer/model_files.hpp"
#include "data/tokenizer/tokenizer_config.hpp"

namespace gausscse {

namespace {

class Comparison {
 public:
  Comparison(const TokenizerFiles& files, TokenizerSettings& settings) : files_(files), settings_(settings) {}

  void of_special_tokens(const char* name) {
    const JsonFile file(files_, name);
    const JsonObject object = file.object();
    of_role(object, "cls_token", [&](const std::string& token) { return is_one_of(token, settings_.ids_before); });
    of_role(object, "sep_token", [&](const std::string& token) { return is_one_of(token, settings_.ids_after); });
    of_role(object, "unk_token", [&](const std::string& token) {
      if (const auto* word_piece = std::get_if<WordPieceSettings>(&settings_.model))
        return word_piece->unknown_token == token;
      const auto* unigram = std::get_if<UnigramSettings>(&settings_.model);
      return !unigram || settings_.vocabulary.find(token) == unigram->unknown_id;
    });
    of_role(object, "mask_token", [&](const std::string& token) { return added(token) != nullptr; });
    for (const char* key : {"additional_special_tokens", "extra_special_tokens"})
      if (!object.is_null(key))
        for (const auto& entry : object.at(key)) expect_added(concat(object.where(), ": ", key), content_of(entry));
  }

  void of_added_tokens() {
    const JsonFile added_tokens(files_, "added_tokens.json");
    for (const auto& [content, id] : added_tokens.value().items()) {
      expect_added(added_tokens.source(), content);
      expect_id(added_tokens.source(), content, json_token_id(id, concat(added_tokens.source(), ".", content)));
    }
    const JsonFile file(files_, "tokenizer_config.json");
    const JsonObject config = file.object();
    if (config.is_null("added_tokens_decoder")) return;
    const JsonObject decoder = config.object("added_tokens_decoder");
    for (const auto& [id, entry] : config.at("added_tokens_decoder").items()) {
      const AddedToken token = parse_added_token(decoder.object(id));
      expect_added(decoder.where(), token.content);
      if (const auto own = id_of(token.content); own && std::to_string(*own) != id)
        warn(decoder.where(), ": token ", quoted(token.content), " has the id ", id, ", which is ", *own,
             " in tokenizer.json");
      const AddedToken* own_token = added(token.content);
      if (own_token && (own_token->lstrip != token.lstrip || own_token->rstrip != token.rstrip ||
                        own_token->single_word != token.single_word || own_token->normalized != token.normalized))
        warn(decoder.where(), ": token ", quoted(token.content), " has other flags than in tokenizer.json");
    }
  }

  void of_class() {
    const JsonFile file(files_, "tokenizer_config.json");
    const JsonObject config = file.object();
    if (config.is_null("tokenizer_class")) return;
    std::string name = config.string("tokenizer_class");
    if (name.ends_with("Fast")) name.resize(name.size() - 4);
    std::vector<std::string> classes{"PreTrainedTokenizer", "TokenizersBackend"};
    if (std::holds_alternative<UnigramSettings>(settings_.model)) {
      classes.emplace_back("XLMRobertaTokenizer");
    } else {
      const bool word_piece = std::holds_alternative<WordPieceSettings>(settings_.model);
      for (const TokenizerFamily& family : word_piece ? word_piece_families() : byte_level_families())
        classes.insert(classes.end(), family.classes.begin(), family.classes.end());
    }
    if (std::find(classes.begin(), classes.end(), name) == classes.end())
      warn(config.where(), ": tokenizer_class ", quoted(name), " is not known for the tokens of tokenizer.json");
  }

  void of_vocabulary(const char* name, const auto& parse) {
    const std::string* text = files_.find(name);
    if (!text) return;
    const std::string source = files_.source_name(name);
    try {
      const Vocabulary other = parse(*text, source);
      if (other == settings_.vocabulary) return;
      for (const auto& [token, id] : other.entries())
        if (const auto own = id_of(std::string(token)); own != std::optional(id))
          return warn(source, ": token ", quoted(token), " has the id ", id, ", but in tokenizer.json ",
                      own ? concat("it is ", *own) : std::string("there is none such"));
      for (const auto& [token, id] : settings_.vocabulary.entries())
        if (!other.find(token))
          return warn(source, ": lacks the token ", quoted(token), ", which tokenizer.json has with the id ", id);
    } catch (const InputError& error) {
      warn(error.what());
    }
  }

  void of_merges() {
    const std::string* text = files_.find("merges.txt");
    const auto* bpe = std::get_if<ByteLevelBpeModel>(&settings_.model);
    if (!text || !bpe) return;
    const std::string source = files_.source_name("merges.txt");
    try {
      if (parse_merges_file(*text, source) != bpe->merges) warn(source, ": has other merges than tokenizer.json");
    } catch (const InputError& error) {
      warn(error.what());
    }
  }

 private:
  template <typename... Parts>
  void warn(const Parts&... parts) {
    settings_.warnings.push_back(
        concat(parts..., ": tokenizer.json is taken, other programs may give sentences other ids"));
  }

  const AddedToken* added(const std::string& content) const {
    const auto found = std::find_if(settings_.added_tokens.begin(), settings_.added_tokens.end(),
                                    [&](const AddedToken& token) { return token.content == content; });
    return found == settings_.added_tokens.end() ? nullptr : &*found;
  }

  std::optional<std::uint32_t> id_of(const std::string& content) const {
    const AddedToken* token = added(content);
    return token ? std::optional(token->id) : settings_.vocabulary.find(content);
  }

  static std::string content_of(const nlohmann::json& token) {
    if (token.is_string()) return token.get<std::string>();
    const auto content = token.is_object() ? token.find("content") : token.end();
    return token.is_object() && content != token.end() && content->is_string() ? content->get<std::string>() : "";
  }

  bool is_one_of(const std::string& token, const std::vector<std::uint32_t>& ids) const {
    const auto id = id_of(token);
    return id && std::find(ids.begin(), ids.end(), *id) != ids.end();
  }

  void of_role(const JsonObject& object, const char* role, const auto& agrees) {
    if (object.is_null(role)) return;
    const std::string token = content_of(object.at(role));
    if (!agrees(token)) warn(object.where(), ": ", role, " is ", quoted(token), ", which tokenizer.json does not have");
  }

  void expect_added(const std::string& where, const std::string& content) {
    if (!added(content)) warn(where, ": ", quoted(content), " is no added token of tokenizer.json");
  }

  void expect_id(const std::string& where, const std::string& content, std::uint32_t id) {
    const auto own = id_of(content);
    if (own && *own != id)
      warn(where, ": token ", quoted(content), " has the id ", id, ", which is ", *own, " in tokenizer.json");
  }

  const TokenizerFiles& files_;
  TokenizerSettings& settings_;
};

}  // namespace

void compare_tokens(const TokenizerFiles& files, TokenizerSettings& settings) {
  Comparison comparison(files, settings);
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) comparison.of_special_tokens(name);
  comparison.of_added_tokens();
  comparison.of_class();
  const std::string* lines = files.find("vocab.txt");
  if (lines && !settings.vocabulary.has_lines(*lines)) comparison.of_vocabulary("vocab.txt", &Vocabulary::from_lines);
  comparison.of_vocabulary("vocab.json", [](const std::string& text, const std::string& source) {
    return parse_vocabulary_json(parse_strict_json(text, source), source);
  });
  comparison.of_merges();
}

void check_agreement(const TokenizerFiles& files, const TokenizerSettings& settings) {
  const JsonFile file(files, "tokenizer_config.json");
  const JsonObject config = file.object();
  const auto compare = [&](const char* key, bool used, const char* entry) {
    if (config.is_null(key) || config.boolean(key) == used) return;
    throw InputError(concat(config.where(), ": ", key, used ? " is false, but " : " is true, but ",
                            files.source_name("tokenizer.json"), " (", entry, used ? ") says true" : ") says false",
                            ", so the same sentence has other ids in one program than in another; make the two agree, "
                            "as the model was trained"));
  };
  if (const auto* word_piece = std::get_if<WordPieceSettings>(&settings.model)) {
    compare("do_lower_case", word_piece->normalizer.lowercase, "normalizer.lowercase");
    compare("strip_accents", word_piece->normalizer.strip_accents, "normalizer.strip_accents");
    compare("tokenize_chinese_chars", word_piece->normalizer.handle_chinese_characters,
            "normalizer.handle_chinese_chars");
  } else if (const auto* unigram = std::get_if<UnigramSettings>(&settings.model)) {
    compare("add_prefix_space", unigram->prefix != PrefixMark::never, "pre_tokenizer.prepend_scheme");
  } else {
    compare("add_prefix_space", std::get<ByteLevelBpeModel>(settings.model).settings.add_prefix_space,
            "pre_tokenizer.add_prefix_space");
  }
}

}  // namespace gausscse
