#include "model/hub/model_folder_keys.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/strict_json.hpp"

namespace gausscse {

namespace {

constexpr std::string_view other_output = "sentence-transformers pools another output of the model";
constexpr std::string_view loader_arguments = "sentence-transformers loads the model with these arguments";

bool is_usual(const nlohmann::json& value, const FixedKey& key) {
  if (value.is_null() || (value.is_structured() && is_empty_value(value))) return true;
  const JsonDocument usual = parse_strict_json(key.usual, key.key);
  return std::find(usual->begin(), usual->end(), value) != usual->end();
}

std::string shortened(const nlohmann::json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_string()) return quoted(value.get<std::string>(), longest);
  const std::string text = value.dump();
  return text.size() <= longest ? text : concat(text.substr(0, longest), " ...");
}

}  // namespace

const std::vector<ModelFolderFile>& model_folder_files() {
  static const std::vector<ModelFolderFile> files{
      {"sentence_bert_config.json",
       {"max_seq_length", "do_lower_case"},
       {{"transformer_task", R"(["feature-extraction"])", other_output},
        {"modality_config", R"([{"text": {"method": "forward", "method_output_name": "last_hidden_state"}}])",
         other_output},
        {"module_output_name", R"(["token_embeddings"])", other_output},
        {"model_args", R"([{"add_pooling_layer": false}])", loader_arguments},
        {"model_kwargs", R"([{"add_pooling_layer": false}])", loader_arguments},
        {"config_args", "[]", loader_arguments},
        {"config_kwargs", "[]", loader_arguments},
        {"tokenizer_args", "[]", loader_arguments},
        {"processor_kwargs", "[]", loader_arguments},
        {"processing_kwargs", "[]", loader_arguments},
        {"tokenizer_name_or_path", "[]", "sentence-transformers takes the tokenizer of another folder"}},
       {"unpad_inputs", "backend", "cache_dir"}},
      {"config_sentence_transformers.json",
       {"default_prompt_name", "prompts"},
       {{"similarity_fn_name", R"(["cosine"])",
         "sentence-transformers compares embeddings by it, this program by their cosine"},
        {"truncate_dim", "[]", "sentence-transformers cuts embeddings to this number of dimensions"},
        {"model_type", R"(["SentenceTransformer"])", "it is no encoder of one vector a sentence"}},
       {"__version__"}},
      {"1_Pooling/config.json",
       {"pooling_mode", "pooling_mode_cls_token", "pooling_mode_mean_tokens", "pooling_mode_max_tokens",
        "pooling_mode_mean_sqrt_len_tokens", "pooling_mode_weightedmean_tokens", "pooling_mode_lasttoken"},
       {},
       {"include_prompt", "word_embedding_dimension", "embedding_dimension"}},
      {"tokenizer_config.json",
       {"do_lower_case", "strip_accents", "tokenize_chinese_chars", "add_prefix_space", "truncation_side",
        "model_max_length", "tokenizer_class", "cls_token", "sep_token", "unk_token", "mask_token",
        "additional_special_tokens", "extra_special_tokens", "added_tokens_decoder"},
       {{"do_basic_tokenize", "[true]", "transformers then splits sentences by white space alone"},
        {"never_split", "[]", "transformers then keeps these words whole"},
        {"clean_text", "[true]", "transformers then keeps control characters"},
        {"wordpieces_prefix", R"(["##"])", "transformers then looks for other word pieces"},
        {"split_special_tokens", "[false]", "transformers then splits special tokens like other text"},
        {"add_special_tokens", "[true]", "transformers then puts no special tokens around a sentence"},
        {"auto_map", "[]", "the tokenizer needs its own Python code"},
        // Sentences are packed without padding; padding before them would move their positions.
        {"padding_side", R"(["right"])", "transformers then gives sentences of a batch other positions"}},
       {"pad_token",
        "unk_id",
        "bos_token",
        "eos_token",
        "pad_token_type_id",
        "pad_to_multiple_of",
        "max_length",
        "stride",
        "truncation_strategy",
        "clean_up_tokenization_spaces",
        "spaces_between_special_tokens",
        "model_input_names",
        "name_or_path",
        "special_tokens_map_file",
        "tokenizer_file",
        "full_tokenizer_file",
        "vocab_file",
        "merges_file",
        "init_inputs",
        "processor_class",
        "chat_template",
        "backend",
        "errors",
        "trim_offsets",
        "use_fast",
        "from_slow",
        "legacy",
        "is_local",
        "local_files_only"}},
      {"special_tokens_map.json",
       {"cls_token", "sep_token", "unk_token", "mask_token", "additional_special_tokens", "extra_special_tokens"},
       {},
       {"pad_token", "bos_token", "eos_token"}},
  };
  return files;
}

const std::vector<std::string>& sentence_transformers_config_names() {
  static const std::vector<std::string> names{"sentence_bert_config.json",       "sentence_roberta_config.json",
                                              "sentence_distilbert_config.json", "sentence_camembert_config.json",
                                              "sentence_albert_config.json",     "sentence_xlm-roberta_config.json",
                                              "sentence_xlnet_config.json"};
  return names;
}

const std::vector<UnreadFile>& unread_model_files() {
  static const std::vector<UnreadFile> files{
      {"adapter_config.json", "transformers puts its adapter into the model"},
      {"quantize_config.json", "other programs take quantised weights"},
      {"quantization_config.json", "other programs take quantised weights"},
      {"sentencepiece.bpe.model", "transformers may take its tokens from there", true},
      {"spiece.model", "transformers may take its tokens from there", true},
      {"tokenizer.model", "transformers may take its tokens from there", true},
      {"bpe.codes", "transformers may take its tokens from there", true},
  };
  return files;
}

bool is_empty_value(const nlohmann::json& value) {
  if (value.is_string()) return value.get_ref<const std::string&>().empty();
  if (value.is_structured()) return std::all_of(value.begin(), value.end(), is_empty_value);
  return value.is_null() || value == false;
}

std::vector<std::string> unused_keys_with_effect(const nlohmann::json& object, std::string_view file,
                                                 const std::string& source) {
  const auto& files = model_folder_files();
  const auto known = std::find_if(files.begin(), files.end(), [&](const auto& entry) { return entry.name == file; });
  GAUSSCSE_CHECK(known != files.end(), "a file whose keys are known");
  if (!object.is_object()) throw InputError(concat(source, ": is not a JSON object: get the model's own file"));
  std::vector<std::string> warnings;
  std::string unknown;
  for (const auto& [name, value] : object.items()) {
    const auto fixed = std::find_if(known->fixed.begin(), known->fixed.end(),
                                    [&name = name](const FixedKey& entry) { return entry.key == name; });
    if (fixed != known->fixed.end()) {
      if (!is_usual(value, *fixed))
        warnings.push_back(
            concat(source, ": ", name, " is ", shortened(value), ", which is not applied: ", fixed->effect));
    } else if (!is_among(known->applied, name) && !is_among(known->harmless_keys, name) && !is_empty_value(value)) {
      unknown += concat(unknown.empty() ? "" : ", ", quoted(name), ": ", shortened(value));
    }
  }
  if (!unknown.empty())
    warnings.push_back(concat(source, ": keys that are not known are not applied: ", unknown,
                              ": other programs may compute something else by them"));
  return warnings;
}

}  // namespace gausscse
