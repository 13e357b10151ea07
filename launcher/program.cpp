#include "launcher/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "launcher/command.hpp"
#include "launcher/command_line_error.hpp"
#include "launcher/run_command.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

/// Parts of a command's help besides its options, and the group that it is listed in.
struct CommandHelp {
  const char* command;
  const char* group;
  const char* example;
  const char* page;  ///< page of docs
};
constexpr const char *to_train = "Train", *to_use = "Use a model", *to_study = "Study", *to_look = "Look";
constexpr CommandHelp command_helps[] = {
    {"train", to_train, "mpirun -np 4 gausscse train trial.yaml --set training.batch_size=512", "trial.md"},
    {"init", to_train, "gausscse init trial.yaml --backbone models/minilm --train train.csv", "data.md"},
    {"generate", to_train, "gausscse generate data/generated", "first-run.md"},
    {"eval", to_use, "gausscse eval runs/first/model --dev dev.jsonl", "tasks.md"},
    {"encode", to_use, "gausscse encode runs/first/model sentences.txt embeddings.h5", "results.md"},
    {"apply", to_use, "gausscse apply runs/vectors/model vectors.npy embeddings.h5", "own-data.md"},
    {"score", to_use, "gausscse score runs/first/model pairs.tsv --header", "results.md"},
    {"search", to_use, "gausscse search runs/first/model corpus.txt queries.txt --top 5", "search.md"},
    {"similarity", to_use, "gausscse similarity runs/first/model claims.txt evidence.txt matrix.h5", "search.md"},
    {"export", to_use, "gausscse export runs/first/model out/onnx --as onnx", "export.md"},
    {"tokenize", to_use, "gausscse tokenize models/minilm sentences.txt", "results.md"},
    {"split", to_use, "gausscse split book.txt --locale en-u-ss-standard > sentences.txt", "search.md"},
    {"geometry", to_use, "gausscse geometry models/minilm sentences.txt", "geometry.md"},
    {"run", to_study, "gausscse run manifest.yaml --results runs/study", "studies.md"},
    {"status", to_study, "gausscse status runs/study", "studies.md"},
    {"tables", to_study, "gausscse tables runs/study --format latex", "tables.md"},
    {"report", to_study, "gausscse report runs/study --output page.html", "report.md"},
    {"compare", to_study, "gausscse compare runs/first/result.h5 runs/second/result.h5", "results.md"},
    {"index", to_study, "gausscse index runs/study", "results.md"},
    {"show", to_look, "gausscse show runs/first/result.h5", "results.md"},
    {"lengths", to_look, "gausscse lengths snli_1.0_test.jsonl", "tasks.md"},
    {"doctor", to_look, "mpirun -np 4 gausscse doctor", "slurm.md"},
    {"completion", to_look, "gausscse completion bash > ~/.local/share/bash-completion/completions/gausscse",
     "building.md"}};

/// Help that begins with an example, in front of the usage.
class ExampleFirst : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const auto help = std::find_if(std::begin(command_helps), std::end(command_helps),
                                   [&](const CommandHelp& each) { return app->get_name() == each.command; });
    return concat(help == std::end(command_helps) ? "" : concat("Example: ", help->example, "\n"),
                  CLI::Formatter::make_usage(app, std::move(name)));
  }
};

void add_helps(CLI::App& app) {
  app.footer(
      "Under mpirun or srun, train, eval, encode, score, search, similarity, geometry and doctor compute on all ranks; "
      "all other commands run once.\nStart: README.md. Keys of a trial: gausscse train --keys, docs/trial.md. gausscse "
      "COMMAND --help "
      "shows a command's options.");
  // None of a command on studies in a build without them.
  for (const CommandHelp& help : command_helps)
    for (CLI::App* command :
         app.get_subcommands([&](const CLI::App* each) { return each->get_name() == help.command; })) {
      command->group(help.group);
      command->footer(concat("More: docs/", help.page));
      command->formatter(std::make_shared<ExampleFirst>());
    }
}

/// Prints a problem and returns exit code 2, as for an error of input.
int refuse(const std::string& problem) {
  std::fprintf(stderr, "gausscse: error: %s\n", problem.c_str());
  return 2;
}

}  // namespace

int run_program(int argc, char** argv) {
  // A limit on file sizes is then an error of write, reported like a full disk, and no kill.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Trains sentence encoders whose embeddings are Gaussian distributions.", "gausscse");
  app.set_version_flag("-V,--version", concat("gausscse ", version(), " (", commit(), ")"));
  app.require_subcommand(1);
  app.fallthrough();
  CommonOptions common;
  app.add_flag("-v,--verbose", common.verbose, "log details");
  app.add_flag("-q,--quiet", common.quiet, "log errors only")->excludes("--verbose");
  app.add_option("--threads", common.process.threads,
                 "threads per rank (default: its cores, divided among the ranks that share them)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--timeout", common.process.timeout, "seconds that ranks wait for each other before the job ends")
      ->capture_default_str()
      ->check(number_in(0.1, 1e7));
  app.add_flag("--check-collectives", common.process.check_collectives,
               "compare the ranks' collectives before each call, to find the cause of a hang");
  Action action;
  add_train_command(app, action);
  add_init_command(app, action);
  add_generate_command(app, action);
  add_eval_command(app, action);
  add_encode_command(app, action);
  add_apply_command(app, action);
  add_score_command(app, action);
  add_search_command(app, action);
  add_similarity_command(app, action);
  add_export_command(app, action);
  add_tokenize_command(app, action);
  add_split_command(app, action);
  add_geometry_command(app, action);
  add_study_commands(app, action);
  add_show_command(app, action, result_check_of_studies());
  add_lengths_command(app, action);
  add_doctor_command(app, action);
  add_completion_command(app, action);
  add_helps(app);
  if (const std::string problem = unexpanded_argument({argv + std::min(argc, 1), argv + argc}); !problem.empty())
    return refuse(problem);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& help_or_version) {
    return app.exit(help_or_version);
  } catch (const CLI::ParseError& error) {
    return refuse(command_line_error(app, error));
  }
  return run_command(app.get_subcommands().front()->get_name(), [&] { return action(common); });
}

}  // namespace gausscse
