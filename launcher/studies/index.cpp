#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/error.hpp"
#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "launcher/standard_output.hpp"
#include "launcher/studies/damaged_trials.hpp"
#include "launcher/studies/study_commands.hpp"

namespace gausscse {

void add_index_command(CLI::App& app, Action& action) {
  auto results = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("index", "write links to all results of a study, and a table of their metrics");
  command->add_option("RESULTS", *results, "results folder of a study; its index.h5 is written")->required();
  command->callback([results, &action] {
    action = [results](const CommonOptions&) {
      if (!is_first_process()) return 0;
      const StudyResults study = read_study(*results);
      const std::filesystem::path index = study.folder / study_layout::index;
      write_index(study, index);
      std::size_t done = 0;
      for (const StudyTrial& trial : study.trials) done += trial.status == TrialStatus::done;
      print_text(concat(index.string(), ": ", done, " of ", study.trials.size(), " trials are done", "\n"));
      return warn_of_damaged_files(study);
    };
  });
}

}  // namespace gausscse
