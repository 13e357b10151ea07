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

}  // namespace
}  // namespace gausscse
