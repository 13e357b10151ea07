#include "base/model_folder_keys.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "experiments/evaluation/embed_sentences.hpp"
#include "launcher/measured_model.hpp"
#include "launcher/reading_notes.hpp"
#include "model/model_folder_reader.hpp"
#include "tests/data/tokenizer/small_tokenizers.hpp"
#include "tests/launcher/program.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/test_paths.hpp"

// Nothing that a model folder says is passed over in silence: each value is applied, refused or named.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing_support::refusal_of;
using testing_support::TemporaryFolder;
using testing_support::TinyProject;
using testing_support::write_bytes;

/// What a command made of a folder: a refusal alone, or ids, vectors and what the log told.
struct Outcome {
  std::string told;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
  bool operator==(const Outcome&) const = default;
};

/// A pointer (RFC 6901) into a JSON file, and another value there.
struct Change {
  std::string file, pointer;
  json value;
};

class ModelFolderKeys : public testing::Test {
 protected:
  ModelFolderKeys() {
    sentences_ = {"w1 w2 W3", "w4 [MASK] w5", "w6\u0301 \u4e2dw7 w545 x"};
    std::string& longest = sentences_.emplace_back();  // more tokens than the tiny BERT has positions
    for (int i = 0; i < 90; ++i) longest += "w" + std::to_string(i % 50) + " ";
  }

  /// Files around the tiny BERT that have no effect yet, with a tokenizer.json or without.
  static std::map<std::string, json> usual_files(const fs::path& model, bool with_tokenizer_json) {
    const auto transformers = [](const char* name, const char* path) {
      return json{{"name", name}, {"path", path}, {"type", concat("sentence_transformers.models.", name)}};
    };
    std::map<std::string, json> files{
        {"config.json", json::parse(read_whole_file(model / "config.json", 1 << 20))},
        {"modules.json", {transformers("Transformer", ""), transformers("Pooling", "1_Pooling")}},
        {"1_Pooling/config.json", {{"pooling_mode_mean_tokens", true}, {"word_embedding_dimension", 32}}},
        {"sentence_bert_config.json", {{"max_seq_length", 200}, {"do_lower_case", false}}},
        {"config_sentence_transformers.json", {{"prompts", json::object()}, {"similarity_fn_name", "cosine"}}},
        {"tokenizer_config.json", {{"model_max_length", 200}}},
        {"special_tokens_map.json", {{"cls_token", "[CLS]"}}}};
    if (!with_tokenizer_json) return files;
    json vocabulary = json::object();
    std::istringstream words(read_whole_file(model / "vocab.txt", 1 << 20));
    for (std::string word; std::getline(words, word);) vocabulary.emplace(word, vocabulary.size());
    json tokenizer = json::parse(testing_support::small_word_piece_json());
    tokenizer["model"]["vocab"] = vocabulary;
    tokenizer["added_tokens"] = json::array();
    for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
      tokenizer["added_tokens"].push_back({{"id", vocabulary[token]}, {"content", token}, {"special", true}});
    tokenizer["truncation"] = {{"direction", "Right"}, {"max_length", 200}};
    tokenizer["padding"] = {{"direction", "Right"}};
    files["tokenizer.json"] = tokenizer;
    return files;
  }

  /// Where sentence vectors are taken, and where the encoder alone is, as a training does.
  std::vector<Outcome> outcomes(const fs::path& model) const {
    return {outcome([&](Outcome& result) {
              const auto self = make_self_communicator();
              MeasuredModelOptions options;
              options.path = model.string();
              MeasuredModel opened = open_measured_model(options, at::kCPU, *self, false);
              const TokenStore store = TokenStore::from_sentences(sentences_, *opened.tokenizer, opened.max_tokens, 1);
              tell_exceeded_limits(*opened.tokenizer, opened.max_tokens, cut_by_option);
              const at::Tensor rows = embed_sentences_on_root(*opened.embedder, store, *self);
              result.values.assign(rows.const_data_ptr<float>(), rows.const_data_ptr<float>() + rows.numel());
            }),
            outcome([&](Outcome& result) {
              const ModelFolder folder = read_model_folder(model, FolderPart::encoder);
              const auto tokenizer = open_tokenizer(folder.encoder);
              for (const std::string& sentence : sentences_) tokenizer->encode(sentence, 66, result.ids);
              for (const auto& lines : {folder.notes, folder.warnings, tokenizer->warnings()})
                for (const std::string& line : lines) spdlog::warn(line);
              tell_exceeded_limits(*tokenizer, 66, "");
              if (folder.pooling) spdlog::info("pooling {}", name_of(*folder.pooling));
              spdlog::info("{}", to_config_json(read_encoder_config(folder.encoder)));
            })};
  }

  template <typename Use>
  static Outcome outcome(const Use& use) {
    std::ostringstream log;
    const auto before = spdlog::default_logger();
    const auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
    logger->set_pattern("%v");
    spdlog::set_default_logger(logger);
    Outcome result;
    const std::string refusal = refusal_of([&] { use(result); });
    spdlog::set_default_logger(before);
    if (refusal != "accepted") return {"refused: " + refusal, {}, {}};
    result.told = log.str();
    return result;
  }

  static void write(const fs::path& model, const std::map<std::string, json>& files) {
    fs::create_directories(model / "1_Pooling");
    for (const auto& [name, content] : files) write_bytes(model / name, content.dump());
  }

  const TemporaryFolder folder_;
  const TinyProject project_{folder_.path()};
  std::vector<std::string> sentences_;
};

/// Another value for each key of the list, by file; it is one that has an effect in sentence-transformers, transformers
/// or tokenizers.
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
    const std::vector<Outcome> before = outcomes(project_.model());
    ASSERT_EQ(before[0].told, "") << "nothing to tell yet";
    ASSERT_FALSE(before[0].values.empty() || before[1].ids.empty());
    std::size_t walked = 0;
    for (const ModelFolderFile& file : model_folder_files()) {
      for (const ModelFolderKey& key : file.keys) {
        const std::string name(file.name), key_name(key.key);
        if (key_name == "add_prefix_space") continue;  // of byte-level tokenizers, below
        json changed = usual.at(name);
        if (key.use == KeyUse::no_bearing) {
          changed[key_name] = "w9";
        } else {
          ASSERT_TRUE(other_values().at(name).contains(key_name)) << name << " " << key_name << " needs another value";
          changed[key_name] = other_values().at(name).at(key_name);
        }
        // The limit of sentence-transformers' own file comes first.
        if (key_name == "model_max_length") write_bytes(project_.model() / "sentence_bert_config.json", "{}");
        write_bytes(project_.model() / name, changed.dump());
        const std::vector<Outcome> after = outcomes(project_.model());
        write(project_.model(), usual);
        ++walked;
        for (std::size_t i = 0; i < after.size(); ++i) {
          if (key.use == KeyUse::no_bearing)
            EXPECT_TRUE(after[i] == before[i]) << name << " " << key_name << " told: " << after[i].told;
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
  const std::vector<Outcome> before = outcomes(project_.model());
  for (const Change& change : std::vector<Change>{{"config.json", "/hidden_size", 64},
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
    const std::vector<Outcome> after = outcomes(project_.model());
    write(project_.model(), usual);
    for (std::size_t i = 0; i < after.size(); ++i)
      EXPECT_FALSE(after[i] == before[i]) << i << " passes over " << change.file << ": " << change.pointer;
  }
}

/// Files that other programs may take instead of tokenizer.json.
TEST_F(ModelFolderKeys, OtherFilesOfTokensAndWeightsAreNotPassedOver) {
  write(project_.model(), usual_files(project_.model(), true));
  const std::vector<Outcome> before = outcomes(project_.model());
  const std::string words = read_whole_file(project_.model() / "vocab.txt", 1 << 20);
  std::vector<std::pair<std::string, std::string>> files{
      {"added_tokens.json", R"({"<x>": 60})"},
      {"vocab.txt", words + "w60\n"},
      {"vocab.json", R"({"w1": 5})"},
      {"sentence_roberta_config.json", R"({"do_lower_case": true})"}};
  for (const UnreadFile& file : unread_model_files()) files.emplace_back(file.name, "{}");
  for (const auto& [name, content] : files) {
    const fs::path path = project_.model() / name;
    if (name == "sentence_roberta_config.json") fs::remove(project_.model() / "sentence_bert_config.json");
    write_bytes(path, content);
    const std::vector<Outcome> after = outcomes(project_.model());
    if (name == "vocab.txt")
      write_bytes(path, words);
    else
      fs::remove(path);
    write(project_.model(), usual_files(project_.model(), true));
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_FALSE(after[i] == before[i]) << i << " passes over " << name;
  }
}

TEST_F(ModelFolderKeys, AddPrefixSpaceIsThatOfByteLevelTokenizers) {
  TokenizerFiles files = testing_support::small_byte_level_files();
  const auto before = testing_support::encode(files, "he");
  files.contents["tokenizer_config.json"] = R"({"add_prefix_space": true})";
  EXPECT_NE(testing_support::encode(files, "he"), before);
  files.contents["tokenizer.json"] = testing_support::small_byte_level_json();
  EXPECT_NE(testing_support::message_of(files), "accepted");
}

/// Each command prints of a run's folder what it prints of its folder `model`.
TEST(CommandsOnModels, TakeARunsFolderForItsModel) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string run = (folder / "run").string(), model = (folder / "run/model").string();
  fs::create_directory(run);
  testing_support::save_tiny_model(project, model, {});
  write_bytes(folder / "run/result.h5", "not read");
  const std::string lines = (folder / "in.txt").string(), pairs = (folder / "pairs.tsv").string();
  write_bytes(lines, testing_support::lines_of(testing_support::tiny_sentences(60, 1)));
  write_bytes(pairs, "w1 w2\tw2\nw3\tw4 w5\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"score", "MODEL", pairs},
        {"eval", "MODEL", "--test", "t=" + project.test().string()},
        {"geometry", "MODEL", lines},
        {"tokenize", "MODEL", lines},
        {"show", "MODEL", "--json", "-"},
        {"encode", "MODEL", lines, (folder / "OUT.h5").string(), "--overwrite"}}) {
    std::vector<std::string> answers;
    for (const std::string& path : {model, run}) {
      std::vector<std::string> arguments = command;
      arguments[1] = path;
      const testing_support::ProgramRun answer = testing_support::run_program(arguments);
      EXPECT_EQ(answer.exit_code, 0) << answer.errors;
      answers.push_back(command[0] == "encode" ? read_whole_file(folder / "OUT.h5", 1 << 24) : answer.output);
    }
    EXPECT_FALSE(answers[0].empty()) << command[0];
    EXPECT_EQ(answers[0], answers[1]) << command[0];
  }
}

/// The log goes to standard error, where ids are not.
TEST(CommandsOnModels, TellWhatIsNotAppliedOfAFolder) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(project.model() / "sentence_bert_config.json", R"({"max_seq_length": 4})");
  write_bytes(project.model() / "tokenizer_config.json", R"({"padding_side": "left"})");
  const std::string lines = (folder / "in.txt").string();
  write_bytes(lines, testing_support::lines_of(testing_support::tiny_sentences(60, 1)));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"tokenize"}, {"geometry"}, {"encode", "--pooling", "mean"}}) {
    std::vector<std::string> arguments{command[0], project.model().string(), lines};
    if (command[0] == "encode") arguments.push_back((folder / "out.h5").string());
    if (command[0] == "tokenize") arguments.insert(arguments.end(), {"--max-tokens", "9"});
    arguments.insert(arguments.end(), command.begin() + 1, command.end());
    const testing_support::ProgramRun run = testing_support::run_program(arguments);
    EXPECT_EQ(run.exit_code, 0) << run.errors;
    EXPECT_TRUE(testing_support::says(run.errors, "sentence_bert_config.json: max_seq_length is 4, where"))
        << command[0];
    EXPECT_TRUE(testing_support::says(run.errors, "padding_side is \"left\", which is not applied")) << command[0];
  }
}

/// [CLS], two words and [SEP].
TEST(CommandsOnModels, CutSentencesToTheTokensThatAreAskedFor) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  write_bytes(project.model() / "sentence_bert_config.json", R"({"max_seq_length": 4})");
  write_bytes(folder / "long.txt", "w1 w2 w3 w4\nw5\n");
  write_bytes(folder / "short.txt", "w1 w2\nw5\n");
  const auto encode = [&](const std::string& input, const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"encode",
                                       project.model().string(),
                                       (folder / input).string(),
                                       (folder / "out.h5").string(),
                                       "--overwrite",
                                       "--pooling",
                                       "mean"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    return testing_support::run_program(arguments);
  };
  const auto written = [&] { return read_whole_file(folder / "out.h5", 1 << 20); };
  ASSERT_EQ(encode("short.txt", {}).exit_code, 0);
  const std::string of_short = written();
  const testing_support::ProgramRun whole = encode("long.txt", {});
  EXPECT_NE(written(), of_short);
  EXPECT_TRUE(testing_support::says(whole.errors, "; --max-tokens cuts them there as well"));
  const testing_support::ProgramRun cut = encode("long.txt", {"--max-tokens", "4"});
  EXPECT_EQ(written(), of_short);
  EXPECT_FALSE(testing_support::says(cut.errors, "max_seq_length")) << cut.errors;
  const testing_support::ProgramRun too_many = encode("long.txt", {"--max-tokens", "71"});
  EXPECT_EQ(too_many.exit_code, 2);
  EXPECT_TRUE(testing_support::says(too_many.errors, "has positions for 70 tokens: give at most that"));
}

}  // namespace
}  // namespace gausscse
