#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "tests/training/trial_training_fixture.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;

/// Numbers of the premises among w0 to w29 that a fraction of 0.3 holds out, by PyPI's xxhash (xxh3_64 with the seed
/// 0x68656c64206f7574, divided by 2^64).
constexpr std::array held_out_premises{2, 11, 12, 13, 14, 16, 17, 22, 23, 29};

/// Trainings on 30 premises, of which ten are held out.
class HeldOutTraining : public testing::Test {
 protected:
  /// Three texts, each with the rows that `row` makes of premises: all, those to train on, those held out.
  struct Files {
    fs::path all, rest, held_out;
  };

  template <typename Row>
  Files write(const std::string& name, const std::string& header, const Row& row) const {
    std::string all = header, rest = header, held_out = header;
    for (int i = 0; i < 30; ++i) {
      const bool is_held_out =
          std::find(held_out_premises.begin(), held_out_premises.end(), i) != held_out_premises.end();
      all += row(i);
      (is_held_out ? held_out : rest) += row(i);
    }
    return {training_.write("all." + name, all), training_.write("rest." + name, rest),
            training_.write("held_out." + name, held_out)};
  }

  Files write_nli() const {
    return write("jsonl", "", [](int i) {
      const std::string premise = concat("w", i);
      return nli_line("entailment", premise, concat("w", i + 1, " w", i + 2)) +
             nli_line("neutral", premise, concat("w", i + 20)) +
             nli_line("contradiction", premise, concat("w", i + 3, " w", i + 5, " w7")) +
             (i % 11 == 0 ? nli_line("-", premise, "w3") : "");
    });
  }

  /// Returns a trial of two epochs that measures `dev`, or held-out examples where it is empty.
  Trial trial(const fs::path& train, const fs::path& dev, const Texts& overrides = {}) const {
    Trial trial = training_.trial(joined({"data.train=" + train.string(), "tasks.dev.eval_every=2",
                                          "training.batch_size=4", "training.epochs=2", "training.dropout=0.1"},
                                         overrides));
    std::get<NliTaskSettings>(trial.tasks.front().of_kind).file = dev;
    if (dev.empty()) trial.data.dev_fraction = 0.3;
    return trial;
  }

  /// Expects that both trainings have the same bits, in their losses, metrics and parameters.
  static void expect_same(const TinyRun& run, const TinyRun& expected) {
    EXPECT_EQ(run.result.training.loss, expected.result.training.loss);
    EXPECT_FALSE(run.result.training.loss.empty());
    ASSERT_EQ(run.told.measurements.size(), expected.told.measurements.size());
    EXPECT_GT(run.told.measurements.size(), 3u);
    for (std::size_t i = 0; i < run.told.measurements.size(); ++i) {
      const Measurement& measured = run.told.measurements[i];
      for (const Metric& metric : expected.told.measurements[i].metrics) {
        const double value = metric_of(measured, metric.name);
        EXPECT_TRUE(value == metric.value || (std::isnan(value) && std::isnan(metric.value))) << metric.name;
      }
    }
    EXPECT_EQ(parameters_of(run.model, {""}), parameters_of(expected.model, {""}));
  }

  const TinyTraining training_;
};

TEST_F(HeldOutTraining, IsThatOnAFileWithoutThem) {
  const Files files = write_nli();
  for (const Texts& overrides : {Texts{}, Texts{"data.triples=all"}, Texts{"training.seed=3", "data.order=file"}}) {
    const TinyRun run = training_.train(trial(files.all, {}, overrides));
    EXPECT_TOLD(run.told.notes, "dev: 32 pairs, 2 without gold label");
    EXPECT_TOLD(run.told.notes, "dev: held out of training: 32 of 93 rows, 10 of 30 premises");
    EXPECT_TOLD(run.told.notes,
                "training data: 61 pairs or rows read, 1 without gold label, 0 duplicates, 20 premises, 20 examples, ");
    expect_same(run, training_.train(trial(files.rest, files.held_out, overrides)));
  }
  // Once more, with the tokens from the cache.
  const TinyRun cached = training_.train(trial(files.all, {}));
  EXPECT_TOLD(cached.told.notes, "(from the cache)");
  expect_same(cached, training_.train(trial(files.rest, files.held_out)));
}

TEST_F(HeldOutTraining, OfTriplesMeasuresTheirPairs) {
  const auto triple = [](int i) { return concat("w", i, ",w", i + 1, " w", i + 2, ",w", i + 3, " w5\n"); };
  const Files files = write("csv", "sent0,sent1,hard_neg\n", triple);
  std::string pairs;
  for (const int i : held_out_premises)
    pairs += nli_line("entailment", concat("w", i), concat("w", i + 1, " w", i + 2)) +
             nli_line("contradiction", concat("w", i), concat("w", i + 3, " w5"));
  const TinyRun run = training_.train(trial(files.all, {}));
  EXPECT_TOLD(run.told.notes, "dev: held out of training: 10 of 30 rows, 10 of 30 premises");
  expect_same(run, training_.train(trial(files.rest, training_.write("pairs.jsonl", pairs))));
}

TEST_F(HeldOutTraining, CountsBadLinesOnce) {
  const Files files = write_nli();
  const auto with_bad = [&](const fs::path& dev) {
    Trial two = trial(dev.empty() ? files.all : files.rest, dev, {"data.bad_lines=skip"});
    // A third of the lines is bad, as with more the file would be refused.
    const std::string good = nli_line("entailment", "w40 w41", "w3") + nli_line("contradiction", "w40 w41", "w4");
    two.data.train.push_back(training_.write("more.jsonl", nli_line("entailed", "w2", "w3") + good));
    return training_.train(two);
  };
  const TinyRun run = with_bad({});
  EXPECT_TOLD(run.told.warnings, "the training data: 1 of ");
  EXPECT_EQ(std::count_if(run.told.warnings.begin(), run.told.warnings.end(),
                          [](const std::string& text) { return says(text, "more.jsonl:1: the label"); }),
            1);
  EXPECT_FALSE(holds(run.told.warnings, "dev: "));
  expect_same(run, with_bad(files.held_out));
}

TEST_F(HeldOutTraining, MeasuresThreeLabelsToo) {
  const Files files = write_nli();
  Trial labelled =
      trial(files.all, {}, {"recipe=liao", "select.figure=accuracy", "data.last_batch=keep", "training.max_tokens=16"});
  labelled.tasks.push_back({"labels", 0, NliLabelsTaskSettings{}});
  const TinyRun run = training_.train(labelled);
  EXPECT_EQ(metric_in(run.result, "last", "labels", "pairs"), 30);
  EXPECT_TOLD(run.told.notes, "labels: held out of training: 32 of 93 rows, 10 of 30 premises");
  EXPECT_TOLD(run.told.notes, "60 examples, ");
}

TEST_F(HeldOutTraining, NeedsABatchToTrainOn) {
  const Files files = write_nli();
  EXPECT_EQ(refusal_of([&] { training_.train(trial(files.all, {}, {"training.batch_size=20"})); }), "accepted");
  EXPECT_TRUE(says(refusal_of([&] { training_.train(trial(files.all, {}, {"training.batch_size=21"})); }),
                   "data.dev_fraction 0.3 leaves 20 examples to train on, less than one batch of training.batch_size "
                   "21: give a smaller fraction or a smaller batch size"));
  EXPECT_EQ(refusal_of([&] {
              training_.train(trial(files.all, {}, {"training.batch_size=21", "data.last_batch=keep"}));
            }),
            "accepted");
}

TEST_F(HeldOutTraining, OfPairsAloneIsRefusedWithWhatWorks) {
  const Files files = write("csv", "anchor,positive\n", [](int i) { return concat("w", i, ",w", i + 1, "\n"); });
  const Texts pairs{"recipe=contrastive_pairs"};
  EXPECT_TRUE(says(refusal_of([&] { training_.train(trial(files.all, {}, pairs)); }),
                   "the task \"dev\" (nli) cannot measure the held-out examples: all 10 pairs are entailments, as the "
                   "training files have no contradicted hypotheses; accuracy and AUPRC need other pairs, too: name a "
                   "file of pairs with labels in tasks.dev.files, or use a task of kind sts with a file"));
}

}  // namespace
}  // namespace gausscse
