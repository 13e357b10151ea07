#pragma once

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "inference/embed_sentences.hpp"
#include "launcher/loaded_model.hpp"
#include "model/folder/model_folder_reader.hpp"
#include "tests/data/tokenizer/small_tokenizers.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {

/// Result of a command on a folder: a refusal alone, or ids, vectors and the lines of the log.
struct FolderOutcome {
  std::string notes;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
  bool operator==(const FolderOutcome&) const = default;
};

/// A pointer (RFC 6901) into a JSON file, and another value there.
struct ChangedKey {
  std::string file, pointer;
  nlohmann::json value;
};

class ModelFolderKeys : public testing::Test {
 protected:
  ModelFolderKeys() {
    sentences_ = {"w1 w2 W3", "w4 [MASK] w5", "w6\u0301 \u4e2dw7 w545 x"};
    std::string& longest = sentences_.emplace_back();  // more tokens than the tiny BERT has positions
    for (int i = 0; i < 90; ++i) longest += "w" + std::to_string(i % 50) + " ";
  }

  /// Files around the tiny BERT that have no effect yet, with a tokenizer.json or without.
  static std::map<std::string, nlohmann::json> usual_files(const std::filesystem::path& model,
                                                           bool with_tokenizer_json) {
    const auto transformers = [](const char* name, const char* path) {
      return nlohmann::json{{"name", name}, {"path", path}, {"type", concat("sentence_transformers.models.", name)}};
    };
    std::map<std::string, nlohmann::json> files{
        {"config.json", nlohmann::json::parse(read_whole_file(model / "config.json", 1 << 20))},
        {"modules.json", {transformers("Transformer", ""), transformers("Pooling", "1_Pooling")}},
        {"1_Pooling/config.json", {{"pooling_mode_mean_tokens", true}, {"word_embedding_dimension", 32}}},
        {"sentence_bert_config.json", {{"max_seq_length", 200}, {"do_lower_case", false}}},
        {"config_sentence_transformers.json",
         {{"prompts", nlohmann::json::object()}, {"similarity_fn_name", "cosine"}}},
        {"tokenizer_config.json", {{"model_max_length", 200}}},
        {"special_tokens_map.json", {{"cls_token", "[CLS]"}}}};
    if (!with_tokenizer_json) return files;
    nlohmann::json vocabulary = nlohmann::json::object();
    std::istringstream words(read_whole_file(model / "vocab.txt", 1 << 20));
    for (std::string word; std::getline(words, word);) vocabulary.emplace(word, vocabulary.size());
    nlohmann::json tokenizer = nlohmann::json::parse(small_word_piece_json());
    tokenizer["model"]["vocab"] = vocabulary;
    tokenizer["added_tokens"] = nlohmann::json::array();
    for (const char* token : {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"})
      tokenizer["added_tokens"].push_back({{"id", vocabulary[token]}, {"content", token}, {"special", true}});
    tokenizer["truncation"] = {{"direction", "Right"}, {"max_length", 200}};
    tokenizer["padding"] = {{"direction", "Right"}};
    files["tokenizer.json"] = tokenizer;
    return files;
  }

  /// Returns the outcomes of opening the model for its sentence vectors, and for the encoder alone, as a training does.
  std::vector<FolderOutcome> outcomes(const std::filesystem::path& model) const {
    return {outcome([&](FolderOutcome& result) {
              const auto self = make_self_communicator();
              SentenceModel opened = open_logged_model({.path = model.string()}, at::kCPU, *self, false);
              const TokenStore store = TokenStore::from_sentences(sentences_, *opened.tokenizer, opened.max_tokens, 1);
              Notes notes;
              note_exceeded_limits(*opened.tokenizer, opened.max_tokens, cut_by_option, notes);
              log_notes(notes);
              const at::Tensor rows = embed_sentences_on_root(*opened.embedder, store, *self);
              result.values.assign(rows.const_data_ptr<float>(), rows.const_data_ptr<float>() + rows.numel());
            }),
            outcome([&](FolderOutcome& result) {
              const ModelFolder folder = read_model_folder(model, FolderPart::encoder);
              const auto tokenizer = open_tokenizer(folder.encoder);
              for (const std::string& sentence : sentences_) tokenizer->encode(sentence, 66, result.ids);
              for (const auto& lines : {folder.notes, folder.warnings, tokenizer->warnings()})
                for (const std::string& line : lines) spdlog::warn(line);
              Notes notes;
              note_exceeded_limits(*tokenizer, 66, "", notes);
              log_notes(notes);
              if (folder.pooling) spdlog::info("pooling {}", name_of(*folder.pooling));
              spdlog::info("{}", to_config_json(read_encoder_config(folder.encoder)));
            })};
  }

  template <typename Use>
  static FolderOutcome outcome(const Use& use) {
    std::ostringstream log;
    const auto before = spdlog::default_logger();
    const auto logger = std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
    logger->set_pattern("%v");
    spdlog::set_default_logger(logger);
    FolderOutcome result;
    const std::string refusal = refusal_of([&] { use(result); });
    spdlog::set_default_logger(before);
    if (refusal != "accepted") return {"refused: " + refusal, {}, {}};
    result.notes = log.str();
    return result;
  }

  static void write(const std::filesystem::path& model, const std::map<std::string, nlohmann::json>& files) {
    std::filesystem::create_directories(model / "1_Pooling");
    for (const auto& [name, content] : files) write_bytes(model / name, content.dump());
  }

  const TemporaryFolder folder_;
  const TinyProject project_{folder_.path()};
  std::vector<std::string> sentences_;
};

}  // namespace gausscse
