#include "launcher/program.hpp"

#include <CLI/CLI.hpp>
#include <csignal>

#include "base/error.hpp"
#include "launcher/commands/command.hpp"
#include "launcher/run_command.hpp"
#include "launcher/version.hpp"

namespace gausscse {

namespace {

/// As for an error of input.
constexpr int misused = 2;

}  // namespace

int run_program(int argc, char** argv) {
  // A limit on file sizes is then an error of write, told like a full disk, and no kill.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app("Trains sentence encoders whose embeddings are Gaussian distributions.", "gausscse");
  app.set_version_flag("--version", concat("gausscse ", version(), " (", commit(), ")"));
  app.require_subcommand(1);
  app.fallthrough();
  CommonOptions common;
  app.add_flag("-v,--verbose", common.verbose, "tell details");
  app.add_flag("-q,--quiet", common.quiet, "tell errors only")->excludes("--verbose");
  app.add_option("--threads", common.process.threads,
                 "threads of a rank (default: its cores, divided among the ranks that share them)")
      ->check(CLI::Range(1, 4096));
  app.add_option("--timeout", common.process.timeout, "seconds that ranks wait for each other before the job ends")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1e7));
  app.add_flag("--check-collectives", common.process.check_collectives,
               "compare what the ranks are about to call, to find out why they hang");
  Action action;
  add_train_command(app, action);
  add_eval_command(app, action);
  add_encode_command(app, action);
  add_score_command(app, action);
  add_geometry_command(app, action);
  add_show_command(app, action);
  add_tokenize_command(app, action);
  add_lengths_command(app, action);
  add_generate_command(app, action);
  add_run_command(app, action);
  add_status_command(app, action);
  add_tables_command(app, action);
  add_report_command(app, action);
  add_compare_command(app, action);
  add_index_command(app, action);
  add_doctor_command(app, action);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : misused;
  }
  return run_command(app.get_subcommands().front()->get_name(), [&] { return action(common); });
}

}  // namespace gausscse
