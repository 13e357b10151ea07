#include <array>
#include <set>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "experiments/results/average.hpp"
#include "experiments/results/hdf5_image.hpp"
#include "experiments/results/hdf5_values.hpp"
#include "experiments/results/result_file.hpp"
#include "experiments/results/result_layout.hpp"
#include "experiments/results/test_name.hpp"

namespace gausscse {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

void write_pairs(H5::Group& group, const std::string& first, const std::string& second, const Pairs& pairs) {
  std::vector<std::string> firsts, seconds;
  for (const auto& [a, b] : pairs) {
    firsts.push_back(a);
    seconds.push_back(b);
  }
  write_texts(group, first, firsts);
  write_texts(group, second, seconds);
}

void write_provenance(H5::Group& parent, const Provenance& provenance) {
  H5::Group group = parent.createGroup("provenance");
  write_text_attribute(group, "version", provenance.version);
  write_text_attribute(group, "commit", provenance.commit);
  write_attribute(group, "ranks", provenance.ranks);
  write_attribute(group, "threads", provenance.threads);
  write_texts(group, "hosts", provenance.hosts);
  write_texts(group, "instruction_sets", provenance.instruction_sets);
  write_texts(group, "bfloat16_instructions", provenance.bfloat16_instructions);
  write_pairs(group, "library_names", "library_versions", provenance.libraries);
  write_pairs(group, "data_files", "data_hashes", provenance.data_hashes);
}

template <typename Record>
void write_columns(H5::Group& parent, const std::string& name, const Record& record) {
  H5::Group group = parent.createGroup(name);
  std::size_t length = 0;
  bool first = true;
  for_each_column(record, [&](const char* column, const auto& values) {
    if (first) length = values.size();
    first = false;
    GAUSSCSE_CHECK(values.size() == length, name, "/", column, " has ", values.size(), " values instead of ", length);
    write_values(group, column, values);
  });
}

void write_metrics(H5::Group& group, const NliMetrics& metrics) {
  for_each_metric(metrics, [&](const char* name, const auto& value) { write_attribute(group, name, value); });
}

void write_state(H5::Group& parent, const StateResult& state) {
  H5::Group group = parent.createGroup(state.state);
  write_attribute(group, "step", state.step);
  GAUSSCSE_CHECK(state.dev, "a run measures dev");
  H5::Group dev = group.createGroup("dev");
  write_metrics(dev, *state.dev);
  H5::Group tests = group.createGroup("tests");
  std::int64_t position = 0;
  for (const TestResult& test : state.tests) {
    write_columns(tests, test.name, test.scores);
    H5::Group of_test = tests.openGroup(test.name);
    write_attribute(of_test, "position", position++);
    write_metrics(of_test, test.metrics);
  }
  if (const auto average = average_of(state.tests)) {
    H5::Group of_all = group.createGroup("average");
    for_each_average(*average, [&](const char* name, double value) { write_attribute(of_all, name, value); });
  }
}

void check_names(const RunResult& result) {
  std::set<std::string> states;
  for (const StateResult& state : result.states) {
    GAUSSCSE_CHECK(is_test_name(state.state) && states.insert(state.state).second, "state ", quoted(state.state));
    std::set<std::string> tests;
    for (const TestResult& test : state.tests) {
      if (!is_test_name(test.name)) {
        throw InputError(concat("the test name ", quoted(test.name), " cannot be used in a result file: a name has ",
                                test_name_rule));
      }
      if (!tests.insert(test.name).second) {
        throw InputError(concat("the test name ", quoted(test.name), " is given twice: its results would be one"));
      }
    }
  }
}

}  // namespace

std::string result_file_bytes(const RunResult& result) {
  check_names(result);
  try {
    H5::H5File file = create_hdf5_image();
    H5::Group root = file.openGroup("/");
    write_text_attribute(root, "format", result_format);
    write_text(root, "configuration", result.configuration);
    write_provenance(root, result.provenance);
    write_columns(root, "training", result.training);
    write_columns(root, "dev", result.dev);
    H5::Group states = root.createGroup("states");
    std::int64_t position = 0;
    for (const StateResult& state : result.states) {
      write_state(states, state);
      H5::Group group = states.openGroup(state.state);
      write_attribute(group, "position", position++);
    }
    return hdf5_image_bytes(file);
  } catch (const H5::Exception& error) {
    throw SystemError(concat("HDF5 cannot build the result: ", hdf5_error_text(error)));
  }
}

void write_result(const std::filesystem::path& path, const RunResult& result) {
  write_file_atomically(path, result_file_bytes(result));
}

}  // namespace gausscse
