#include "launcher/program.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "launcher/command.hpp"
#include "launcher/command_help.hpp"
#include "launcher/command_line_error.hpp"
#include "launcher/run_command.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

/// Help that begins with an example, in front of the usage.
class ExampleFirst : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    const CommandHelp* help = help_of_command(app->get_name());
    return concat(help ? concat("Example: ", help->examples.front(), "\n") : "",
                  CLI::Formatter::make_usage(app, std::move(name)));
  }
};

void add_helps(CLI::App& app) {
  app.footer(
      "Under mpirun or srun, train, eval, encode, score, search, similarity, geometry and doctor compute on all ranks; "
      "all other commands run once.\nStart: README.md. Keys of a trial: gausscse train --keys, docs/trial.md. gausscse "
      "COMMAND --help "
      "shows a command's options.");
  for (CLI::App* command : app.get_subcommands(nullptr)) {
    const CommandHelp& help = *help_of_command(command->get_name());
    command->group(std::string(help.group));
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
  app.set_version_flag("-V,--version", concat("gausscse ", version_and_commit()));
  app.require_subcommand(1);
  app.fallthrough();
  CommonOptions common;
  common.process.command_line = {argc, argv};
  app.add_flag("-v,--verbose", common.verbose, "log details");
  app.add_flag("-q,--quiet", common.quiet, "log errors only, and why no query or pair is answered")
      ->excludes("--verbose");
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
