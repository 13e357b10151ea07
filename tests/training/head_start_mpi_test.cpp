#include <ATen/TensorOperators.h>

#include "inference/embed_sentences.hpp"
#include "model/folder/warm_start.hpp"
#include "model/initialize.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/head_start.hpp"
#include "training/trial_data.hpp"

namespace gausscse {
namespace {

/// An encoder of the goldens with the head of a trial, and the trial's data.
class Start {
 public:
  Start(const TinyTraining& training, const std::vector<std::string>& overrides, Communicator& communicator)
      : trial(training.trial(overrides)),
        data(load_trial_data(trial, 1, communicator, told)),
        encoder({.encoder = data.encoder, .pooling = data.pooling, .head = trial.model.head}) {
    load_encoder_weights(trial.model.backbone.path, encoder);
    data_decide = start_head(trial, encoder, told);
  }

  at::Tensor log_var() const { return encoder.parameters().value("head.log_var.bias"); }

  RecordingObserver told;
  Trial trial;
  TrialData data;
  SentenceEncoder encoder;
  bool data_decide;
};

/// The mean squared difference of all sentences, as there are fewer than 512, by each dimension; the same on all ranks.
TEST(HeadStart, TakesLogVariancesOfTheData) {
  const auto ranks = make_mpi_communicator();
  const TinyTraining training;
  for (const char* mean : {"identity", "tanh"})
    for (const char* scale : {"none", "unit"}) {
      const std::vector<std::string> keys{concat("model.head.mean=", mean), concat("model.head.scale=", scale),
                                          "model.head.init=identity", "model.pooling=mean"};
      Start start(training, keys, *ranks);
      ASSERT_TRUE(start.data_decide);
      EXPECT_EQ(start.log_var().abs().max().item<float>(), 0) << "what a resumed run compares is free of rounding";
      EXPECT_TOLD(start.told.notes,
                  "starts at the pooled vector, pooling mean, with log-variances that the data decide");
      start_log_var_at_data(*start.data.train, start.encoder, *ranks, start.told);
      EXPECT_TOLD(start.told.notes, "the log-variances start at those of the data, on average ");
      ASSERT_LT(start.data.train->sentences(), 512u);
      const auto alone = make_self_communicator();
      const std::int64_t hidden = start.data.encoder.hidden_size;
      const at::Tensor means = embed_sentences(start.encoder, *start.data.train, *alone).narrow(1, 0, hidden);
      const std::vector<double> expected = log_var_of_differences(means);
      for (std::int64_t i = 0; i < hidden; ++i)
        EXPECT_NEAR(start.log_var()[i].item<double>(), expected[static_cast<std::size_t>(i)], 1e-5);
      const std::string bits = testing::PrintToString(std::vector<float>(
          start.log_var().const_data_ptr<float>(), start.log_var().const_data_ptr<float>() + hidden));
      for (const std::string& other : ranks->all_gather_text(bits)) EXPECT_EQ(other, bits);
      start_log_var_at_data(*start.data.train, start.encoder, *alone, start.told);
      EXPECT_EQ(testing::PrintToString(std::vector<float>(start.log_var().const_data_ptr<float>(),
                                                          start.log_var().const_data_ptr<float>() + hidden)),
                bits);
    }
}

TEST(HeadStart, FollowsItsKeys) {
  const auto alone = make_self_communicator();
  const TinyTraining training;
  const auto start_with = [&](const std::vector<std::string>& keys) {
    return std::make_unique<Start>(training, keys, *alone);
  };
  const auto number = start_with({"model.head.init=identity", "model.head.log_var_start=-1.5"});
  EXPECT_FALSE(number->data_decide);
  EXPECT_TRUE((number->log_var() == -1.5).all().item<bool>());
  EXPECT_EQ(number->encoder.parameters().value("head.mean.weight").diagonal().sum().item<float>(),
            static_cast<float>(number->data.encoder.hidden_size));
  // A mean without a layer has no other start, unless random is asked for.
  EXPECT_TRUE(start_with({"model.head.mean=identity"})->data_decide);
  const auto random = start_with({"model.head.mean=identity", "model.head.init=random"});
  EXPECT_FALSE(random->data_decide);
  EXPECT_GT(random->encoder.parameters().value("head.log_var.weight").abs().max().item<float>(), 0);
  EXPECT_FALSE(start_with({})->data_decide);
}

TEST(HeadStart, NeedsSentencesThatDiffer) {
  const auto ranks = make_mpi_communicator();
  const TinyTraining training;
  Start start(training, {"model.head.init=identity"}, *ranks);
  start.encoder.parameters().values().zero_();
  start.encoder.parameters_changed();
  EXPECT_TRUE(says(refusal_of([&] { start_log_var_at_data(*start.data.train, start.encoder, *ranks, start.told); }),
                   "model.head.log_var_start: data: the means of the first "))
      << "on all ranks";
}

}  // namespace
}  // namespace gausscse
