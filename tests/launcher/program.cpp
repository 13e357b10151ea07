#include "tests/launcher/program.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_calls.hpp"
#include "base/philox.hpp"
#include "results/result_file.hpp"
#include "tests/launcher/prepare_process.hpp"
#include "tests/launcher/served_request.hpp"
#include "tests/launcher/served_run.hpp"
#include "tests/support/disturbances.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t largest_log = std::size_t{64} << 20;

const std::vector<std::string>& vocabulary() {
  static const std::vector<std::string> words = [] {
    std::vector<std::string> all{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    for (int i = 0; i < 55; ++i) all.push_back(std::string("w").append(std::to_string(i)));
    return all;
  }();
  return words;
}

std::string sentence(PhiloxStream& stream, std::uint32_t least) {
  std::string text;
  const std::uint32_t count = least + stream.below(6);
  for (std::uint32_t i = 0; i < count; ++i) text += (text.empty() ? "" : " ") + vocabulary()[5 + stream.below(55)];
  return text;
}

std::string corpus(std::uint64_t seed, int premises) {
  PhiloxStream stream(seed, 7);
  std::string lines;
  for (int i = 0; i < premises; ++i) {
    const std::string premise = sentence(stream, 4);
    for (const char* label : {"entailment", "neutral", "contradiction"})
      lines += std::string("{\"gold_label\": \"") + label + "\", \"sentence1\": \"" + premise +
               "\", \"sentence2\": \"" + sentence(stream, 2) + "\", \"pairID\": \"" + std::to_string(i) + label[0] +
               "\"}\n";
  }
  return lines;
}

std::string scored_pairs(std::uint64_t seed, int count) {
  PhiloxStream stream(seed, 8);
  std::string lines;
  for (int i = 0; i < count; ++i)
    lines += concat("genre\tfile\tyear\t", i, "\t", stream.below(11) / 2.0, "\t", sentence(stream, 2), "\t",
                    sentence(stream, 2), "\n");
  return lines;
}

using Environment = std::vector<std::pair<std::string, std::string>>;

/// Returns the settings' environment, and the variables that ask for their signals, each of which adds a byte to the
/// file `sent`.
Environment environment_of(const RunSettings& settings, const fs::path& sent) {
  Environment environment = settings.environment;
  if (settings.signals.empty()) return environment;
  std::string list;
  for (const SignalAtCall& signal : settings.signals)
    list += concat(list.empty() ? "" : ",", signal.signal, ":", signal.kind, ":", signal.k);
  environment.emplace_back("LD_PRELOAD", GAUSSCSE_SIGNAL_AT_CALL);
  environment.emplace_back("GAUSSCSE_TEST_SIGNALS", list);
  environment.emplace_back("GAUSSCSE_TEST_SENT", sent.string());
  if (settings.signalled_rank >= 0)
    environment.emplace_back("GAUSSCSE_TEST_SIGNALLED_RANK", std::to_string(settings.signalled_rank));
  return environment;
}

/// Returns the command that starts the program, or the ranks of it, with an environment that is given to the ranks.
std::vector<std::string> words_of(const std::vector<std::string>& arguments, const RunSettings& settings,
                                  const Environment& environment) {
  std::vector<std::string> words = settings.before;
  if (settings.ranks > 0) {
    words.insert(words.end(), {GAUSSCSE_MPIEXEC, "--oversubscribe"});
    words.insert(words.end(), settings.mpiexec_options.begin(), settings.mpiexec_options.end());
    // mpiexec itself must not see variables for the ranks, such as LD_PRELOAD.
    for (const auto& [name, value] : environment) words.insert(words.end(), {"-x", concat(name, "=", value)});
  }
  const auto add_program = [&](int ranks, const std::vector<std::string>& given, const fs::path& program = {}) {
    if (ranks > 0) words.insert(words.end(), {"-n", std::to_string(ranks)});
    words.push_back(program.empty() ? GAUSSCSE_PROGRAM : program.string());
    words.insert(words.end(), given.begin(), given.end());
  };
  if (settings.last_rank_arguments.empty()) {
    add_program(settings.ranks, arguments, settings.program);
  } else {
    add_program(settings.ranks - 1, arguments, settings.program);
    words.push_back(":");
    add_program(1, settings.last_rank_arguments, settings.last_rank_program);
  }
  return words;
}

/// Starts the command, waits for its end and returns the status of waitpid.
int run_started(std::vector<std::string> words, const RunSettings& settings, const Environment& environment, int output,
                int errors) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("fork failed");
  if (child == 0) {
    set_program_environment();
    // mpiexec's -x does not reach the last rank's own command; its environment does.
    for (const auto& [name, value] : environment)
      if (settings.ranks == 0 || name == server_variable) setenv(name.c_str(), value.c_str(), 1);
    set_streams(output, errors, settings.largest_file);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// Returns whether forks of a process that has loaded its libraries can be the run, or its ranks. `run` starts the file
/// that it is itself, and a rank that mpiexec binds looks for its launcher among its parents.
bool can_be_served(const std::vector<std::string>& arguments, const RunSettings& settings) {
  const bool preloads = std::any_of(settings.environment.begin(), settings.environment.end(),
                                    [](const auto& variable) { return variable.first == "LD_PRELOAD"; });
  const bool plain = settings.before.empty() && settings.program.empty() && settings.last_rank_program.empty() &&
                     settings.signals.empty() && !preloads && !arguments.empty() && arguments.front() != "run";
  const bool ranks_are_plain = settings.largest_file == 0 && settings.mpiexec_options == RunSettings().mpiexec_options;
  return plain && (settings.ranks == 0 || ranks_are_plain);
}

FileDescriptor open_to_write(const fs::path& path) {
  return FileDescriptor(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
}

}  // namespace

ProgramRun run_program(const std::vector<std::string>& arguments, const RunSettings& settings) {
  const TemporaryFolder folder;
  const fs::path output = folder / "output", errors = folder / "errors", sent = folder / "sent";
  const FileDescriptor to_output = open_to_write(settings.standard_output.empty() ? output : settings.standard_output);
  const FileDescriptor to_errors = open_to_write(errors);
  int status = 0;
  const bool is_served = can_be_served(arguments, settings);
  if (is_served && settings.ranks == 0) {
    status = run_served(arguments, settings.environment, settings.largest_file, to_output.get(), to_errors.get());
  } else {
    Environment environment = environment_of(settings, sent);
    RunSettings started = settings;
    if (is_served) {
      environment.emplace_back(server_variable, server_name(arguments));
      started.program = started.last_rank_program = GAUSSCSE_SERVED_RANK;
    }
    status =
        run_started(words_of(arguments, started, environment), started, environment, to_output.get(), to_errors.get());
  }
  ProgramRun run;
  for (const char signal : fs::exists(sent) ? read_whole_file(sent, 100) : std::string()) {
    ++run.signals_sent;
    count_disturbance(concat("SIG", sigabbrev_np(signal), " to a process of the program, before a chosen call"));
  }
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (settings.standard_output.empty()) run.output = read_whole_file(output, largest_log);
  run.errors = read_whole_file(errors, largest_log);
  return run;
}

testing::AssertionResult ended(const ProgramRun& run, int exit_code, const std::vector<std::string>& texts) {
  if (run.exit_code != exit_code)
    return testing::AssertionFailure() << "exit code " << run.exit_code << " in place of " << exit_code << ": "
                                       << run.errors;
  for (const std::string& text : texts)
    if (const testing::AssertionResult said = says(run.errors, text); !said) return said;
  return testing::AssertionSuccess();
}

ProgramRun run_expecting(int exit_code, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& texts, const RunSettings& settings, const char* file,
                         int line) {
  ProgramRun run = run_program(arguments, settings);
  const testing::ScopedTrace trace(file, line, testing::PrintToString(arguments));
  EXPECT_TRUE(ended(run, exit_code, texts));
  return run;
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

namespace {

std::vector<int> processes_with(const fs::path& argument) {
  std::vector<int> found;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    // A process may end meanwhile: its file is then empty or gone.
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    for (std::string word; std::getline(file, word, '\0');)
      if (word == argument.string()) found.push_back(std::stoi(name));
  }
  return found;
}

/// Returns when the process has ended, or after `seconds`.
void wait_for_end_of(int process, int seconds) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (descriptor < 0) return;
  pollfd ended{descriptor, POLLIN, 0};
  poll(&ended, 1, seconds * 1000);
  close(descriptor);
}

}  // namespace

std::vector<int> processes_left_with(const fs::path& argument) {
  // mpiexec does not wait for the ranks that it has killed.
  for (const int process : processes_with(argument)) wait_for_end_of(process, 30);
  return processes_with(argument);
}

TinyProject::TinyProject(const fs::path& folder) : folder_(folder) {
  fs::create_directories(model());
  fs::copy(golden("weights/tiny-bert"), model(), fs::copy_options::recursive);
  std::string words;
  for (const std::string& word : vocabulary()) words += word + "\n";
  write_bytes(model() / "vocab.txt", words);
  write_bytes(train(), corpus(1, 40));
  write_bytes(dev(), corpus(2, 10));
  write_bytes(test(), corpus(3, 12));
  write_bytes(sts(), scored_pairs(4, 30));
  write_bytes(trial(),
              "format: gausscse-trial/2\n"
              "model: {backbone: {path: model}}\n"
              "data: {train: [train.jsonl], cache: cache}\n"
              "training: {batch_size: 8, learning_rate: 1.0e-3, max_steps: 6, max_tokens: 16}\n"
              "tasks:\n"
              "  dev: {kind: nli, files: dev.jsonl, eval_every: 3}\n"
              "  tiny: {kind: nli, files: test.jsonl, threshold: dev}\n"
              "select: {task: dev, figure: auprc}\n"
              "output: out\n");
}

std::string TinyProjectTest::file(const std::string& name, const std::string& content) const {
  write_bytes(folder_ / name, content);
  return path(name);
}

void append_unlabelled_pair(const fs::path& corpus) {
  write_bytes(corpus, read_whole_file(corpus, 1 << 20) +
                          R"({"gold_label": "-", "sentence1": "w1 w2 w3", "sentence2": "w1 w2", "pairID": "x"})"
                          "\n");
}

std::vector<std::string> train_arguments(const TinyProject& project, const std::string& output,
                                         const std::vector<std::string>& overrides) {
  std::vector<std::string> arguments{"train", project.trial().string(), "--threads", "1"};
  const auto set = [&](const std::string& override_text) {
    arguments.push_back("--set");
    arguments.push_back(override_text);
  };
  if (!output.empty()) set("output=" + output);
  for (const std::string& override_text : overrides) set(override_text);
  return arguments;
}

RunResult train_to_result(const TinyProject& project, const std::string& output, int ranks,
                          const std::vector<std::string>& overrides) {
  const ProgramRun run = run_program(train_arguments(project, output, overrides), ranks);
  EXPECT_EQ(run.exit_code, 0) << run.errors;
  return read_result(project.output(output) / "result.h5");
}

}  // namespace gausscse
