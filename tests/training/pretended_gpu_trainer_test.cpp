#include "dist/communicator.hpp"
#include "model/sentence_encoder.hpp"
#include "tests/support/pretended_gpu/memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

using Texts = std::vector<std::string>;

const at::Device cpu(at::kCPU), gpu(at::kCUDA, 0);

/// Observer that asks to stop with a step, and counts the contacts of the host with the GPU from one reported step to
/// the next.
class Watcher : public RecordingObserver, public TrainingRequests {
 public:
  /// Asks for a stop with that step, from 1; loses the machine at the report of the step `dies_with`, from 0.
  explicit Watcher(int stop_with = 0, std::int64_t dies_with = -1) : left_(stop_with), dies_with_(dies_with) {}

  bool take_checkpoint() override { return false; }
  bool stop() override { return --left_ == 0; }
  void on_step(const StepReport& report) override {
    RecordingObserver::on_step(report);
    const pretended_gpu::Counts now = pretended_gpu::counts();
    waits.push_back(now.waits - before_.waits);
    copies_to_host.push_back(now.copies_to_host - before_.copies_to_host);
    before_ = now;
    if (report.step == dies_with_) throw SystemError("the machine is gone");
  }

  std::vector<std::int64_t> waits, copies_to_host;

 private:
  int left_;
  std::int64_t dies_with_;
  pretended_gpu::Counts before_ = pretended_gpu::counts();
};

class PretendedGpuTrainer : public testing::Test {
 protected:
  /// Few steps, of float32, with dropout.
  Trial trial(const Texts& overrides) const {
    return training_.trial(joined({"training.batch_size=6", "training.max_steps=3", "training.learning_rate=0.01",
                                   "training.dropout=0.1", "training.max_tokens=12", "training.checkpoint_minutes=0"},
                                  overrides));
  }

  RunResult train(Trial trial, const std::string& output, at::Device device, Watcher& watcher) const {
    trial.output = training_.folder / output;
    TrainOptions options;
    options.device = device;
    return train_trial(trial, options, *make_self_communicator(), watcher, watcher);
  }
  RunResult train(const Trial& trial, const std::string& output, at::Device device) const {
    Watcher watcher;
    return train(trial, output, device, watcher);
  }

  std::string model_of(const std::string& output) const {
    return read_whole_file(training_.folder / output / "model" / "model.safetensors", std::size_t{1} << 24);
  }

  const TinyTraining training_;
};

void expect_near(const std::vector<double>& values, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(values.size(), expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], tolerance * std::abs(expected[i])) << i;
}

/// But for the bits: of losses, norms, and of all that is measured on the way and at the end.
void expect_same_training(const RunResult& found, const RunResult& expected, double tolerance) {
  EXPECT_EQ(found.training.step, expected.training.step);
  expect_near(found.training.loss, expected.training.loss, tolerance);
  expect_near(found.training.gradient_norm, expected.training.gradient_norm, 10 * tolerance);
  expect_near(found.training.learning_rate, expected.training.learning_rate, 1e-12);
  ASSERT_EQ(found.curves.size(), expected.curves.size());
  for (std::size_t c = 0; c < found.curves.size(); ++c) EXPECT_EQ(found.curves[c].step, expected.curves[c].step);
  ASSERT_EQ(found.states.size(), expected.states.size());
  for (std::size_t s = 0; s < found.states.size(); ++s) {
    EXPECT_EQ(found.states[s].state, expected.states[s].state);
    EXPECT_EQ(found.states[s].step, expected.states[s].step);
    ASSERT_EQ(found.states[s].tasks.size(), expected.states[s].tasks.size());
    for (std::size_t t = 0; t < found.states[s].tasks.size(); ++t) {
      const Measurement &here = found.states[s].tasks[t], &there = expected.states[s].tasks[t];
      ASSERT_EQ(here.metrics.size(), there.metrics.size());
      EXPECT_GT(here.metrics.size(), 2u);
      for (std::size_t f = 0; f < here.metrics.size(); ++f) {
        const double value = here.metrics[f].value, wanted = there.metrics[f].value;
        EXPECT_TRUE(std::isnan(wanted) ? std::isnan(value) : std::abs(value - wanted) <= 1e-3 * (1 + std::abs(wanted)))
            << here.task << ": " << here.metrics[f].name << " is " << value << " instead of " << wanted;
      }
    }
  }
}

TEST_F(PretendedGpuTrainer, TrainsAndMeasuresAsOnCpus) {
  std::string lines;
  for (int i = 0; i < 40; ++i) lines += concat("w", i, " w", 2 * i % 50, " w", 7 * i % 50, "\n");
  const std::string words = training_.write("words.txt", lines).string();
  const Trial of_both = trial(
      {"tasks.words={kind: geometry, files: \"" + words + "\", samples: 20, draws: 2}", "tasks.dev.eval_every=2"});
  expect_same_training(train(of_both, "gpu", gpu), train(of_both, "cpu", cpu), 2e-5);
}

TEST_F(PretendedGpuTrainer, TakesMicroBatches) {
  const Trial whole = trial({"recipe=paper", "training.clip_norm=0.5"});
  const Trial micro_batches = trial({"recipe=paper", "training.clip_norm=0.5", "training.micro_batch=4"});
  expect_same_training(train(micro_batches, "pieces", gpu), train(whole, "whole", cpu), 2e-5);
}

TEST_F(PretendedGpuTrainer, TakesCandidatesInBlocks) {
  const Trial gathered = trial({}), around_ring = trial({"training.exchange=ring"});
  expect_same_training(train(around_ring, "ring", gpu), train(gathered, "gathered", cpu), 2e-5);
}

TEST_F(PretendedGpuTrainer, ComputesInBfloat16) {
  const Trial narrow = trial({"training.precision=bf16", "training.learning_rate=0.0001"});
  const RunResult here = train(narrow, "gpu", gpu), there = train(narrow, "cpu", cpu);
  expect_near(here.training.loss, there.training.loss, 2e-2);
  const RunResult wide = train(trial({"training.learning_rate=0.0001"}), "fp32", gpu);
  EXPECT_NE(here.training.loss, wide.training.loss);
}

/// One wait a step, for the loss; the norm of the gradients of the step before has come by then.
TEST_F(PretendedGpuTrainer, NobodyWaitsForTheGpuButForTheLoss) {
  const Texts liao{"recipe=liao", "data.train=[" + golden("training/premises.jsonl").string() + "]"};
  struct Case {
    const char* name;
    Texts overrides;
  };
  for (const Case& of :
       {Case{"released", {"recipe=released"}},
        Case{"clipped", {"recipe=paper", "training.clip_norm=0.5", "training.precision=bf16"}},
        Case{"micro-batches", {"training.micro_batch=3"}}, Case{"around the ring", {"training.exchange=ring"}},
        Case{"labels", joined(liao, {"objective.kind=pair_classification"})},
        Case{"contrast sets", joined(liao, {"objective.kind=supervised_contrastive"})},
        Case{"augmented", joined(liao, {"objective.kind=augmented_classification", "objective.positives=2",
                                        "objective.negatives=2"})}}) {
    SCOPED_TRACE(of.name);
    Watcher watcher;
    train(trial(joined(of.overrides, {"training.max_steps=4"})), of.name, gpu, watcher);
    ASSERT_EQ(watcher.waits.size(), 4u);
    // The first step was reported with the waits before training, the last when its own were waited for.
    for (std::size_t step = 1; step + 1 < watcher.waits.size(); ++step) {
      EXPECT_EQ(watcher.waits[step], 1) << step;
      EXPECT_EQ(watcher.copies_to_host[step], 2) << step;
    }
  }
}

/// For each piece of it that is embedded, also where it is embedded twice.
TEST_F(PretendedGpuTrainer, ABatchIsCopiedToTheGpuOnce) {
  const auto copies = [&](const Texts& overrides, std::int64_t steps) {
    const Texts same_measurements{"tasks.dev.eval_every=0", "select.task=\"\"", "select.figure=\"\"",
                                  concat("training.max_steps=", steps)};
    const auto before = pretended_gpu::counts().copies_to_gpu;
    train(trial(joined(overrides, same_measurements)), concat(overrides.front(), steps), gpu);
    return pretended_gpu::counts().copies_to_gpu - before;
  };
  struct Case {
    Texts overrides;
    std::int64_t a_step;
  };
  for (const Case& of : {Case{{"recipe=released"}, 1}, Case{{"recipe=paper"}, 1}, Case{{"training.micro_batch=3"}, 2},
                         Case{{"training.exchange=ring"}, 1}}) {
    SCOPED_TRACE(of.overrides.front());
    // The next is on its way while a step is computed: only whole trainings can be counted.
    EXPECT_EQ(copies(of.overrides, 5) - copies(of.overrides, 2), 3 * of.a_step);
  }
}

/// A stop is gone on from with the same bits, and on another device as if it had been there from the first step.
TEST_F(PretendedGpuTrainer, GoesOnFromCheckpointsOfAnyDevice) {
  const Trial all = trial({"training.max_steps=4", "tasks.dev.eval_every=2"});
  const RunResult whole = train(all, "whole", gpu);
  struct Case {
    const char* output;
    at::Device first, then;
  };
  for (const auto& [output, first, then] :
       {Case{"gpu", gpu, gpu}, Case{"to cpu", gpu, cpu}, Case{"to gpu", cpu, gpu}}) {
    SCOPED_TRACE(output);
    Watcher stopped(2);
    EXPECT_THROW(train(all, output, first, stopped), TrainingStopped);
    EXPECT_EQ(stopped.steps.size(), 2u) << "all steps are told before the stop";
    Watcher gone_on;
    const RunResult result = train(all, output, then, gone_on);
    expect_same_training(result, whole, 2e-5);
    EXPECT_EQ(holds(gone_on.notes, concat("computed with device: ", first.is_cpu() ? "cpu" : "cuda",
                                          ", those from here on with device: ", then.is_cpu() ? "cpu" : "cuda")),
              first != then);
    if (first == gpu && then == gpu) {
      EXPECT_EQ(result.training.loss, whole.training.loss);
      EXPECT_TRUE(model_of(output) == model_of("whole"));
    }
  }
}

TEST_F(PretendedGpuTrainer, RefusesHeadsThatKernelsDoNotKnow) {
  SentenceEncoderSettings settings;
  settings.encoder = named_encoder_config("bert-base");
  settings.encoder.vocabulary_size = 20;
  settings.encoder.layers = 1;
  settings.encoder.heads = 4;
  settings.device = gpu;
  EXPECT_TRUE(says(refusal_of([&] { SentenceEncoder encoder(settings); }),
                   "the encoder's attention heads are 192 wide (hidden_size 768, 4 heads)"));
  settings.encoder.heads = 6;
  EXPECT_NO_THROW(SentenceEncoder encoder(settings));
}

/// The GPU's last step before a checkpoint is reported one later, and is in it nevertheless.
TEST_F(PretendedGpuTrainer, CheckpointsHoldWhatWasToldOfAllTheirSteps) {
  const Trial all = trial({"training.max_steps=4", "training.checkpoint_every=2"});
  const RunResult whole = train(all, "whole", gpu);
  Watcher dying(0, 2);
  EXPECT_THROW(train(all, "out", gpu, dying), SystemError);
  Watcher gone_on;
  const RunResult result = train(all, "out", gpu, gone_on);
  EXPECT_EQ(gone_on.steps.size(), 2u) << "from the checkpoint on";
  EXPECT_EQ(result.training.step, whole.training.step);
  EXPECT_EQ(result.training.loss, whole.training.loss);
}

/// The report names the step with the loss, although it comes one step later.
TEST_F(PretendedGpuTrainer, TellsOfLossesThatAreNotFinite) {
  const Trial diverging =
      trial({"training.learning_rate=1.0e+30", "training.schedule=warmup_constant", "training.warmup_ratio=0"});
  const auto told = [&](const std::string& output, at::Device device) {
    return refusal_of([&] { train(diverging, output, device); });
  };
  const std::string on_gpu = told("gpu", gpu), on_cpu = told("cpu", cpu);
  EXPECT_TRUE(on_gpu.starts_with("training stopped at step ")) << on_gpu;
  EXPECT_EQ(on_gpu.substr(0, on_gpu.find(':')), on_cpu.substr(0, on_cpu.find(':')));
  EXPECT_NE(on_cpu.find("the largest gradient is that of"), std::string::npos) << on_cpu;
  EXPECT_EQ(on_gpu.find("the largest gradient"), std::string::npos) << "whose are those of another step: " << on_gpu;
}

}  // namespace
}  // namespace gausscse
