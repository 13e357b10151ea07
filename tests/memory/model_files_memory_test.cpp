#include "data/tokenizer/tokenizer.hpp"
#include "model/weights/encoder_config.hpp"
#include "model/weights/encoder_weights.hpp"
#include "model/weights/safetensors.hpp"
#include "tests/data/tokenizer/small_tokenizers.hpp"
#include "tests/memory/refused_memory.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

void write_files(const std::filesystem::path& folder, const TokenizerFiles& files) {
  std::filesystem::create_directory(folder);
  for (const auto& [name, content] : files.contents) write_bytes(folder / name, content);
}

/// Returns its tokens and the ids of a text.
std::string text_of(const Tokenizer& tokenizer) {
  std::vector<std::uint32_t> ids;
  tokenizer.encode("The cat, caf\u00e9 abs <mask> he", 64, ids);
  std::string text = tokenizer.fingerprint();
  for (const std::uint32_t id : ids) text += concat(" ", id);
  for (const std::string& token : tokenizer.tokens()) text += "\n" + token;
  return text;
}

/// vocab.txt; vocab.json and merges.txt; a tokenizer.json of each kind.
TEST(RefusedMemory, OfTokenizers) {
  const TemporaryFolder folder;
  const TokenizerFiles all[] = {small_word_piece_files(),
                                small_byte_level_files(),
                                {{}, {{"tokenizer.json", small_word_piece_json()}}},
                                {{}, {{"tokenizer.json", small_byte_level_json()}}}};
  for (std::size_t i = 0; i < std::size(all); ++i) {
    write_files(folder / std::to_string(i), all[i]);
    expect_clean_refusals([&] { return open_tokenizer(folder / std::to_string(i)); },
                          [](const std::unique_ptr<Tokenizer>& tokenizer) { return text_of(*tokenizer); });
  }
}

TEST(RefusedMemory, OfSentences) {
  const auto tokenizer = make_tokenizer(small_byte_level_files());
  expect_clean_refusals(
      [&] {
        std::vector<std::uint32_t> ids;
        tokenizer->encode("The cat, caf\u00e9 abs <mask> he \xff", 64, ids);
        return ids;
      },
      [](const std::vector<std::uint32_t>& ids) { return testing::PrintToString(ids); });
}

TEST(RefusedMemory, OfSafetensors) {
  expect_clean_refusals([] { return SafetensorsFile::open(golden("weights/all-dtypes.safetensors")); },
                        [](const SafetensorsFile& file) {
                          std::string text = testing::PrintToString(file.metadata());
                          for (const TensorEntry& tensor : file.tensors())
                            text += concat(tensor.name, static_cast<int>(tensor.dtype),
                                           testing::PrintToString(tensor.shape), quoted(tensor.bytes, 1000));
                          return text;
                        });
}

/// From config.json to float32 values, of one file and of shards.
TEST(RefusedMemory, OfEncoders) {
  for (const char* model : {"weights/tiny-bert", "weights/tiny-roberta-sharded"}) {
    const auto folder = golden(model);
    const auto config_folder =
        golden(std::string(model).find("roberta") == std::string::npos ? model : "weights/tiny-roberta");
    expect_clean_refusals([&] { return read_encoder_config(config_folder); },
                          [](const EncoderConfig& config) { return to_config_json(config); });
    const EncoderConfig config = read_encoder_config(config_folder);
    const std::vector<ParameterSpec> parameters = encoder_parameters(config);
    expect_clean_refusals(
        [&] {
          const EncoderCheckpoint checkpoint = EncoderCheckpoint::open(folder, config);
          std::vector<std::vector<float>> values;
          for (std::size_t i = 0; i < parameters.size(); ++i) {
            values.emplace_back(parameters[i].size());
            checkpoint.load(i, values.back());
          }
          return values;
        },
        [](const std::vector<std::vector<float>>& values) { return testing::PrintToString(values); });
  }
}

}  // namespace
}  // namespace gausscse
