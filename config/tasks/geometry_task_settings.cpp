#include "config/tasks/geometry_task_settings.hpp"

#include "config/schema/key_kinds.hpp"

namespace gausscse {

Keys<GeometryTaskSettings> GeometryTaskSettings::keys() {
  using namespace key_kinds;
  using Geometry = GeometryTaskSettings;
  using Measured = GeometrySettings;
  return {
      required(key("files", at(&Geometry::file), one_path("file"),
                   "Text file, one sentence per line, or a file of the STS benchmark.")),
      key("pads", at(&Geometry::measured, &Measured::pads),
          "Whether padding counts as a token id, as in the released notebook."),
      key("samples", at(&Geometry::measured, &Measured::samples), integer(2, 100'000),
          "Sentences of a sampled metric."),
      key("draws", at(&Geometry::measured, &Measured::draws), integer(0, 1000),
          "Number of samples over which informativity is averaged; 0: it is not measured."),
      key("seed", at(&Geometry::measured, &Measured::seed), integer(0, std::numeric_limits<std::int64_t>::max()),
          "Seed of the samples."),
      key("vectors", at(&Geometry::measured, &Measured::vectors),
          "Whether the result keeps each sentence's vector, the mean of its tokens' states in the last layer."),
      key("vectors_at", at(&Geometry::vectors_at), integer(0, 1'000'000'000),
          "Step, a multiple of eval_every, after which the result keeps the measurement and its vectors as the "
          "state step_N; 0: none."),
  };
}

std::vector<KeyProblem> GeometryTaskSettings::problems_in(const TrialAroundTask& trial) const {
  std::vector<KeyProblem> problems;
  if (vectors_at == 0) return problems;
  const auto add = [&](const auto&... text) { problems.push_back({"vectors_at", concat(text...)}); };
  if (!measured.vectors) add("goes with vectors: true, without which there are none to keep");
  if (trial.eval_every == 0 || vectors_at % trial.eval_every != 0)
    add(vectors_at, " is no multiple of eval_every, which is ", trial.eval_every,
        ": nothing is measured after that step");
  if (trial.max_steps > 0 && vectors_at >= trial.max_steps)
    add(vectors_at, " is not before the last step, training.max_steps ", trial.max_steps,
        ": the last state has its vectors, leave the key out");
  return problems;
}

}  // namespace gausscse
