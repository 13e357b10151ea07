#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/choice.hpp"
#include "model/onnx/encoder_graph.hpp"
#include "tests/model/encoder/small_models.hpp"

namespace {

using namespace gausscse;

constexpr std::size_t sentences_of_case = 40;

nlohmann::json rows_of(const at::Tensor& matrix) {
  nlohmann::json rows = nlohmann::json::array();
  for (std::int64_t row = 0; row < matrix.size(0); ++row) {
    const at::Tensor values = matrix.select(0, row).contiguous();
    const float* data = values.const_data_ptr<float>();
    rows.push_back(std::vector<float>(data, data + values.numel()));
  }
  return rows;
}

/// Writes NAME.onnx and NAME.json: token ids of sentences, the id that fills, and the encoder's own outputs for them.
void write_case(const std::filesystem::path& folder, const std::string& name, SentenceEncoderSettings settings) {
  SentenceEncoder encoder(settings);
  randomize(encoder.parameters(), 7);
  encoder.parameters_changed();
  const OnnxGraph graph = onnx_graph_of(encoder);
  const OnnxImage image(graph, {{"similarity", "joint"}, {"empty", ""}});
  write_file_atomically(folder / (name + ".onnx"), image.parts());

  const RandomSentences sentences =
      random_sentences(sentences_of_case, 3, static_cast<std::uint32_t>(settings.encoder.max_tokens()));
  const at::Tensor rows = encoder.make_batch_embedder()->embed(encoder.pack(sentences.ids, sentences.offsets));
  nlohmann::json ids = nlohmann::json::array();
  for (std::size_t i = 0; i < sentences_of_case; ++i)
    ids.push_back(std::vector<std::uint32_t>(sentences.ids.begin() + sentences.offsets[i],
                                             sentences.ids.begin() + sentences.offsets[i + 1]));
  const std::int64_t hidden = settings.encoder.hidden_size;
  nlohmann::ordered_json outputs;
  if (settings.head.kind == HeadKind::gaussian)
    outputs = {{"mean", rows_of(rows.narrow(1, 0, hidden))}, {"log_var", rows_of(rows.narrow(1, hidden, hidden))}};
  else
    outputs = {{"embedding", rows_of(rows)}};
  write_file_atomically(
      folder / (name + ".json"),
      nlohmann::ordered_json{{"ids", ids}, {"pad", settings.encoder.pad_token_id}, {"outputs", outputs}}.dump());
}

}  // namespace

int main(int argc, char** argv) {
  using Architecture = EncoderConfig::Architecture;
  if (argc != 2) return EXIT_FAILURE;
  const std::filesystem::path folder = argv[1];
  const std::vector<std::pair<std::string, Architecture>> families{{"bert", Architecture::bert},
                                                                   {"roberta", Architecture::roberta},
                                                                   {"xlm-roberta", Architecture::xlm_roberta},
                                                                   {"mpnet", Architecture::mpnet},
                                                                   {"distilbert", Architecture::distilbert},
                                                                   {"modernbert", Architecture::modernbert},
                                                                   {"nomic_bert", Architecture::nomic_bert}};
  for (const auto& [family, architecture] : families)
    for (const auto& [pooling, word] : names<PoolingKind>) {
      SentenceEncoderSettings settings = small_settings(architecture, at::kFloat);
      settings.pooling = pooling;
      write_case(folder, family + "-" + std::string(word), settings);
    }
  SentenceEncoderSettings settings = small_settings(Architecture::bert, at::kFloat);
  settings.head.mean = MeanLayer::linear;
  write_case(folder, "linear", settings);
  for (const HeadKind head : {HeadKind::mlp_tanh, HeadKind::none}) {
    settings.head.kind = head;
    write_case(folder, std::string(name_of(head)), settings);
  }
  using enum MeanLayer;
  const HeadSettings heads[] = {{HeadKind::gaussian, identity},
                                {HeadKind::gaussian, identity, MeanScale::unit},
                                {HeadKind::gaussian, linear, MeanScale::unit, LogVarLayer::mlp, 7},
                                {HeadKind::gaussian, tanh, MeanScale::none, LogVarLayer::mlp, 40}};
  for (std::size_t i = 0; i < std::size(heads); ++i) {
    settings.head = heads[i];
    write_case(folder, "layers-" + std::to_string(i), settings);
  }
  // Positions farther apart than MPNet's last bucket begins.
  settings = small_settings(Architecture::mpnet, at::kFloat);
  settings.encoder.max_positions = 300;
  settings.pooling = PoolingKind::mean;
  write_case(folder, "far", settings);
  return EXIT_SUCCESS;
}
