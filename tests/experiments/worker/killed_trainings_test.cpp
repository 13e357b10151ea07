#include <dirent.h>
#include <poll.h>

#include <csignal>

#include "experiments/claims/attempts.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_results.hpp"
#include "tests/experiments/worker/worker_processes.hpp"
#include "tests/launcher/disturbed_runs.hpp"
#include "tests/launcher/program.hpp"
#include "tests/support/disturbances.hpp"
#include "tests/support/testing.hpp"

// Four workers on twelve real trainings, killed while these have checkpoints: they go on from there, and every result
// is that of a run that nobody disturbed, bit for bit.

namespace gausscse {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t worker_count = 4;
constexpr int kills = 12;

std::string manifest_text(const TinyProject& project) {
  return concat(R"(format: gausscse-manifest/1
name: killed
defaults:
  model: {backbone: {path: )",
                project.model().string(), R"(}}
  data: {train: )",
                project.train().string(), R"(, cache: )", project.output("tokens").string(), R"(}
  training: {batch_size: 8, max_tokens: 16, learning_rate: 0.002, checkpoint_every: 1}
  tasks:
    dev: {kind: nli, files: )",
                project.dev().string(), R"(, eval_every: 3}
    test: {kind: nli, files: )",
                project.test().string(), R"(, threshold: dev}
  select: {task: dev, figure: auprc}
stages:
  only:
    grid:
      objective.loss: [ent+con, ent+con+rev]
      training.batch_size: [4, 8]
    seeds: [1, 2, 3]
)");
}

std::vector<std::string> run_arguments(const fs::path& manifest, const fs::path& results) {
  return {"run", manifest.string(), "--results", results.string()};
}

struct Process {
  pid_t id = 0;
  pid_t parent = 0;
  char state = 0;  ///< as in /proc: T for a stopped one
};

std::optional<Process> process_of(pid_t id) {
  std::ifstream stat(concat("/proc/", id, "/stat"));
  std::string line;
  if (!std::getline(stat, line)) return std::nullopt;
  // The name, in brackets, may hold anything.
  std::istringstream rest(line.substr(line.rfind(')') + 1));
  Process process{.id = id};
  rest >> process.state >> process.parent;
  return process;
}

/// Returns the training in this folder, stopped in its midst: it has a checkpoint, no result, and a worker that lives
/// (not one that was killed). Another one is left alone.
std::optional<Process> stopped_midway(const fs::path& folder, const WorkerProcesses& workers) {
  std::error_code gone;
  if (fs::is_empty(folder / "checkpoints", gone) || gone) return std::nullopt;
  const ProcessIdentity training = read_attempts(folder).process;
  if (!is_known_to_run(training)) return std::nullopt;
  std::optional<Process> process = process_of(static_cast<pid_t>(training.number));
  if (!process || ::kill(process->id, SIGSTOP) != 0) return std::nullopt;
  while (process && std::string("TZX").find(process->state) == std::string::npos) process = process_of(process->id);
  if (!process || process->state != 'T') return std::nullopt;
  if (workers.number_of(process->parent) && !fs::exists(folder / "result.h5") && !checkpoints_of(folder).empty())
    return process;
  ::kill(process->id, SIGCONT);
  return std::nullopt;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) found.insert(entry.path().filename());
  return found;
}

TEST(KilledTrainings, EndAsIfNobodyHadDisturbedThem) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const fs::path manifest = folder / "killed.yaml", whole = folder / "whole", disturbed = folder / "disturbed";
  write_bytes(manifest, manifest_text(project));
  run_expecting(0, run_arguments(manifest, whole));

  int killed = 0;
  std::set<std::string> killed_midway, orphaned;
  {
    WorkerProcesses workers(worker_count, [&](std::size_t) {
      ChildCommand command{.words = run_arguments(manifest, disturbed),
                           .environment = {},
                           .cores = {},
                           .folder = folder.path(),
                           .log = folder / "workers.log"};
      command.words.insert(command.words.begin(), GAUSSCSE_PROGRAM);
      // Killed trainings are failures of the machine: no number of them in a row ends a worker here.
      command.words.insert(command.words.end(), {"--lease", "1", "--machine-failures", std::to_string(kills + 1)});
      return command;
    });
    std::set<fs::path> seen;
    while (workers.run()) {
      ::poll(nullptr, 0, 5);
      std::error_code none_yet;
      for (const fs::directory_entry& entry : fs::directory_iterator(disturbed / "unfinished", none_yet)) {
        // Each generation of a trial's claim is disturbed once.
        if (killed == kills || seen.count(entry.path()) > 0) continue;
        const std::optional<Process> training = stopped_midway(entry.path(), workers);
        if (!training) continue;
        if (killed % 2 == 0) {
          workers.kill(*workers.number_of(training->parent));
          orphaned.insert(entry.path().stem());
        } else {
          ::kill(training->id, SIGKILL);
          killed_midway.insert(entry.path().stem());
        }
        ++killed;
        seen.insert(entry.path());
      }
    }
  }
  EXPECT_EQ(killed, kills);
  count_disturbance("SIGKILL to workers and trainings of a study", static_cast<std::size_t>(killed));
  std::vector<std::string> again = run_arguments(manifest, disturbed);
  again.push_back("--retry-failed");
  const ProgramRun last = run_expecting(0, again);

  const std::set<std::string> identities = names_in(whole / "trials");
  ASSERT_EQ(identities.size(), 12u);
  ASSERT_EQ(names_in(disturbed / "trials"), identities);
  for (const std::string& identity : identities) {
    SCOPED_TRACE(identity);
    ASSERT_NO_FATAL_FAILURE(expect_same_result(whole / "trials" / identity, disturbed / "trials" / identity));
    const std::string log = read_whole_file(disturbed / "trials" / identity / "log.txt", 1 << 20);
    const bool goes_on = log.find("going on after step") != std::string::npos;
    if (killed_midway.count(identity) > 0) {
      EXPECT_TRUE(goes_on) << log;
    }
    // Without its worker a training is asked to stop. One that had made its last step may end instead.
    if (orphaned.count(identity) > 0) {
      EXPECT_TRUE(goes_on || log.find("has its result already") != std::string::npos) << log;
    }
  }
  EXPECT_EQ(index_bytes(read_study(disturbed), disturbed), read_whole_file(disturbed / "index.h5", 1 << 24));
  for (const char* empty : {"claims", "unfinished", "failed"})
    EXPECT_TRUE(names_in(disturbed / empty).empty()) << empty;
}

}  // namespace
}  // namespace gausscse
