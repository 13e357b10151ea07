#include "model/hub/model_folder_keys.hpp"

#include <nlohmann/json.hpp>

#include "tests/data/tokenizer/small_tokenizers.hpp"
#include "tests/launcher/model_folder_keys_fixture.hpp"
#include "tests/support/testing.hpp"

// Nothing that a model folder says is passed over in silence: each value is applied, refused or named.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
/// Returns another value for each key of the list, by file; it is one that has an effect in sentence-transformers,
/// transformers or tokenizers.
const std::map<std::string, std::map<std::string, json>>& other_values() {
  const json loaded_with = {{"attention_type", "other"}}, token = {{"content", "w7"}};
  static const std::map<std::string, std::map<std::string, json>> values{
      {"sentence_bert_config.json",
       {{"max_seq_length", 20},
        {"do_lower_case", true},
        {"transformer_task", "fill-mask"},
        {"modality_config", {{"text", {{"method", "forward"}, {"method_output_name", "logits"}}}}},
        {"module_output_name", "sentence_embedding"},
        {"model_args", loaded_with},
        {"model_kwargs", loaded_with},
        {"config_args", loaded_with},
        {"config_kwargs", loaded_with},
        {"tokenizer_args", loaded_with},
        {"processor_kwargs", loaded_with},
        {"processing_kwargs", loaded_with},
        {"tokenizer_name_or_path", "other"}}},
      {"config_sentence_transformers.json",
       {{"default_prompt_name", "query"},
        {"prompts", {{"query", "Query: "}}},
        {"similarity_fn_name", "dot"},
        {"truncate_dim", 8},
        {"model_type", "SparseEncoder"}}},
      {"1_Pooling/config.json",
       {{"pooling_mode", "max"},
        {"pooling_mode_cls_token", true},
        {"pooling_mode_mean_tokens", false},
        {"pooling_mode_max_tokens", true},
        {"pooling_mode_mean_sqrt_len_tokens", true},
        {"pooling_mode_weightedmean_tokens", true},
        {"pooling_mode_lasttoken", true}}},
      {"tokenizer_config.json",
       {{"do_lower_case", false},
        {"strip_accents", false},
        {"tokenize_chinese_chars", false},
        {"truncation_side", "left"},
        {"model_max_length", 20},
        {"tokenizer_class", "XLMRobertaTokenizer"},
        {"cls_token", "w7"},
        {"sep_token", token},
        {"unk_token", "w7"},
        {"mask_token", "<mask>"},
        {"additional_special_tokens", {"<x>"}},
        {"extra_special_tokens", {"<x>"}},
        {"added_tokens_decoder", {{"60", {{"content", "<x>"}}}}},
        {"do_basic_tokenize", false},
        {"never_split", {"w1"}},
        {"clean_text", false},
        {"wordpieces_prefix", "@@"},
        {"split_special_tokens", true},
        {"add_special_tokens", false},
        {"auto_map", {{"AutoTokenizer", "own"}}},
        {"padding_side", "left"}}},
      {"special_tokens_map.json",
       {{"cls_token", "w7"},
        {"sep_token", token},
        {"unk_token", "w7"},
        {"mask_token", "<mask>"},
        {"additional_special_tokens", {"<x>"}},
        {"extra_special_tokens", {"<x>"}}}}};
  return values;
}

TEST_F(ModelFolderKeys, EachIsAppliedRefusedOrNamed) {
  for (const bool with_tokenizer_json : {true, false}) {
    const std::map<std::string, json> usual = usual_files(project_.model(), with_tokenizer_json);
    fs::remove(project_.model() / "tokenizer.json");
    write(project_.model(), usual);
    const std::vector<FolderOutcome> before = outcomes(project_.model());
    ASSERT_EQ(before[0].notes, "") << "nothing to tell yet";
    ASSERT_FALSE(before[0].values.empty() || before[1].ids.empty());
    std::size_t walked = 0;
    for (const ModelFolderFile& file : model_folder_files()) {
      const std::set<std::string_view> harmless_keys(file.harmless_keys.begin(), file.harmless_keys.end());
      std::vector<std::string_view> keys(file.applied);
      keys.insert(keys.end(), file.harmless_keys.begin(), file.harmless_keys.end());
      for (const FixedKey& key : file.fixed) keys.push_back(key.key);
      for (const std::string_view key : keys) {
        const std::string name(file.name), key_name(key);
        if (key_name == "add_prefix_space") continue;  // of byte-level tokenizers, below
        json changed = usual.at(name);
        if (harmless_keys.contains(key)) {
          changed[key_name] = "w9";
        } else {
          ASSERT_TRUE(other_values().at(name).contains(key_name)) << name << " " << key_name << " needs another value";
          changed[key_name] = other_values().at(name).at(key_name);
        }
        // The limit of sentence-transformers' own file comes first.
        if (key_name == "model_max_length") write_bytes(project_.model() / "sentence_bert_config.json", "{}");
        write_bytes(project_.model() / name, changed.dump());
        const std::vector<FolderOutcome> after = outcomes(project_.model());
        write(project_.model(), usual);
        ++walked;
        for (std::size_t i = 0; i < after.size(); ++i) {
          if (harmless_keys.contains(key))
            EXPECT_TRUE(after[i] == before[i]) << name << " " << key_name << " notes: " << after[i].notes;
          else
            EXPECT_FALSE(after[i] == before[i]) << i << " passes over " << name << ": " << key_name;
        }
      }
    }
    EXPECT_GT(walked, 80u);
  }
}

/// config.json and tokenizer.json are read key by key, and refused where a key is not known.
TEST_F(ModelFolderKeys, ThoseOfConfigAndTokenizerAreNotPassedOver) {
  const std::map<std::string, json> usual = usual_files(project_.model(), true);
  write(project_.model(), usual);
  const std::vector<FolderOutcome> before = outcomes(project_.model());
  for (const ChangedKey& change : std::vector<ChangedKey>{{"config.json", "/hidden_size", 64},
                                                          {"config.json", "/num_hidden_layers", 1},
                                                          {"config.json", "/num_attention_heads", 2},
                                                          {"config.json", "/intermediate_size", 64},
                                                          {"config.json", "/vocab_size", 64},
                                                          {"config.json", "/max_position_embeddings", 40},
                                                          {"config.json", "/type_vocab_size", 3},
                                                          {"config.json", "/layer_norm_eps", 0.1},
                                                          {"config.json", "/hidden_act", "relu"},
                                                          {"config.json", "/position_embedding_type", "relative_key"},
                                                          {"config.json", "/is_decoder", true},
                                                          {"config.json", "/add_cross_attention", true},
                                                          {"config.json", "/pruned_heads", {{"0", {1}}}},
                                                          {"config.json", "/auto_map", {{"AutoModel", "own"}}},
                                                          {"config.json", "/quantization_config", {{"bits", 8}}},
                                                          {"config.json", "/model_type", "roberta"},
                                                          {"config.json", "/own_key", 1},
                                                          {"tokenizer.json", "/truncation/direction", "Left"},
                                                          {"tokenizer.json", "/truncation/max_length", 20},
                                                          {"tokenizer.json", "/padding/direction", "Left"},
                                                          {"tokenizer.json", "/normalizer/lowercase", false},
                                                          {"tokenizer.json", "/normalizer/strip_accents", false},
                                                          {"tokenizer.json", "/normalizer/handle_chinese_chars", false},
                                                          {"tokenizer.json", "/normalizer", nullptr},
                                                          {"tokenizer.json", "/pre_tokenizer", nullptr},
                                                          {"tokenizer.json", "/post_processor", nullptr},
                                                          {"tokenizer.json", "/post_processor/cls/0", "w1"},
                                                          {"tokenizer.json", "/added_tokens/4/content", "w1"},
                                                          {"tokenizer.json", "/model/unk_token", "w1"},
                                                          {"tokenizer.json", "/model/continuing_subword_prefix", "w"},
                                                          {"tokenizer.json", "/model/max_input_chars_per_word", 1},
                                                          {"tokenizer.json", "/model/vocab/w1", 70},
                                                          {"tokenizer.json", "/model/type", "Unigram"},
                                                          {"tokenizer.json", "/own_key", 1}}) {
    json changed = usual.at(change.file);
    changed[json::json_pointer(change.pointer)] = change.value;
    write_bytes(project_.model() / change.file, changed.dump());
    const std::vector<FolderOutcome> after = outcomes(project_.model());
    write(project_.model(), usual);
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_FALSE(after[i] == before[i]) << i << " passes over " << change.file << ": " << change.pointer;
  }
}

/// Files that other programs may take instead of tokenizer.json.
TEST_F(ModelFolderKeys, OtherFilesOfTokensAndWeightsAreNotPassedOver) {
  write(project_.model(), usual_files(project_.model(), true));
  const std::vector<FolderOutcome> before = outcomes(project_.model());
  const std::string words = read_whole_file(project_.model() / "vocab.txt", 1 << 20);
  std::vector<std::pair<std::string, std::string>> files{
      {"added_tokens.json", R"({"<x>": 60})"},
      {"vocab.txt", words + "w60\n"},
      {"vocab.json", R"({"w1": 5})"},
      {"sentence_roberta_config.json", R"({"do_lower_case": true})"}};
  for (const UnreadFile& file : unread_model_files())
    if (!file.of_tokenizer) files.emplace_back(file.name, "{}");
  for (const auto& [name, content] : files) {
    const fs::path path = project_.model() / name;
    if (name == "sentence_roberta_config.json") fs::remove(project_.model() / "sentence_bert_config.json");
    write_bytes(path, content);
    const std::vector<FolderOutcome> after = outcomes(project_.model());
    if (name == "vocab.txt")
      write_bytes(path, words);
    else
      fs::remove(path);
    write(project_.model(), usual_files(project_.model(), true));
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_FALSE(after[i] == before[i]) << i << " passes over " << name;
  }
}

TEST_F(ModelFolderKeys, AddPrefixSpaceIsThatOfByteLevelTokenizers) {
  TokenizerFiles files = small_byte_level_files();
  const auto before = encode(files, "he");
  files.contents["tokenizer_config.json"] = R"({"add_prefix_space": true})";
  EXPECT_NE(encode(files, "he"), before);
  files.contents["tokenizer.json"] = small_byte_level_json();
  EXPECT_NE(message_of(files), "accepted");
}

}  // namespace
}  // namespace gausscse
