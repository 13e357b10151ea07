#include "config/trial/task_map.hpp"
#include "config/trial/trial.hpp"
#include "tests/memory/refused_memory.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"
#include "training/checkpoint/checkpoint_file.hpp"

namespace gausscse {
namespace {

constexpr std::string_view trial_text = R"(format: gausscse-trial/2
recipe: paper
model:
  backbone: {architecture: bert-base, init: random, tokenizer: "caf\u00e9/tokenizer"}
data:
  train: triples.csv
tasks:
  'dev': {kind: nli, files: 'dev.jsonl', eval_every: 3}
  tokens: {kind: geometry, files: [a folder/sentences.txt], pads: true}
select: {task: dev, figure: auprc}
training: {dropout: 0.1, clip_norm: 1, schedule: warmup_decay}
output: |
  folded
)";

TEST(RefusedMemory, OfTrials) {
  expect_clean_refusals([] { return parse_trial(trial_text, "trial.yaml", "/base", {"training.seed=3"}); },
                        [](const Trial& trial) { return to_yaml(trial); });
}

TEST(RefusedMemory, OfTaskFiles) {
  const TemporaryFolder folder;
  write_bytes(folder / "tasks.yaml",
              "tasks:\n  sts13: {kind: sts, files: [sts/sts13], year: 13}\n"
              "  dev: {kind: nli, files: dev.jsonl, threshold: own}\n");
  const std::vector<TaskSettings> whole = read_task_file(folder / "tasks.yaml");
  expect_clean_refusals([&] { return read_task_file(folder / "tasks.yaml"); },
                        [&](const std::vector<TaskSettings>& tasks) { return concat(tasks == whole); });
}

/// A checkpoint that there is no memory for is not taken for a damaged one, which would be removed.
TEST(RefusedMemory, OfCheckpoints) {
  const TemporaryFolder folder;
  write_checkpoint(folder / "c", sample_state(5));
  const TrainingState whole = read_checkpoint(folder / "c");
  expect_clean_refusals([&] { return read_checkpoint(folder / "c"); },
                        [&](const TrainingState& state) {
                          expect_equal(state, whole);
                          return concat(state.step, state.configuration);
                        });
}

}  // namespace
}  // namespace gausscse
