#include "data/tokenizer/tokenizer_settings.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/strict_json.hpp"
#include "data/tokenizer/json_object.hpp"
#include "model/hub/model_folder_keys.hpp"

namespace gausscse {

namespace {

/// Adds the limit at `key`; numbers so large that they mean none are none.
void add_limit(const JsonObject& object, const std::string& key, const char* program, TokenizerSettings& settings) {
  if (object.is_null(key)) return;
  const nlohmann::json& value = object.at(key);
  const std::string setting = concat(object.where(), ": ", key);
  if (!value.is_number() || value.get<double>() < 1)
    throw InputError(concat(setting, " must be a number of tokens; get the model's own file"));
  constexpr double no_limit = 1e9;
  if (value.get<double>() < no_limit) settings.limits.push_back({setting, program, value.get<std::size_t>()});
}

/// Returns true for left, false for right; nothing where the key is missing.
std::optional<bool> is_left(const JsonObject& object, const std::string& key) {
  if (object.is_null(key)) return std::nullopt;
  const std::string side = object.string(key);
  if (side == "left" || side == "Left") return true;
  if (side != "right" && side != "Right") object.not_supported(key, "left and right are");
  return false;
}

/// Reads the side that is cut; tokenizer_config.json decides, as in transformers.
void read_truncation_side(const JsonObject& config, const TokenizerFiles& files, TokenizerSettings& settings) {
  const std::optional<bool> left = is_left(config, "truncation_side");
  if (!left) return;
  if (settings.cuts_begin && *settings.cuts_begin != *left)
    throw InputError(concat(config.where(), ": truncation_side is ", *left ? "left" : "right", ", but ",
                            files.source_name("tokenizer.json"), " (truncation.direction) says ",
                            *left ? "right" : "left",
                            ", so long sentences lose their end in one program and their beginning in another; make "
                            "the two agree, as the model was trained"));
  settings.cuts_begin = left;
}

}  // namespace

void append_added_token(const Vocabulary& vocabulary, AddedToken token, const std::string& source,
                        std::vector<AddedToken>& tokens) {
  std::size_t expected = vocabulary.size();
  if (const auto id = vocabulary.find(token.content)) {
    expected = *id;
  } else {
    for (const AddedToken& other : tokens) expected = std::max(expected, std::size_t{other.id} + 1);
    if (expected <= Vocabulary::largest_id && vocabulary.has_id(static_cast<std::uint32_t>(expected))) {
      throw InputError(concat(
          source, ": the vocabulary lacks added token ", quoted(token.content), ", and the next free id, ", expected,
          ", belongs to another token, since the vocabulary's ids have gaps; give a vocabulary that "
          "has the token"));
    }
  }
  if (token.id != expected) {
    throw InputError(concat(source, ": added token ", quoted(token.content), " says id ", token.id,
                            ", but by the vocabulary it is ", expected, "; correct the one that is wrong"));
  }
  tokens.push_back(std::move(token));
}

void read_truncation_json(const JsonObject& root, TokenizerSettings& settings) {
  if (!root.is_null("truncation")) {
    const JsonObject truncation = root.object("truncation");
    settings.cuts_begin = is_left(truncation, "direction");
    add_limit(truncation, "max_length", "the tokenizers library", settings);
  }
  if (!root.is_null("padding") && is_left(root.object("padding"), "direction").value_or(false))
    settings.warnings.push_back(concat(root.where(),
                                       ": padding.direction is \"Left\", which is not applied: other programs then ",
                                       "give sentences of a batch other positions"));
}

void read_sentence_settings(const TokenizerFiles& files, TokenizerSettings& settings) {
  for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
    const JsonFile file(files, name);
    for (std::string& warning : unused_keys_with_effect(file.value(), name, file.source()))
      settings.warnings.push_back(std::move(warning));
  }
  const JsonFile config(files, "tokenizer_config.json");
  read_truncation_side(config.object(), files, settings);
  const auto& names = sentence_transformers_config_names();
  const auto named = std::find_if(names.begin(), names.end(), [&](const auto& name) { return files.find(name); });
  const JsonFile sentences(files, named == names.end() ? names.front() : *named);
  settings.lowers_sentences = sentences.object().boolean_or("do_lower_case", false);
  if (sentences.object().is_null("max_seq_length"))
    add_limit(config.object(), "model_max_length", "transformers", settings);
  else
    add_limit(sentences.object(), "max_seq_length", "sentence-transformers", settings);
}

}  // namespace gausscse
