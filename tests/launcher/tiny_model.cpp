#include "tests/launcher/tiny_model.hpp"

#include <cmath>

#include "base/philox.hpp"
#include "data/tokenizer/tokenizer.hpp"
#include "model/initialize.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// KL(p || q) of dimension d.
double divergence(const Embedding& p, const Embedding& q, std::size_t d) {
  const std::size_t dimension = p.size() / 2;
  const double mean_p = p[d], mean_q = q[d];
  const double var_p = std::exp(static_cast<double>(p[dimension + d]));
  const double var_q = std::exp(static_cast<double>(q[dimension + d]));
  return 0.5 * (var_p / var_q + (mean_p - mean_q) * (mean_p - mean_q) / var_q - 1.0 - std::log(var_p / var_q));
}

std::string word(std::uint32_t number) {
  return std::string("w").append(std::to_string(number));
}

}  // namespace

void save_tiny_model(const TinyProject& project, const fs::path& folder, const TinyModel& model) {
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(project.model());
  settings.pooling = model.pooling;
  settings.head.kind = model.head;
  settings.head.scale = model.scale;
  SentenceEncoder encoder(settings);
  load_encoder_weights(project.model(), encoder);
  initialize_head(encoder.parameters(), model.head_seed);
  save_model(folder, encoder,
             {.similarity = model.similarity,
              .threshold = model.threshold,
              .max_tokens = 16,
              .state = model.state,
              .step = model.step,
              .evaluation = to_words(model.scoring)},
             {project.model() / "vocab.txt"}, "a tiny model\n");
}

std::vector<Embedding> embed_one_by_one(const fs::path& model, const std::vector<std::string>& sentences) {
  const SavedModel opened = open_model(model, std::nullopt);
  const auto tokenizer = open_tokenizer(model);
  std::vector<Embedding> embeddings;
  for (const std::string& sentence : sentences) {
    std::vector<std::uint32_t> ids;
    tokenizer->encode(sentence, static_cast<std::size_t>(opened.properties.max_tokens), ids);
    const std::vector<std::uint32_t> offsets{0, static_cast<std::uint32_t>(ids.size())};
    const at::Tensor row =
        opened.encoder->forward(pack_sentences(ids, offsets, {}, opened.encoder->position_offset()), nullptr, nullptr);
    embeddings.emplace_back(row.const_data_ptr<float>(), row.const_data_ptr<float>() + row.numel());
  }
  return embeddings;
}

double per_dimension_similarity(const Embedding& p, const Embedding& q) {
  double sum = 0;
  for (std::size_t d = 0; d < p.size() / 2; ++d) sum += 1.0 / (1.0 + divergence(p, q, d));
  return sum / (static_cast<double>(p.size()) / 2);
}

double joint_similarity(const Embedding& p, const Embedding& q) {
  double sum = 0;
  for (std::size_t d = 0; d < p.size() / 2; ++d) sum += divergence(p, q, d);
  return 1.0 / (1.0 + sum);
}

std::vector<std::string> tiny_sentences(std::size_t count, std::uint64_t seed) {
  PhiloxStream stream(seed, 11);
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < count; ++i) {
    std::string sentence = word(stream.below(55));
    const std::uint32_t more = i % 50 == 49 ? 29 : stream.below(9);
    for (std::uint32_t k = 0; k < more; ++k) sentence.append(" ").append(word(stream.below(55)));
    sentences.push_back(std::move(sentence));
  }
  return sentences;
}

std::string lines_of(const std::vector<std::string>& sentences) {
  std::string lines;
  for (const std::string& sentence : sentences) lines += sentence + "\n";
  return lines;
}

}  // namespace gausscse
