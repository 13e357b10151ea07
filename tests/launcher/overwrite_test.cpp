#include "tests/launcher/program.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using Overwrite = TinyProjectTest;

/// There is no model and no result: with --overwrite, a later message comes from these.
TEST_F(Overwrite, NoCommandReplacesAFileWithoutIt) {
  const std::string none = path("none"), text = file("in.txt", "w0\n"), dev = project_.dev().string();
  const std::vector<std::string> eval{"eval", none, "--dev", dev}, search{"search", none, text, text},
      mteb{"--mteb-json",     path("mteb"),
           "--mteb-model",    "lab/tiny",
           "--mteb-task",     "sts=S",
           "--tasks",         file("tasks.yaml", "tasks: {sts: {kind: sts, files: sts.csv}}\n"),
           "--mteb-revision", "main"};
  std::filesystem::create_directories(path("mteb/lab__tiny/main"));
  std::vector<std::pair<std::vector<std::string>, std::string>> commands{
      {{"encode", none, text}, "OUT.h5"},
      {{"apply", none, text}, "OUT.h5"},
      {{"similarity", none, text, text}, "OUT.npy"},
      {{"export", none, "--as", "features", "--side", "query", "--direction", "entails", "--sentences", text},
       "OUT.npy"},
      {{"score", none, text}, "--json"},
      {{"geometry", none, text}, "--json"},
      {{"show", none}, "--json"},
      {{"lengths", none}, "--json"},
      {{"tokenize", project_.model().string(), none}, "--json"},
      {eval, "--json"},
      {eval, "--save-calibration"},
      {with({"eval", none}, mteb), "mteb/lab__tiny/main/S.json"},
      {search, "--json"},
      {with(search, {"--direction", "entails"}), "--out.tsv"},
      {with(search, {"--top", "2"}), "--mine.csv"},
      {{"init", "--backbone", none, "--train", project_.train().string()}, "TRIAL.yaml"}};
  if (GAUSSCSE_HAS_STUDIES) {
    commands.push_back({{"compare", none, none}, "--json"});
    commands.push_back({{"run", none, "--results", path("results"), "--dry-run"}, "--json"});
  }
  for (auto [arguments, output] : commands) {
    const std::string command = arguments.front(), there = file(output, "mine");
    SCOPED_TRACE(concat(command, " ", output));
    const std::string name = output.substr(0, output.find('.'));
    const bool is_of_mteb = name.starts_with("mteb");
    if (name.starts_with("-"))
      arguments.insert(arguments.end(), {name, there});
    else if (!is_of_mteb)
      arguments.push_back(there);
    run_expecting(2, arguments,
                  {concat(is_of_mteb ? "--mteb-json" : name, " ", there,
                          " is there already: give another path, or --overwrite to replace it")});
    EXPECT_EQ(read_whole_file(there, 100), "mine");
    const ProgramRun replacing = run_expecting(2, with(arguments, {"--overwrite"}));
    EXPECT_FALSE(says(replacing.errors, "is there already")) << replacing.errors;
    EXPECT_EQ(read_whole_file(there, 100), "mine") << "nothing was made";
  }
}

/// A command whose output is given by the last option or argument, and the names by which it reads the files m, a, b,
/// ...
struct ReadFiles {
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> names;  ///< letter and name
};

/// Not even with --overwrite does an output take the place of an input.
TEST_F(Overwrite, NoCommandReplacesAFileThatItReads) {
  for (const char* name : {"m", "a", "b", "c", "d"}) file(concat(name, ".jsonl"), "w0 1 2\n");
  const std::vector<ReadFiles> commands{
      {{"encode", "m", "a"}, {{"m", "MODEL"}, {"a", "IN"}}},
      {{"apply", "m", "a"}, {{"m", "HEAD"}, {"a", "VECTORS"}}},
      {{"similarity", "m", "a", "b"}, {{"m", "MODEL"}, {"a", "A"}, {"b", "B"}}},
      {{"export", "m", "--as", "features", "--side", "query", "--direction", "entails", "--sentences", "a"},
       {{"m", "MODEL"}, {"a", "--sentences"}}},
      {{"geometry", "m", "a", "--json"}, {{"m", "MODEL"}, {"a", "FILE"}}},
      {{"lengths", "a", "b", "--json"}, {{"a", "FILE"}, {"b", "FILE"}}},
      {{"score", "m", "a", "--probability", "--calibration", "b", "--json"},
       {{"m", "MODEL"}, {"a", "PAIRS"}, {"b", "--calibration"}}},
      {{"search", "m", "a", "b", "c", "--calibration", "d", "--json"},
       {{"m", "MODEL"}, {"a", "CORPUS"}, {"b", "CORPUS"}, {"c", "QUERIES"}, {"d", "--calibration"}}},
      {{"search", "m", "a", "b", "c", "--calibration", "d", "--out"},
       {{"m", "MODEL"}, {"a", "CORPUS"}, {"b", "CORPUS"}, {"c", "QUERIES"}, {"d", "--calibration"}}},
      {{"search", "m", "a", "b", "--mine"}, {{"m", "MODEL"}, {"a", "CORPUS"}, {"b", "QUERIES"}}},
      {{"eval", "m", "--dev", "a", "--test", "b", "--retrieval", "c", "--calibration", "d", "--json"},
       {{"m", "MODEL"}, {"a", "the set dev"}, {"b", "the set b"}, {"c", "the set c"}, {"d", "--calibration"}}},
      {{"eval", "m", "--dev", "a", "--test", "b", "--retrieval", "c", "--save-calibration"},
       {{"m", "MODEL"}, {"a", "the set dev"}, {"b", "the set b"}, {"c", "the set c"}}},
      {{"init", "--backbone", "m", "--dev", "a", "--test", "b", "--train", "c", "--train", "d"},
       {{"m", "--backbone"}, {"a", "--dev"}, {"b", "--test"}, {"c", "--train"}, {"d", "--train"}}}};
  for (const ReadFiles& command : commands) {
    const bool is_option = command.arguments.back().starts_with("--");
    for (const auto& [letter, name] : command.names) {
      std::vector<std::string> arguments;
      for (const std::string& word : command.arguments)
        arguments.push_back(word.size() == 1 ? path(word + ".jsonl") : word);
      const std::string output = is_option                             ? command.arguments.back()
                                 : command.arguments.front() == "init" ? "TRIAL"
                                                                       : "OUT",
                        file = path(letter + ".jsonl");
      SCOPED_TRACE(concat(command.arguments.front(), " ", output, " ", name));
      if (command.arguments.front() == "init")
        arguments.insert(arguments.begin() + 1, file);
      else
        arguments.push_back(file);
      run_expecting(2, with(arguments, {"--overwrite"}),
                    {concat(output, " ", file, " is the file that is read as ", name, " (", file,
                            "), and would be lost: give another path")});
      EXPECT_EQ(read_whole_file(file, 100), "w0 1 2\n");
    }
  }
}

}  // namespace
}  // namespace gausscse
