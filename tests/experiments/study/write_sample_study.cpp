// Writes the sample study with its index: write_sample_study RESULTS

#include <cstdio>
#include <exception>

#include "experiments/study/study_index.hpp"
#include "experiments/study/study_layout.hpp"
#include "tests/experiments/study/sample_study.hpp"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: write_sample_study RESULTS\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path results = argv[1];
    gausscse::write_sample_study(results);
    gausscse::StudyResults study = gausscse::read_study(results);
    gausscse::Measurement sts13 = study.trials.at(0).kept.tasks.back();
    sts13.task = "sts13";
    study.trials.at(0).kept.tasks.push_back(sts13);  // so that there is an average
    gausscse::write_index(study, results / gausscse::study_layout::index);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
