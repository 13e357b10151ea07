#include "data/tokenizer/tokenizer_agreement.hpp"

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/json_object.hpp"

namespace gausscse {

void check_agreement(const TokenizerFiles& files, const TokenizerSettings& settings) {
  const std::string* text = files.find("tokenizer_config.json");
  if (text == nullptr) return;
  const std::string source = files.source_name("tokenizer_config.json");
  const JsonDocument document = parse_strict_json(*text, source);
  const nlohmann::json& json = document;
  const JsonObject config(json, source);

  const auto compare = [&](const char* key, bool used, const char* entry) {
    if (config.is_null(key) || config.boolean(key) == used) return;
    throw InputError(concat(source, ": ", key, used ? " is false, but " : " is true, but ",
                            files.source_name("tokenizer.json"), " (", entry, used ? ") says true" : ") says false",
                            ", so the same sentence has other ids in one program than in another; make the two agree, "
                            "as the model was trained"));
  };
  if (const auto* word_piece = std::get_if<WordPieceSettings>(&settings.model)) {
    compare("do_lower_case", word_piece->normalizer.lowercase, "normalizer.lowercase");
    compare("strip_accents", word_piece->normalizer.strip_accents, "normalizer.strip_accents");
    compare("tokenize_chinese_chars", word_piece->normalizer.handle_chinese_characters,
            "normalizer.handle_chinese_chars");
  } else {
    compare("add_prefix_space", std::get<ByteLevelBpeModel>(settings.model).settings.add_prefix_space,
            "pre_tokenizer.add_prefix_space");
  }
}

}  // namespace gausscse
