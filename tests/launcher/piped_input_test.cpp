#include <fcntl.h>
#include <sys/stat.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "results/result_file.hpp"
#include "tests/launcher/tiny_model.hpp"
#include "tests/results/sample_result.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
/// Commands that read through a pipe the input that they read from a file otherwise.
class PipedInputs : public TinyProjectTest {
 protected:
  PipedInputs() : model_(path("saved")) { save_tiny_model(project_, model_, {}); }

  /// Runs the program, where `file` represents the path of a pipe that gives the file's bytes once.
  ProgramRun run_with_pipe(std::vector<std::string> arguments, const std::string& file) {
    const fs::path pipe = folder_ / concat("pipe-", pipes_++);
    EXPECT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (std::string& argument : arguments)
      if (const std::size_t place = argument.find(file); place != std::string::npos)
        argument.replace(place, file.size(), pipe.string());
    const std::string bytes = read_whole_file(file, 1 << 20);
    std::thread writer([&] {
      const FileDescriptor end(::open(pipe.c_str(), O_WRONLY));
      EXPECT_EQ(::write(end.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    });
    ProgramRun run = run_program(arguments);
    // Where the program did not, somebody must read.
    const FileDescriptor other_end(::open(pipe.c_str(), O_RDONLY | O_NONBLOCK));
    writer.join();
    return run;
  }

  /// Returns the output of a shell that runs the program with `input` as its standard input.
  std::string output_of_shell(const std::string& arguments, const std::string& input) {
    write_bytes(folder_ / "input", input);
    const std::string command = concat("cat '", path("input"), "' | '", GAUSSCSE_PROGRAM, "' ", arguments);
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) return "no shell";
    char piece[4096];
    for (std::size_t count = 0; (count = std::fread(piece, 1, sizeof piece, pipe)) > 0;) output.append(piece, count);
    EXPECT_EQ(::pclose(pipe), 0) << command;
    return output;
  }

  std::string model_;
  int pipes_ = 0;
};

TEST_F(PipedInputs, GiveWhatTheirFilesGive) {
  const std::string sentences = file("in.txt", lines_of(tiny_sentences(40, 3)));
  const std::string first = path("a.h5"), second = path("b.h5");
  run_expecting(0, {"encode", model_, sentences, first});
  EXPECT_TRUE(ended(run_with_pipe({"encode", model_, sentences, second}, sentences), 0));
  EXPECT_TRUE(read_whole_file(first, 1 << 22) == read_whole_file(second, 1 << 22));

  const std::string pairs = file("pairs.txt", "w0 w1\tw0\nw2\tw3 w4\n");
  const ProgramRun scored = run_with_pipe({"score", model_, pairs}, pairs);
  EXPECT_EQ(scored.exit_code, 0) << scored.errors;
  EXPECT_EQ(scored.output, run_program({"score", model_, pairs}).output);

  const std::string queries = file("queries.txt", "w0 w1\nw2\n");
  const std::string found = run_program({"search", model_, sentences, queries}).output;
  EXPECT_EQ(run_with_pipe({"search", model_, sentences, queries}, sentences).output, found);
  EXPECT_EQ(run_with_pipe({"search", model_, sentences, queries}, queries).output, found);
  EXPECT_EQ(run_with_pipe({"search", model_, first, queries, "--text", sentences}, first).output, found);
  run_expecting(0, {"similarity", model_, sentences, queries, path("read.npy")});
  EXPECT_TRUE(ended(run_with_pipe({"similarity", model_, sentences, queries, path("piped.npy")}, queries), 0));
  EXPECT_TRUE(read_whole_file(path("read.npy"), 1 << 20) == read_whole_file(path("piped.npy"), 1 << 20));

  const std::string test = project_.test().string();
  const ProgramRun evaluated = run_with_pipe({"eval", model_, "--test", "tiny=" + test}, test);
  EXPECT_EQ(evaluated.exit_code, 0) << evaluated.errors;
  EXPECT_EQ(evaluated.output, run_program({"eval", model_, "--test", "tiny=" + test}).output);
  const std::string tasks = file("tasks.yaml", concat("tasks:\n  tiny: {kind: nli, files: ", test, "}\n"));
  const ProgramRun with_tasks = run_with_pipe({"eval", model_, "--tasks", tasks}, tasks);
  EXPECT_EQ(with_tasks.exit_code, 0) << with_tasks.errors;
  EXPECT_EQ(with_tasks.output, run_program({"eval", model_, "--tasks", tasks}).output);
}

TEST_F(PipedInputs, ADashIsStandardInput) {
  EXPECT_EQ(output_of_shell(concat("tokenize '", project_.model().string(), "' -"), "w0 w1\nw3\n"), "2 5 6 3\n2 8 3\n");
  EXPECT_EQ(output_of_shell(concat("tokenize '", project_.model().string(), "' /dev/stdin"), "w0 w1\nw3\n"),
            "2 5 6 3\n2 8 3\n");
  EXPECT_EQ(output_of_shell(concat("score '", model_, "' - 2>/dev/null"), "w0 w1\tw0\n"),
            run_program({"score", model_, file("pairs.txt", "w0 w1\tw0\n")}).output);
  const std::string piped = path("piped.h5"), read = path("read.h5");
  output_of_shell(concat("encode '", model_, "' - '", piped, "' 2>/dev/null"), "w0 w1\nw3\n");
  run_expecting(0, {"encode", model_, file("in.txt", "w0 w1\nw3\n"), read});
  EXPECT_TRUE(read_whole_file(piped, 1 << 20) == read_whole_file(read, 1 << 20));
}

TEST_F(PipedInputs, AreRefusedToSeveralRanks) {
  const std::string in = file("in.txt", "w1\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"score", model_, "-"},
                                                                     {"search", model_, "-", in},
                                                                     {"search", model_, in, "-"},
                                                                     {"search", model_, in, in, "--text", "-"},
                                                                     {"similarity", model_, in, "-", path("m.h5")}})
    run_expecting(2, arguments, {"-: is a pipe, which only one process can read, but there are 2 ranks"}, 2);
}

/// Words that the tiny vocabulary lacks, as a model for English lacks most of Japanese.
TEST_F(PipedInputs, SentencesOfUnknownWordsAreAWarningOfEachCommand) {
  const std::string in = file("in.txt", "\u65e5\u672c\u8a9e w1\nw2 w3\n"), out = path("out.h5");
  // One token of each character, all unknown, of six.
  const std::string notes = "50.0 % of 6 tokens are unknown to the tokenizer, as in \"\u65e5\u672c\u8a9e w1\"";
  EXPECT_TRUE(says(run_program({"tokenize", project_.model().string(), in}).errors, notes));
  EXPECT_TRUE(says(run_program({"encode", model_, in, out}).errors, notes));
  EXPECT_FALSE(says(run_program({"encode", model_, file("known.txt", "w1 w2\n"), out, "--overwrite"}).errors,
                    "unknown to the tokenizer"));
  const std::string pairs = file("pairs.txt", "\u65e5\u672c\u8a9e w1\tw2 w3\n");
  EXPECT_TRUE(says(run_program({"score", model_, pairs}).errors, notes));
  // w1 and w10 to w19 of the 55 words.
  const auto without_a_fifth = [&](const fs::path& corpus) {
    std::string text = read_whole_file(corpus, 1 << 20);
    for (std::size_t at = 0; (at = text.find("w1", at)) != std::string::npos;) text.replace(at, 2, "x");
    return text;
  };
  EXPECT_TRUE(says(
      run_program({"eval", model_, "--test", "tiny=" + file("unknown.jsonl", without_a_fifth(project_.test()))}).errors,
      "tokens are unknown to the tokenizer, as in \""));
  const std::vector<std::string> arguments = train_arguments(
      project_, "", {"data.train=[" + file("unknown-train.jsonl", without_a_fifth(project_.train())) + "]"});
  // The second reads the cache of the first.
  for (const auto& each : {arguments, with(arguments, {"--set", "output=again"})})
    run_expecting(0, each, {"tokens are unknown to the tokenizer"});
}

/// mpirun gives its ranks none of the pipes that a shell opened for it.
TEST_F(PipedInputs, ThatTheProcessDoesNotHaveAreNamed) {
  const std::string pipe = "/dev/fd/963";
  run_expecting(2, {"score", model_, pipe},
                {pipe + ": is a pipe, which only one process can read, but there are 2 ranks"}, 2);
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"train", pipe},
                                                                     {"score", model_, pipe},
                                                                     {"tokenize", project_.model().string(), pipe},
                                                                     {"eval", model_, "--tasks", pipe}}) {
    EXPECT_TRUE(ended(run_program(arguments), 2,
                      {pipe + ": no such file: this pipe, such as that of <(...), belongs to one process"}))
        << arguments.front();
  }
  EXPECT_TRUE(says(run_program({"score", pipe, file("pairs.txt", "w0\tw1\n")}).errors,
                   pipe + ": is a pipe, and a model is read more than once"));
}

/// Before anything of it is read as word vectors.
TEST_F(PipedInputs, WhatIsNoModelIsNamedByEachCommand) {
  const std::string result = path("result.h5"), in = file("in.txt", "w0 w1\tw0\n");
  write_result(result, sample_result());
  const std::string model = path("model");
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"encode", result, in, path("o.h5")},
                                                                     {"eval", result, "--test", "a=" + in},
                                                                     {"score", result, in},
                                                                     {"geometry", result, in},
                                                                     {"geometry", model, in, "--before", result},
                                                                     {"tokenize", result, in}}) {
    const ProgramRun run = run_program(arguments);
    EXPECT_EQ(run.exit_code, 2) << arguments.front();
    EXPECT_TRUE(
        says(run.errors, concat(result, ": this is a result of a run: give ", folder_.path().string(), " or ", model)))
        << arguments.front();
    EXPECT_FALSE(says(run.errors, "reading word vectors"));
  }
}

TEST_F(PipedInputs, ADashAsAReportIsStandardOutput) {
  const std::string test = concat("tiny=", project_.test().string()), report = path("report.json");
  run_expecting(0, {"eval", model_, "--test", test, "--json", report});
  const ProgramRun run = run_expecting(0, {"eval", model_, "--test", test, "--json", "-"});
  EXPECT_EQ(run.output, read_whole_file(report, 1 << 20));
  EXPECT_TRUE(json::accept(run.output));
  run_expecting(2, {"encode", model_, file("in.txt", "w0\n"), "-"}, {"OUT - is not standard output here"});
  EXPECT_FALSE(fs::exists("-"));
}

/// Each command names its own way to leave bad lines out.
TEST_F(PipedInputs, AdviceOnBadLinesIsThatOfTheCommand) {
  const std::string bad = file("bad.jsonl", read_whole_file(project_.test(), 1 << 20) + "no pair\n");
  const auto errors_of = [](const std::vector<std::string>& arguments) {
    const ProgramRun run = run_expecting(2, arguments);
    EXPECT_EQ(run.errors.find("data.bad_lines") != std::string::npos, arguments.front() == "train") << run.errors;
    return run.errors;
  };
  const std::string flag = "; to skip bad lines and count them, give --skip-bad-lines";
  EXPECT_TRUE(says(errors_of({"eval", model_, "--test", "tiny=" + bad}), flag));
  EXPECT_TRUE(says(errors_of({"encode", model_, file("bad.txt", "\xFF\n"), path("out.h5")}), flag));
  EXPECT_TRUE(says(errors_of({"score", model_, bad}), flag));
  EXPECT_TRUE(says(errors_of(train_arguments(project_, "", {"data.train=[" + bad + "]"})),
                   "; to skip bad lines and count them, set data.bad_lines: skip"));
}

}  // namespace
}  // namespace gausscse
