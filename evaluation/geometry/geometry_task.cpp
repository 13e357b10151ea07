#include "evaluation/geometry/geometry_task.hpp"

#include <cstdint>
#include <utility>

#include "base/error.hpp"
#include "config/trial/trial_choices.hpp"
#include "evaluation/geometry/geometry_report.hpp"
#include "evaluation/geometry/self_similarity_change.hpp"
#include "evaluation/geometry/sentences_of_file.hpp"
#include "evaluation/geometry/token_geometry.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

namespace {

void add_layer(const LayerGeometry& layer, const std::string& suffix, std::vector<Metric>& metrics) {
  for_each_metric(layer, [&](const char* name, double value) {
    metrics.push_back({name + suffix, value, Unit::number});
  });
}

void add_rogue_dimensions(const RogueDimensions& rogue, Measurement& measurement) {
  if (rogue.order.empty()) return;
  const std::vector<double> shares = shares_of_top(rogue);
  for (std::size_t i = 0; i < shares.size(); ++i)
    measurement.metrics.push_back({concat("rogue.share_of_top.", i + 1), shares[i], Unit::number});
  for (std::size_t i = 0; i < RogueDimensions::levels.size(); ++i)
    measurement.metrics.push_back(
        {concat("rogue.reaching.", RogueDimensions::levels[i]), static_cast<double>(rogue.reaching[i]), Unit::count});
  measurement.columns.push_back({geometry_columns::rogue_dimension, rogue.order});
  measurement.columns.push_back({geometry_columns::rogue_share, rogue.shares});
}

void add_self_similarities(const std::vector<IdSelfSimilarity>& ids, const std::vector<std::string>& tokens,
                           std::vector<Column>& columns) {
  if (ids.empty()) return;
  std::vector<std::string> strings;
  std::vector<std::int64_t> occurrences;
  std::vector<double> self_similarities;
  for (const IdSelfSimilarity& each : ids) {
    GAUSSCSE_CHECK(each.id < tokens.size(), "id ", each.id, " of ", tokens.size());
    strings.push_back(tokens[each.id]);
    occurrences.push_back(static_cast<std::int64_t>(each.occurrences));
    self_similarities.push_back(each.self_similarity);
  }
  columns.push_back({geometry_columns::token, std::move(strings)});
  columns.push_back({geometry_columns::occurrences, std::move(occurrences)});
  columns.push_back({geometry_columns::self_similarity, std::move(self_similarities)});
}

TokenStore read_store(const std::string& name, const GeometryTaskSettings& settings, const SentenceModel& model,
                      const ReadingSettings& reading, ReadReport& report) {
  if (!model.has_layers())
    throw InputError(concat("the task ", quoted(name),
                            " measures the layers of an encoder, and word vectors have none: ",
                            "leave it out, or give a model with layers"));
  return TokenStore::from_sentences(read_sentences(settings.file, reading.bad_lines, report), *model.tokenizer,
                                    model.positions, reading.threads);
}

}  // namespace

Measurement measurement_of(const std::string& task, const TokenGeometry& geometry,
                           const std::vector<std::string>& tokens) {
  Measurement measurement;
  measurement.task = task;
  measurement.kind = GeometryTaskSettings::kind;
  add_layer(geometry.layers.back(), "", measurement.metrics);
  for (std::size_t layer = 0; layer < geometry.layers.size(); ++layer)
    add_layer(geometry.layers[layer], concat(".", layer), measurement.metrics);
  add_self_similarities(geometry.self_similarities, tokens, measurement.columns);
  add_rogue_dimensions(geometry.rogue, measurement);
  for (const Informativity& without : geometry.informativity)
    measurement.metrics.push_back({concat("informativity.", without.removed), without.mean, Unit::number});
  if (!geometry.sentence_vectors.values.empty())
    measurement.columns.push_back({geometry_columns::sentence_vector, geometry.sentence_vectors});
  return measurement;
}

GeometryTask::GeometryTask(std::string name, const GeometryTaskSettings& settings, const SentenceModel& model,
                           const ReadingSettings& reading)
    : name_(std::move(name)),
      settings_(settings.measured),
      store_(read_store(name_, settings, model, reading, report_)),
      tokens_(model.tokenizer->tokens()) {}

Measurement GeometryTask::measure(SentenceEmbedder& model, Communicator& communicator,
                                  const std::vector<Measurement>&) const {
  SentenceEncoder* const found = encoder_of(model);
  GAUSSCSE_CHECK(found, "a task of layers was made for a model that has some");
  SentenceEncoder& encoder = *found;
  const auto pad = static_cast<std::uint32_t>(encoder.settings().encoder.pad_token_id);
  const TokenGeometry geometry = measure_token_geometry(encoder, store_, pad, settings_, communicator);
  return communicator.is_root() ? measurement_of(name_, geometry, tokens_) : Measurement{};
}

ListedTask make_task(const std::string& name, const GeometryTaskSettings& settings, const SentenceModel& model,
                     const ReadingSettings& reading) {
  auto made = std::make_unique<GeometryTask>(name, settings, model, reading);
  const GeometryTask& geometry = *made;
  ListedTask task{std::move(made)};
  task.notes.push_back(concat(name, ": ", geometry.sentences().sentences(), " sentences"));
  describe_tokens(geometry.sentences().token_counts().front(), model.positions, model, task);
  warn_of_bad_lines(geometry.report(), task);
  task.keep_untrained = true;
  task.keep_at = settings.vectors_at;
  return task;
}

}  // namespace gausscse
