#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

/// Seven examples a batch: e^-2 and e^-4 for each candidate but the positive, e times that for an own hard negative.
TEST(TrainTrial, TellsTheBoundsOfALossOfCosines) {
  const TinyTraining training;
  const auto notes = [&](const Texts& overrides) {
    return training.train(joined({"training.max_steps=1", "objective.temperature=0.5"}, overrides)).told.notes;
  };
  const Texts cosine{"recipe=dynamics", "training.batch_size=7", "model.head.kind=none"};
  const std::string start = "with temperature 0.5 and 7 examples a batch the loss of a perfect batch lies between ";
  const auto told = [&](double lower, double upper) { return concat(start, lower, " and ", upper); };
  const auto loss = [](double others, double exponent) { return std::log(1 + others * std::exp(-exponent)); };
  EXPECT_TOLD(notes(cosine), told(loss(6, 4), loss(6, 2)));
  const Texts simcse = joined(cosine, {"recipe=simcse", "objective.hard_negative_weight=1"});
  const double others = 12 + std::exp(1);
  EXPECT_TOLD(notes(simcse), told(loss(others, 4), loss(others, 2)));
  EXPECT_TOLD(notes(joined(simcse, {"objective.directions=both"})),
              told((loss(others, 4) + loss(6, 4)) / 2, (loss(others, 2) + loss(6, 2)) / 2));
  EXPECT_FALSE(holds(notes({}), "a perfect batch"));
}

}  // namespace
}  // namespace gausscse
