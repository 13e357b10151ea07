#include <array>
#include <set>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"
#include "results/measurement.hpp"
#include "results/result_file.hpp"
#include "results/run_result.hpp"

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

void write_continued(H5::Group& parent, const ContinuedRun& continued) {
  H5::Group group = parent.createGroup("continued");
  write_text_attribute(group, "folder", continued.folder);
  write_text_attribute(group, "run", continued.run);
  write_text_attribute(group, "checkpoint", continued.checkpoint);
  write_attribute(group, "step", continued.step);
  write_texts(group, "changes", continued.changes);
}

void write_provenance(H5::Group& parent, const Provenance& provenance) {
  H5::Group group = parent.createGroup("provenance");
  write_text_attribute(group, "version", provenance.version);
  write_text_attribute(group, "commit", provenance.commit);
  write_attribute(group, "ranks", provenance.ranks);
  write_attribute(group, "threads", provenance.threads);
  write_texts(group, "hosts", provenance.hosts);
  write_texts(group, "devices", provenance.devices);
  write_texts(group, "instruction_sets", provenance.instruction_sets);
  write_texts(group, "bfloat16_instructions", provenance.bfloat16_instructions);
  write_pairs(group, "library_names", "library_versions", provenance.libraries);
  write_pairs(group, "data_files", "data_hashes", provenance.data_hashes);
  if (!provenance.input_hashes.empty()) write_pairs(group, "input_roles", "input_hashes", provenance.input_hashes);
  if (provenance.continued) write_continued(group, *provenance.continued);
  if (provenance.gpu_memory == 0) return;
  write_attribute(group, "gpu_memory_taken", provenance.gpu_memory_taken);
  write_attribute(group, "gpu_memory", provenance.gpu_memory);
}

void write_training(H5::Group& parent, const TrainingSeries& series) {
  H5::Group group = parent.createGroup("training");
  for_each_column(series, [&](const char* column, const auto& values) {
    GAUSSCSE_CHECK(values.size() == series.step.size(), column, " has ", values.size(), " values instead of ",
                   series.step.size());
    write_values(group, column, values);
  });
}

void write_curves(H5::Group& parent, const std::vector<Curve>& curves) {
  H5::Group group = parent.createGroup("curves");
  std::int64_t position = 0;
  for (const Curve& curve : curves) {
    H5::Group of_task = group.createGroup(curve.task);
    write_attribute(of_task, "position", position++);
    write_values(of_task, "step", curve.step);
    std::vector<std::string> metrics, units;
    for (const Curve::Line& line : curve.lines) {
      GAUSSCSE_CHECK(line.values.size() == curve.step.size(), curve.task, "/", line.metric, " has ", line.values.size(),
                     " values instead of ", curve.step.size());
      metrics.push_back(line.metric);
      units.emplace_back(name_of(line.unit));
      write_values(of_task, line.metric, line.values);
    }
    write_texts(of_task, "figure_names", metrics);
    write_texts(of_task, "figure_units", units);
  }
}

struct ColumnWriter {
  H5::Group& group;
  const std::string& name;

  template <typename Value>
  void operator()(const std::vector<Value>& values) const {
    write_values(group, name, values);
  }
  void operator()(const std::vector<std::string>& values) const { write_texts(group, name, values); }
  void operator()(const VectorRows& rows) const { write_matrix(group, name, rows.values, rows.width); }
};

/// Writes metrics as attributes of a group `figures`, with their order and units.
void write_metrics(H5::Group& parent, const std::vector<Metric>& metrics) {
  H5::Group group = parent.createGroup("figures");
  std::vector<std::string> names_of_metrics, units;
  for (const Metric& metric : metrics) {
    write_attribute(group, metric.name, metric.value);
    names_of_metrics.push_back(metric.name);
    units.emplace_back(name_of(metric.unit));
  }
  write_texts(parent, "figure_names", names_of_metrics);
  write_texts(parent, "figure_units", units);
}

void write_measurement(H5::Group& parent, const Measurement& measurement, std::int64_t position) {
  H5::Group group = parent.createGroup(measurement.task);
  write_attribute(group, "position", position);
  write_attribute(group, "development", std::int64_t{measurement.development});
  write_text_attribute(group, "kind", measurement.kind);
  write_text_attribute(group, "remark", measurement.remark);
  write_metrics(group, measurement.metrics);
  H5::Group columns = group.createGroup("columns");
  std::vector<std::string> column_names;
  for (const Column& column : measurement.columns) {
    std::visit(ColumnWriter{columns, column.name}, column.values);
    column_names.push_back(column.name);
  }
  write_texts(group, "column_names", column_names);
}

void write_state(H5::Group& parent, const StateResult& state, std::int64_t position) {
  H5::Group group = parent.createGroup(state.state);
  write_attribute(group, "position", position);
  write_attribute(group, "step", state.step);
  H5::Group tasks = group.createGroup("tasks");
  std::int64_t of_task = 0;
  for (const Measurement& measurement : state.tasks) write_measurement(tasks, measurement, of_task++);
  H5::Group averages = group.createGroup("average");
  if (const auto average = average_of(state.tasks)) {
    H5::Group of_kind = averages.createGroup(std::string(averaged_kind));
    write_text_attribute(of_kind, "remark", average->remark);
    write_metrics(of_kind, average->metrics);
  }
}

void check_names(const RunResult& result) {
  std::set<std::string> states;
  for (const StateResult& state : result.states) {
    GAUSSCSE_CHECK(is_test_name(state.state) && states.insert(state.state).second, "state ", quoted(state.state));
    std::set<std::string> tasks;
    for (const Measurement& task : state.tasks) {
      if (!is_test_name(task.task)) {
        throw InputError(concat("the name of a task, ", quoted(task.task), ", cannot be used in a result file: it is ",
                                "not ", test_name_rule));
      }
      if (!tasks.insert(task.task).second) {
        throw InputError(concat("two tasks are called ", quoted(task.task), ": their results would be one"));
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
    write_training(root, result.training);
    if (!result.ended_early.empty()) write_text_attribute(root, "ended_early", result.ended_early);
    if (!result.halved_micro_batch.empty()) write_text_attribute(root, "halved_micro_batch", result.halved_micro_batch);
    write_curves(root, result.curves);
    H5::Group states = root.createGroup("states");
    std::int64_t position = 0;
    for (const StateResult& state : result.states) write_state(states, state, position++);
    return hdf5_image_bytes(file);
  } catch (const H5::Exception& error) {
    throw SystemError(concat("HDF5 cannot build the result: ", hdf5_error_text(error)));
  }
}

void write_result(const std::filesystem::path& path, const RunResult& result) {
  write_file_atomically(path, result_file_bytes(result));
}

}  // namespace gausscse
