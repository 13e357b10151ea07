#include "config/trial/task_map.hpp"
#include "config/trial/trial.hpp"
#include "data/corpus/training_corpus.hpp"
#include "evaluation/task_list.hpp"
#include "model/objective/objective_settings.hpp"
#include "tests/data/corpus/corpus_test_helpers.hpp"
#include "tests/evaluation/task/model_to_read_for.hpp"
#include "tests/experiments/manifests/small_corpora.hpp"
#include "tests/experiments/manifests/study_files.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;

/// Examples and manifests with the corpora that they name, a few lines of each, where they look for them.
class Examples : public testing::Test {
 protected:
  Examples() {
    fs::create_directories(files_.root() / "docs");
    fs::copy(source_folder("docs/examples"), files_.root() / "docs" / "examples");
    for (const char* name : {"train.jsonl", "dev.jsonl", "test.jsonl"})
      write_small_corpus(files_.root(), fs::path("docs/examples") / name);
    write_small_corpus(files_.root(), "corpora/multinli_1.0_dev_matched.jsonl");
  }

  /// Reads all that tasks read, as for a model of this kind.
  std::size_t open_tasks(const std::vector<TaskSettings>& tasks, const ModelProperties& properties,
                         const ReadingSettings& reading = {}) {
    // A token is a byte here.
    const SentenceModel model = model_to_read_for(tokenizer_, 512, 512, properties);
    const TaskList opened = make_tasks(tasks, model, reading);
    for (const ListedTask& task : opened)
      EXPECT_TRUE(task.warnings.empty()) << task.task->name() << ": " << task.warnings.front();
    return opened.size();
  }

  /// Reads all that a trial reads but its model.
  void open_data(const Trial& trial) {
    const ModelProperties properties{.similarity = similarity_of(trial.objective),
                                     .classifier = classifier_of(trial.objective),
                                     .trim = trial.data.trim};
    EXPECT_EQ(open_tasks(trial.tasks, properties, {.scoring = trial.evaluation, .bad_lines = trial.data.bad_lines}),
              trial.tasks.size());
    const TrainingCorpus corpus =
        build_training_corpus(trial.data.train, {.bad_lines = trial.data.bad_lines,
                                                 .triples_per_premise = trial.data.triples,
                                                 .seed = static_cast<std::uint64_t>(trial.training.seed),
                                                 .trim = trial.data.trim,
                                                 .examples = trial.data.examples});
    EXPECT_GT(corpus.counts.examples, 0u);
  }

  StudyFiles files_;
  ByteTokenizer tokenizer_;
};

/// A trial, or a file of tasks.
TEST_F(Examples, ReadDataOfTheirLayout) {
  std::size_t trials = 0, task_files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(files_.root() / "docs" / "examples")) {
    if (entry.path().extension() != ".yaml") continue;
    SCOPED_TRACE(entry.path().filename());
    if (read_whole_file(entry.path(), 1 << 20).find("format: gausscse-trial/") != std::string::npos) {
      open_data(read_trial(entry.path()));
      ++trials;
    } else {
      open_tasks(read_task_file(entry.path()), {.similarity = Similarity::cosine});
      ++task_files;
    }
  }
  EXPECT_EQ(trials, 12u);
  EXPECT_EQ(task_files, 3u);
}

TEST_F(Examples, ManifestsReadDataOfTheirLayout) {
  for (const std::string& name : files_.manifests()) {
    SCOPED_TRACE(name);
    // Trials of a grid have their data in common.
    std::set<std::string> opened;
    for (const StudyPlanEntry& entry : files_.plan(name, [](const PlannedTrial&) { return 0.5; })) {
      ASSERT_TRUE(entry.trial) << title_of(entry.planned);
      const Trial& trial = *entry.trial;
      std::string data =
          concat(static_cast<int>(trial.data.examples), " ", static_cast<int>(similarity_of(trial.objective)), " ",
                 classifier_of(trial.objective) ? "classifier" : "");
      for (const auto& [key, word] : to_words(trial.evaluation)) data += concat(" ", key, " ", word);
      for (const TaskSettings& task : trial.tasks) data += "\n" + to_text(task);
      if (opened.insert(data).second) open_data(trial);
    }
    EXPECT_FALSE(opened.empty());
  }
}

}  // namespace
}  // namespace gausscse
