#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "results/embeddings_file.hpp"
#include "results/json_report.hpp"
#include "results/result_file.hpp"
#include "results/result_text.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"
#include "tests/training/checkpoint/sample_state.hpp"
#include "training/checkpoint/checkpoint_file.hpp"
#include "training/checkpoint/checkpoint_text.hpp"

namespace gausscse {
namespace {

using nlohmann::json;
TEST(Show, AResult) {
  const TemporaryFolder folder;
  const std::string path = (folder / "result.h5").string();
  const RunResult result = sample_result();
  write_result(path, result);
  EXPECT_EQ(run_expecting(0, {"show", path, "--json", "-"}).output, json_report(result));
  // Standard output is a file here, hence plain.
  const std::string text = "result of a run " + path + "\n" + result_text(result, CurveStyle::plain);
  EXPECT_EQ(run_expecting(0, {"show", path}).output, text);
  const std::string file = (folder / "shown.json").string();
  EXPECT_EQ(run_program({"show", path, "--json", file}).output, text);
  EXPECT_EQ(read_whole_file(file, 1 << 20), json_report(result));
  run_expecting(2, {"show", path, "--json", path}, {"is the file that is read as PATH"});
}

TEST(Show, OtherFilesAreToldByWhatTheyAre) {
  const TemporaryFolder folder;
  for (const auto& [names, notes] : {std::pair{std::vector<std::string>{"mean", "log_var"}, "(mean and log_var)"},
                                     {std::vector<std::string>{"embedding"}, "(embedding)"}}) {
    const std::string path = (folder / concat(names.front(), ".h5")).string();
    EmbeddingsWriter writer(path, names, 2, 3);
    const std::vector<float> rows(6, 0.5f);
    writer.append(std::vector<std::span<const float>>(names.size(), rows));
    writer.commit();
    run_expecting(2, {"show", path}, {concat(path, ": this is a file of embeddings, as `encode` writes it ", notes)});
  }
  const std::string path = (folder / "result.h5.gz").string();
  write_bytes(path, "\x1F\x8B\x08");
  run_expecting(2, {"show", path}, {path + ": this is gzip data: unpack it first (gunzip)"});
}

TEST(Show, ADamagedResultIsRefusedByName) {
  const TemporaryFolder folder;
  const std::string path = (folder / "result.h5").string();
  write_result(path, sample_result());
  const std::string bytes = read_whole_file(path, 1 << 20);
  std::string one_bit = bytes, first_sector = bytes;
  one_bit[bytes.size() / 2] = static_cast<char>(one_bit[bytes.size() / 2] ^ 1);
  first_sector.replace(0, 512, 512, '\0');
  for (const std::string& damaged : {one_bit, first_sector, bytes.substr(0, 600), bytes.substr(0, 100)}) {
    write_bytes(path, damaged);
    const ProgramRun run = run_expecting(2, {"show", path});
    EXPECT_EQ(run.output, "");
    EXPECT_TRUE(says(run.errors, path + ": damaged: "));
  }
}

/// Returns the output of `gausscse show` on a terminal.
std::string shown_on_a_terminal(const std::string& path) {
  termios unchanged{};
  cfmakeraw(&unchanged);
  int terminal = -1;
  const pid_t process = forkpty(&terminal, nullptr, &unchanged, nullptr);
  if (process == 0) {
    execl(GAUSSCSE_PROGRAM, GAUSSCSE_PROGRAM, "show", path.c_str(), nullptr);
    _exit(127);
  }
  EXPECT_GT(process, 0);
  std::string text;
  char piece[4096];
  // An error means that nobody has the other end any more.
  for (ssize_t size = 0; (size = read(terminal, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<std::size_t>(size));
  close(terminal);
  int status = -1;
  EXPECT_EQ(waitpid(process, &status, 0), process);
  EXPECT_EQ(status, 0) << text;
  return text;
}

TEST(Show, DrawsCurvesOnATerminal) {
  const TemporaryFolder folder;
  const std::string path = (folder / "result.h5").string();
  const RunResult result = sample_result();
  write_result(path, result);
  const std::string drawn = result_text(result, CurveStyle::sparkline);
  ASSERT_NE(drawn, result_text(result, CurveStyle::plain));
  EXPECT_EQ(shown_on_a_terminal(path), "result of a run " + path + "\n" + drawn);
}

TEST(Show, PrintsOnceUnderMpi) {
  const TemporaryFolder folder;
  const std::string path = (folder / "result.h5").string();
  write_result(path, sample_result());
  // As JSON, since mpiexec's standard output may pass for a terminal.
  const ProgramRun run = run_expecting(0, {"show", path, "--json", "-"}, {}, 2);
  EXPECT_EQ(json::parse(run.output), json::parse(run_program({"show", path, "--json", "-"}).output));
}

TEST(Show, ACheckpoint) {
  const TemporaryFolder folder;
  const std::string path = (folder / "step-7.safetensors").string();
  const TrainingState state = sample_state(7);
  write_checkpoint(path, state);
  const json shown = json::parse(run_program({"show", path, "--json", "-"}).output);
  EXPECT_EQ(shown.at("kind"), "checkpoint");
  EXPECT_EQ(shown.at("step"), 7);
  EXPECT_EQ(shown.at("configuration"), state.configuration);
  EXPECT_EQ(shown.at("best").at("step"), state.best_step);
  EXPECT_EQ(shown.at("best").at("figure"), state.best_metric);
  EXPECT_EQ(shown.at("training").at("loss"), json(state.training.loss));
  ASSERT_FALSE(state.curves.empty());
  for (const Curve& curve : state.curves) {
    const json& of_task = shown.at("curves").at(curve.task);
    EXPECT_EQ(of_task.at("step"), json(curve.step));
    for (const Curve::Line& line : curve.lines) EXPECT_EQ(of_task.at(line.metric).dump(), json(line.values).dump());
  }
  const ProgramRun run = run_expecting(0, {"show", path});
  EXPECT_TRUE(says(run.output, "checkpoint " + path + "\n  after 7 steps"));
  EXPECT_EQ(state.best_step, 3);
  EXPECT_TRUE(says(run.output, "the best state so far is that after 3 steps\n"));
}

TEST(Show, ACheckpointWhoseBestStateIsTheUntrainedOne) {
  TrainingState state = sample_state(7);
  state.best_step = 0;
  EXPECT_TRUE(says(checkpoint_text(state, CurveStyle::plain),
                   "the best state so far is that after 0 steps: the untrained state: no step gave a better one\n"));
}

TEST(Show, ASavedModel) {
  const TemporaryFolder folder;
  const TinyProject project(folder.path());
  const std::string path = (folder / "saved").string();
  save_tiny_model(project, path, {.similarity = Similarity::joint, .threshold = 0.375, .state = "best", .step = 23});
  const json shown = json::parse(run_program({"show", path, "--json", "-"}).output);
  EXPECT_EQ(shown.at("kind"), "model");
  EXPECT_EQ(shown.at("state"), "best");
  EXPECT_EQ(shown.at("step"), 23);
  EXPECT_EQ(shown.at("similarity"), "joint");
  EXPECT_EQ(shown.at("threshold"), 0.375);
  EXPECT_EQ(shown.at("max_tokens"), 16);
  EXPECT_EQ(shown.at("precision"), "fp32");
  EXPECT_EQ(shown.at("encoder").at("hidden_size"), 32);
  EXPECT_EQ(shown.at("encoder").at("vocabulary_size"), 60);
  const ProgramRun run = run_expecting(0, {"show", path});
  EXPECT_TRUE(says(run.output, "best state of its training, after 23 steps"));
  EXPECT_TRUE(says(run.output, "similarity joint, from 0.375 on entailment"));
}

TEST(Show, RefusesWhatIsNoneOfThem) {
  const TemporaryFolder folder;
  write_bytes(folder / "text.txt", "words");
  write_bytes(folder / "half.safetensors", "words");
  for (const std::string& name :
       {std::string("text.txt"), std::string("half.safetensors"), std::string("none"), std::string(".")}) {
    EXPECT_TRUE(ended(run_program({"show", (folder / name).string()}), 2, {name})) << name;
  }
}

}  // namespace
}  // namespace gausscse
