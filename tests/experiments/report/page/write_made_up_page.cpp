#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>

#include "base/atomic_file.hpp"
#include "experiments/report/sections/report_page.hpp"
#include "tests/experiments/report/made_up_study.hpp"

/// write_made_up_page FOLDER KIND: writes a made-up study to FOLDER and its page to FOLDER/report.html. KIND is plain,
/// hostile or large (1,000 trials).
int main(int count, char** arguments) {
  using namespace gausscse;
  if (count != 3) return 2;
  try {
    const std::filesystem::path folder = arguments[1];
    const std::string kind = arguments[2];
    MadeUpStudy made_up;
    made_up.hostile = kind == "hostile";
    if (kind == "large") {
      made_up.systems.clear();
      for (int i = 0; i < 200; ++i) made_up.systems.push_back("system " + std::to_string(i));
      made_up.steps = 2000;
      made_up.pairs = 5000;
    }
    std::filesystem::remove_all(folder / "results");
    write_made_up_study(folder, made_up);
    const StudyResults study = read_study(folder / "results");
    const ReportData data = gather_report(study, [](const StudyTrial& trial) { return shown_result(trial); });
    const std::string title = made_up.hostile ? hostile_text : "Losses of GaussCSE on a small encoder";
    TrialItems items;
    write_file_atomically(
        folder / "report.html",
        report_page(
            {study, data, title, {made_up_table(made_up)}, {}, find_headline(study, data, nullptr, {}, items)}));
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
