#include "experiments/evaluation/geometry/geometry_task.hpp"

#include <utility>

#include "base/error.hpp"
#include "experiments/evaluation/geometry/geometry_report.hpp"
#include "experiments/evaluation/geometry/sentences_of_file.hpp"
#include "experiments/evaluation/geometry/token_geometry.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

namespace {

TokenStore read_store(const std::string& name, const GeometryTaskSettings& settings, const TaskModel& model) {
  if (!model.has_layers)
    throw InputError(concat("the task ", quoted(name),
                            " measures the layers of an encoder, and word vectors have none: ",
                            "leave it out, or give a model with layers"));
  return TokenStore::from_sentences(read_sentences(settings.file), model.tokenizer, model.positions, model.threads);
}

}  // namespace

GeometryTask::GeometryTask(std::string name, const GeometryTaskSettings& settings, const TaskModel& model)
    : name_(std::move(name)), settings_(settings.measured), store_(read_store(name_, settings, model)) {}

Measurement GeometryTask::measure(SentenceEmbedder& model, Communicator& communicator,
                                  const std::vector<Measurement>&) const {
  GAUSSCSE_CHECK(model.layers(), "a task of layers was made for a model that has some");
  SentenceEncoder& encoder = *model.layers();
  const auto pad = static_cast<std::uint32_t>(encoder.settings().encoder.pad_token_id);
  const TokenGeometry geometry = measure_token_geometry(encoder, store_, pad, settings_, communicator);
  Measurement result;
  if (!communicator.is_root()) return result;
  result.task = name_;
  result.kind = name_of(setting::TaskKind::geometry);
  const auto add = [&](const LayerGeometry& layer, const std::string& suffix) {
    for_each_figure(layer, [&](const char* name, double value) {
      result.figures.push_back({name + suffix, value, Unit::number});
    });
  };
  add(geometry.layers.back(), "");
  for (std::size_t layer = 0; layer < geometry.layers.size(); ++layer) add(geometry.layers[layer], concat(".", layer));
  const std::vector<double> shares = shares_of_top(geometry.rogue);
  for (std::size_t i = 0; i < shares.size(); ++i)
    result.figures.push_back({concat("rogue.share_of_top.", i + 1), shares[i], Unit::number});
  if (!geometry.rogue.order.empty())
    for (std::size_t i = 0; i < RogueDimensions::levels.size(); ++i)
      result.figures.push_back({concat("rogue.reaching.", RogueDimensions::levels[i]),
                                static_cast<double>(geometry.rogue.reaching[i]), Unit::count});
  for (const Informativity& without : geometry.informativity)
    result.figures.push_back({concat("informativity.", without.removed), without.mean, Unit::number});
  return result;
}

}  // namespace gausscse
