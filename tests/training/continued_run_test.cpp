#include "training/continued_run.hpp"

#include "base/content_hash.hpp"
#include "base/file_lock.hpp"
#include "base/folder_mark.hpp"
#include "dist/communicator.hpp"
#include "model/objective/objective.hpp"
#include "model/weights/encoder_weights.hpp"
#include "results/result_file.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/tiny_training.hpp"
#include "training/checkpoint/checkpoint_file.hpp"
#include "training/output_folder.hpp"
#include "training/train_trial.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using Overrides = std::vector<std::string>;

constexpr std::size_t largest_file = std::size_t{1} << 24;

/// Returns the content of every file in a folder, and when it was written.
std::map<std::string, std::string> files_in_folder(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file())
      files[entry.path().string()] =
          concat(entry.last_write_time().time_since_epoch().count(), "\n", read_whole_file(entry.path(), largest_file));
  return files;
}

std::string model_bytes(const fs::path& output) {
  return read_whole_file(output / "model/model.safetensors", largest_file) +
         read_whole_file(output / "model/gausscse.safetensors", largest_file);
}

/// Returns the curves as bytes, in which metrics that do not exist are equal, too.
std::string curve_bytes(const RunResult& result) {
  RunResult curves;
  curves.curves = result.curves;
  return result_file_bytes(curves);
}

/// At a constant rate, with dropout, measured every second step.
class ContinuedRuns : public testing::Test {
 protected:
  static Overrides constant(int steps) {
    return {concat("training.max_steps=", steps),
            "training.schedule=warmup_constant",
            "training.warmup_ratio=0",
            "training.learning_rate=0.01",
            "training.max_tokens=12",
            "training.dropout=0.1",
            "tasks.dev.eval_every=2",
            "training.keep_checkpoint=true"};
  }

  RunResult run(const std::string& name, const Overrides& overrides, const std::string& continued = "",
                int stop_after = 1000) {
    Trial trial = tiny_.trial(overrides);
    trial.output = folder(name);
    TrainOptions options;
    if (!continued.empty()) options.continued = folder(continued);
    StopAfter requests(stop_after);
    told_ = {};
    return train_trial(trial, options, *make_self_communicator(), told_, requests);
  }
  void stopped_run(const std::string& name, const Overrides& overrides, int steps, const std::string& continued = "") {
    EXPECT_THROW(run(name, overrides, continued, steps), TrainingStopped);
  }
  std::string refused(const std::string& continued, const Overrides& overrides, const std::string& name = "refused") {
    return refusal_of([&] { run(name, overrides, continued); });
  }
  fs::path folder(const std::string& name) const { return tiny_.folder / name; }
  fs::path checkpoint(const std::string& name, std::int64_t step) const {
    return checkpoints_in(folder(name)).file(step);
  }

  static void expect_same_end(const RunResult& one, const RunResult& other) {
    EXPECT_EQ(one.training.step, other.training.step);
    EXPECT_EQ(one.training.loss, other.training.loss);
    EXPECT_EQ(one.training.learning_rate, other.training.learning_rate);
    EXPECT_EQ(one.training.gradient_norm, other.training.gradient_norm);
    EXPECT_TRUE(curve_bytes(one) == curve_bytes(other));
    ASSERT_EQ(one.states.size(), other.states.size());
    for (std::size_t i = 0; i < one.states.size(); ++i) {
      EXPECT_EQ(one.states[i].step, other.states[i].step);
      EXPECT_EQ(metric_in(one, one.states[i].state, "dev", "auprc"),
                metric_in(other, one.states[i].state, "dev", "auprc"));
    }
  }

  TinyTraining tiny_;
  RecordingObserver told_;
};

TEST_F(ContinuedRuns, HaveTheBitsOfARunInOneGo) {
  for (const Overrides& system :
       {Overrides{"recipe=released"}, Overrides{"recipe=simcse"}, Overrides{"recipe=dynamics", "data.order=file"}}) {
    SCOPED_TRACE(system[0]);
    const std::string& name = system[0];
    const RunResult whole = run("whole " + name, joined(constant(9), system));
    run("first " + name, joined(constant(5), system));
    const auto before = files_in_folder(folder("first " + name));
    const RunResult second = run("second " + name, joined(constant(9), system), "first " + name);
    EXPECT_TOLD(told_.notes, "going on after step 5 of 9, from the checkpoint in " + folder("first " + name).string());
    EXPECT_TOLD(told_.notes, "changed: training.max_steps: 5, now 9");
    expect_same_end(second, whole);
    EXPECT_TRUE(model_bytes(folder("second " + name)) == model_bytes(folder("whole " + name)));
    EXPECT_TRUE(files_in_folder(folder("first " + name)) == before) << "nothing may change there";
  }
}

/// The schedule is that of all steps, so that a stopped run goes on as itself.
TEST_F(ContinuedRuns, OfAStoppedRunHaveItsBits) {
  const Overrides decaying{"training.max_steps=8", "training.learning_rate=0.01", "tasks.dev.eval_every=2"};
  const RunResult whole = run("whole", decaying);
  stopped_run("first", decaying, 3);
  const RunResult second = run("second", decaying, "first");
  expect_same_end(second, whole);
  EXPECT_TRUE(model_bytes(folder("second")) == model_bytes(folder("whole")));
  EXPECT_EQ(second.provenance.continued->changes, std::vector<std::string>());
}

TEST_F(ContinuedRuns, ThatAreInterruptedResume) {
  const RunResult whole = run("whole", constant(9));
  run("first", constant(4));
  stopped_run("second", constant(9), 2, "first");
  EXPECT_TRUE(
      says(refusal_of([&] { run("second", constant(9)); }), "with content of the checkpoint that the run continues: "))
      << "without --continue it would be another run";
  const RunResult second = run("second", constant(9), "first");
  EXPECT_TOLD(told_.notes, "going on after step 6 of 9, from the checkpoint in " + folder("second").string());
  expect_same_end(second, whole);
  EXPECT_TRUE(model_bytes(folder("second")) == model_bytes(folder("whole")));
  run("second", constant(9), "first");
  EXPECT_TOLD(told_.notes, "this trial has its result already: nothing to do");
  EXPECT_EQ(checkpoints_in(folder("second")).steps(), std::vector<std::int64_t>{9});
}

TEST_F(ContinuedRuns, RecordWhatTheyContinue) {
  run("first", constant(4));
  const std::string mark = note_in_mark(folder("first"), FolderKind::output);
  const std::string hash = content_hash(checkpoint("first", 4));
  run("second", joined(constant(6), {"training.learning_rate=0.02"}), "first/");
  const RunResult written = read_result(result_in(folder("second")));
  const ContinuedRun& continued = written.provenance.continued.value();
  EXPECT_EQ(continued.folder, folder("first").string());
  EXPECT_EQ(continued.run, mark);
  EXPECT_EQ(continued.checkpoint, hash);
  EXPECT_EQ(continued.step, 4);
  EXPECT_EQ(continued.changes,
            (std::vector<std::string>{"training.learning_rate: 0.01, now 0.02", "training.max_steps: 4, now 6"}));
  EXPECT_EQ(written.provenance.data_hashes.back().second, hash);
  EXPECT_FALSE(read_result(result_in(folder("first"))).provenance.continued.has_value());
  run("third", constant(8), "second");
  EXPECT_EQ(read_result(result_in(folder("third"))).provenance.continued->step, 6);
}

/// A rate of nothing leaves the weights as they were, and weight decay has nothing to multiply.
TEST_F(ContinuedRuns, TrainWithTheNewRateWhatIsLeft) {
  const Overrides last{"select.task=\"\"", "select.figure=\"\""};
  const RunResult first = run("first", joined(constant(4), last));
  const RunResult second = run("second", joined(joined(constant(7), last), {"training.learning_rate=1e-300"}), "first");
  const RunResult decayed =
      run("decayed", joined(joined(constant(8), last), {"training.schedule=warmup_decay"}), "first");
  const at::Tensor at_first = read_checkpoint(checkpoint("first", 4)).values;
  EXPECT_TRUE(read_checkpoint(checkpoint("second", 7)).values.equal(at_first));
  EXPECT_FALSE(read_checkpoint(checkpoint("decayed", 8)).values.equal(at_first));
  EXPECT_EQ(second.training.learning_rate, (std::vector<double>{0.01, 0.01, 0.01, 0.01, 1e-300, 1e-300, 1e-300}));
  ASSERT_EQ(second.training.loss.size(), 7u);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(second.training.loss[i], first.training.loss[i]);
  for (std::size_t i = 4; i < 8; ++i)
    EXPECT_DOUBLE_EQ(decayed.training.learning_rate[i], 0.01 * static_cast<double>(8 - i) / 8) << i;
}

/// A head's rate of nothing leaves the head as it was, and the encoder is trained on.
TEST_F(ContinuedRuns, TrainTheHeadWithItsNewRate) {
  const Overrides last{"select.task=\"\"", "select.figure=\"\""};
  run("first", joined(constant(3), last));
  run("second", joined(joined(constant(5), last), {"training.head_learning_rate=1e-300"}), "first");
  const at::Tensor first = read_checkpoint(checkpoint("first", 3)).values;
  const at::Tensor second = read_checkpoint(checkpoint("second", 5)).values;
  const std::int64_t encoder = count_elements(encoder_parameters(read_encoder_config(folder("first") / "model")));
  EXPECT_FALSE(second.narrow(0, 0, encoder).equal(first.narrow(0, 0, encoder)));
  EXPECT_LT(encoder, first.numel());
  EXPECT_TRUE(second.slice(0, encoder).equal(first.slice(0, encoder)));
  EXPECT_EQ(read_result(result_in(folder("second"))).provenance.continued->changes,
            (Overrides{"training.head_learning_rate: same, now 1e-300", "training.max_steps: 3, now 5"}));
}

TEST_F(ContinuedRuns, KeepTheBestStateOfTheSameTask) {
  const RunResult first = run("first", constant(4));
  ASSERT_LT(first.states.at(0).step, 4) << "else nothing shows that the best state is kept";
  const Overrides still = joined(constant(6), {"training.learning_rate=1e-300"});
  const RunResult same = run("same", still, "first");
  EXPECT_EQ(same.states.at(0).step, first.states.at(0).step) << "no later state is better";
  EXPECT_EQ(same.curves.at(0).step, (std::vector<std::int64_t>{0, 2, 4, 6}));
  const RunResult more =
      run("more", joined(still, {"tasks.more={kind: nli, files: \"" + golden("training/dev.jsonl").string() + "\"}"}),
          "first");
  EXPECT_TRUE(curve_bytes(more) == curve_bytes(same));
  EXPECT_EQ(metric_in(more, "best", "more", "auprc"), metric_in(more, "best", "dev", "auprc"));

  // Where the task measures something else, nothing of it is taken over.
  const std::string dev = read_whole_file(golden("training/dev.jsonl"), largest_file);
  const fs::path other = tiny_.write("other.jsonl", dev + dev.substr(0, dev.find('\n') + 1));
  for (const std::string& changed :
       {concat("tasks.dev.files=\"", other.string(), "\""), std::string("tasks.dev.auprc=sweep")}) {
    const RunResult anew = run("anew " + changed.substr(10, 4), joined(still, {changed}), "first");
    EXPECT_EQ(anew.curves.at(0).step, (std::vector<std::int64_t>{4, 6})) << changed;
    EXPECT_EQ(anew.states.at(0).step, 4) << changed;
  }
  // A file that two tasks read is compared for both; the second one selects.
  const auto both = [&](const Overrides& overrides, const fs::path& file) {
    return joined(overrides, {"tasks.second={kind: nli, files: \"" + file.string() + "\", eval_every: 2}",
                              "tasks.dev.files=\"" + file.string() + "\"", "select.task=second"});
  };
  run("shared", both(constant(4), golden("training/dev.jsonl")));
  EXPECT_EQ(run("as before", both(still, golden("training/dev.jsonl")), "shared").states.at(0).step,
            first.states.at(0).step);
  EXPECT_EQ(run("both anew", both(still, other), "shared").states.at(0).step, 4);
  EXPECT_EQ(run("figure", joined(still, {"select.figure=accuracy"}), "first").states.at(0).step, 4);
  EXPECT_EQ(run("later", joined(still, {"select.from_step=6"}), "first").states.at(0).step, 6);
  const RunResult last = run("last", joined(still, {"select.task=\"\"", "select.figure=\"\""}), "first");
  ASSERT_EQ(last.states.size(), 2u);
  EXPECT_EQ(last.states[1].state, backbone_state);
  EXPECT_EQ(last.states[0].step, 6);
}

/// Also where no later metric is above 0, as of a correlation: nothing of the earlier selection is left to compare
/// with.
TEST_F(ContinuedRuns, ForgetTheBestStateOfAnotherSelection) {
  const RunResult first = run("first", constant(2));
  const auto communicator = make_self_communicator();
  for (const bool selects_the_same : {true, false}) {
    Trial trial =
        tiny_.trial(joined(constant(4), {selects_the_same ? "select.figure=auprc" : "select.figure=accuracy"}));
    trial.output = folder("second");
    EarlierRun earlier = read_earlier_run(folder("first"), trial, *communicator);
    const std::int64_t best = earlier.state.best_step;
    ASSERT_GE(best, 0);
    compare_inputs(earlier, trial, first.provenance.data_hashes, *communicator);
    EXPECT_EQ(earlier.state.best_step, selects_the_same ? best : -1);
    EXPECT_EQ(earlier.state.best_metric > 0, selects_the_same);
    EXPECT_EQ(earlier.state.best_values.defined(), selects_the_same);
  }
}

/// The metrics of the state before the first step are those of the earlier run.
TEST_F(ContinuedRuns, KeepTheMeasurementOfTheUntrainedState) {
  std::string text;
  for (int i = 0; i < 12; ++i) text += concat("w", i % 5, " w", i % 3, " w", i % 7, "\n");
  const std::string file = tiny_.write("sentences.txt", text).string();
  const auto with_samples = [&](int steps, int samples) {
    return joined(constant(steps), {concat("tasks.tokens={kind: geometry, files: \"", file, "\", samples: ", samples,
                                           ", draws: 0, eval_every: 2}")});
  };
  const RunResult whole = run("whole", with_samples(6, 5));
  run("first", with_samples(3, 5));
  const RunResult second = run("second", with_samples(6, 5), "first");
  const StateResult *expected = find_state(whole, "untrained"), *kept = find_state(second, "untrained");
  ASSERT_TRUE(expected && kept);
  ASSERT_EQ(kept->tasks.size(), 1u);
  ASSERT_EQ(kept->tasks[0].metrics.size(), expected->tasks.at(0).metrics.size());
  for (std::size_t i = 0; i < expected->tasks[0].metrics.size(); ++i)
    EXPECT_EQ(kept->tasks[0].metrics[i].value, expected->tasks[0].metrics[i].value);
  const RunResult changed = run("changed", with_samples(6, 4), "first");
  EXPECT_EQ(find_state(changed, "untrained"), nullptr) << "it is that of other samples";
  EXPECT_EQ(changed.curves.size(), 2u);
  for (const Curve& curve : changed.curves) EXPECT_EQ(curve.step.front(), curve.task == "dev" ? 0 : 4) << curve.task;
}

/// A run that ended early would end again at once if its patience were not counted again.
TEST_F(ContinuedRuns, OfARunThatEndedEarlyTrainOn) {
  const Overrides still = joined(constant(20), {"training.learning_rate=1e-300", "select.patience=2"});
  const RunResult first = run("first", still);
  EXPECT_EQ(first.states.at(1).step, 4);
  EXPECT_EQ(checkpoints_in(folder("first")).steps(), std::vector<std::int64_t>{4});
  const RunResult second = run("second", still, "first");
  EXPECT_EQ(second.states.at(0).step, 0);
  EXPECT_EQ(second.states.at(1).step, 8);
  EXPECT_EQ(second.curves.at(0).step, (std::vector<std::int64_t>{0, 2, 4, 6, 8}));
  const RunResult third = run("third", joined(still, {"select.patience=3"}), "first");
  EXPECT_EQ(third.states.at(1).step, 6) << "patience was left";
}

TEST_F(ContinuedRuns, AreRefusedWithWhatMayChange) {
  run("first", constant(4));
  const auto before = files_in_folder(folder("first"));
  for (const auto& [override_text, change] :
       std::vector<std::pair<std::string, std::string>>{{"training.seed=3", "training.seed: 0, now 3"},
                                                        {"training.batch_size=5", "training.batch_size: 7, now 5"},
                                                        {"training.dropout=0.2", "training.dropout: 0.1, now 0.2"}}) {
    const std::string refusal = refused("first", joined(constant(9), {override_text}));
    EXPECT_TRUE(says(refusal, concat("--continue ", folder("first").string(),
                                     ": a run that continues another may not change ", change)));
    EXPECT_TRUE(says(refusal, "these keys may change: "));
  }
  const std::string train = read_whole_file(golden("training/train.csv"), largest_file);
  const fs::path other = tiny_.write("train.csv", train + train.substr(train.find('\n') + 1));
  EXPECT_TRUE(says(refused("first", joined(constant(9), {concat("data.train=\"", other.string(), "\"")})),
                   "that run was made with content of data.train/1: " + content_hash(golden("training/train.csv")) +
                       " where this one has content of data.train/1: " + content_hash(other)));
  EXPECT_TRUE(says(refused("first", constant(4)),
                   "the checkpoint is after step 4, and training.max_steps: 4 leaves no step to train: give more"));
  EXPECT_TRUE(says(refused("first", constant(9), "first"), "lies in the folder of the run that is continued"));
  EXPECT_TRUE(says(refused("first", constant(9), "first/below"), "lies in the folder of the run that is continued"));
  EXPECT_FALSE(fs::exists(folder("refused")));
  EXPECT_TRUE(files_in_folder(folder("first")) == before);
}

TEST_F(ContinuedRuns, AreRefusedWithoutAWholeCheckpoint) {
  EXPECT_TRUE(says(refused("nowhere", constant(9)), "there is no such folder: give the output folder of a run"));
  fs::create_directory(folder("empty"));
  EXPECT_TRUE(says(refused("empty", constant(9)), "there is no checkpoint of a run: give the output folder of a run"));
  run("ended", joined(constant(2), {"training.keep_checkpoint=false"}));
  EXPECT_TRUE(
      says(refused("ended", constant(9)),
           "this run has ended and kept no checkpoint: train it again with training.keep_checkpoint: true, or"));
  run("first", constant(4));
  {
    const FileLock running(folder("first") / ".gausscse.lock");
    EXPECT_TRUE(says(refused("first", constant(9)), "a run still trains there: wait for its end, or stop it"));
  }
  const fs::path file = checkpoint("first", 4);
  const std::string whole = read_whole_file(file, largest_file);
  std::string bytes = whole;
  bytes[bytes.size() - 9] = static_cast<char>(bytes[bytes.size() - 9] ^ 1);
  write_bytes(file, bytes);
  const std::string refusal = refused("first", constant(9));
  EXPECT_TRUE(says(refusal, file.string() + " is damaged: tensor "));
  EXPECT_TRUE(fs::exists(file)) << "nothing is removed there";
  bytes = whole;
  bytes.replace(bytes.find("gausscse-checkpoint/2"), 21, "gausscse-checkpoint/9");
  write_bytes(file, bytes);
  EXPECT_TRUE(says(refused("first", constant(9)), "is a checkpoint of another version of gausscse"));
  // One of a version that kept no trial needs the trial's file.
  write_bytes(file, whole);
  EXPECT_EQ(trial_of_run(folder("first")), to_yaml(parse_trial(trial_of_run(folder("first")), "trial", "/")));
  TrainingState state = read_checkpoint(file);
  state.trial.clear();
  write_checkpoint(file, state);
  EXPECT_TRUE(says(refusal_of([&] { trial_of_run(folder("first")); }), "give the trial's file as well"));
  EXPECT_EQ(run("second", constant(6), "first").states.at(1).step, 6);
}

TEST_F(ContinuedRuns, AreOfferedTheLastCheckpointAlone) {
  run("kept", joined(constant(4), {"training.checkpoint_every=1"}));
  EXPECT_EQ(checkpoints_in(folder("kept")).steps(), std::vector<std::int64_t>{4});
  run("kept", joined(constant(4), {"training.keep_checkpoint=false"}));
  EXPECT_TOLD(told_.notes, "this trial has its result already");
  EXPECT_EQ(checkpoints_in(folder("kept")).steps(), std::vector<std::int64_t>{4}) << "it was asked for";
  run("removed", joined(constant(4), {"training.checkpoint_every=1", "training.keep_checkpoint=false"}));
  EXPECT_FALSE(fs::exists(folder("removed") / "checkpoints"));
}

}  // namespace
}  // namespace gausscse
