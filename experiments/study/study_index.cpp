#include "experiments/study/study_index.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <system_error>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/lists.hpp"
#include "experiments/study/study_layout.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_values.hpp"

namespace gausscse {

namespace {

/// Puts the metrics of a trial in its place of their columns, which have room for `trials`.
void add_metrics(const std::string& name, const std::string& kind, const std::vector<Metric>& metrics,
                 std::size_t trial, std::size_t trials, std::vector<IndexColumns>& all) {
  IndexColumns* found = find_by(all, &IndexColumns::name, name);
  if (!found) found = &all.emplace_back(IndexColumns{name, kind, {}, {}});
  for (const Metric& metric : metrics) {
    const auto [place, is_new] = found->places.try_emplace(metric.name, found->columns.size());
    if (is_new)
      found->columns.push_back(
          {metric.name, metric.unit, std::vector<double>(trials, std::numeric_limits<double>::quiet_NaN())});
    found->columns[place->second].values[trial] = metric.value;
  }
}

}  // namespace

std::vector<IndexColumns> columns_of_tasks(const StudyResults& study) {
  std::vector<IndexColumns> all;
  for (std::size_t i = 0; i < study.trials.size(); ++i)
    for (const Measurement& task : study.trials[i].kept.tasks)
      add_metrics(task.task, task.kind, task.metrics, i, study.trials.size(), all);
  return all;
}

std::vector<IndexColumns> columns_of_averages(const StudyResults& study) {
  std::vector<IndexColumns> all;
  for (std::size_t i = 0; i < study.trials.size(); ++i)
    if (const auto average = average_of(study.trials[i].kept.tasks))
      add_metrics(std::string(averaged_kind), std::string(averaged_kind), average->metrics, i, study.trials.size(),
                  all);
  return all;
}

std::vector<std::string> axes_of(const StudyResults& study) {
  std::vector<std::string> axes;
  for (const StudyTrial& trial : study.trials)
    for (const auto& [axis, label] : trial.planned.coordinates) add_once(axes, axis);
  return axes;
}

namespace {

namespace fs = std::filesystem;

constexpr const char* index_format = "gausscse-index/1";
constexpr std::string_view index_format_of_any_version = "gausscse-index/";
constexpr std::size_t largest_index = std::size_t{4} << 30;

fs::path plain(const fs::path& path) {
  return fs::absolute(path).lexically_normal();
}

/// Writes a link for each done trial: a trial may be part of several stages.
void write_links(H5::Group& root, const StudyResults& study, const fs::path& folder) {
  const H5::Group group = root.createGroup("results");
  std::set<std::string> linked;
  for (const StudyTrial& trial : study.trials) {
    if (trial.status != TrialStatus::done || !linked.insert(trial.planned.identity).second) continue;
    const std::string target = plain(trial.folder / study_layout::result).lexically_relative(plain(folder)).string();
    if (H5Lcreate_external(target.c_str(), "/", group.getId(), trial.planned.identity.c_str(), H5P_DEFAULT,
                           H5P_DEFAULT) < 0)
      throw H5::GroupIException("write_links", trial.planned.identity);
  }
}

void write_trials(H5::Group& root, const StudyResults& study) {
  H5::Group group = root.createGroup("trials");
  std::vector<std::string> identity, stage, status;
  std::vector<std::int64_t> seed, untrained;
  std::vector<double> seconds;
  for (const StudyTrial& trial : study.trials) {
    identity.push_back(trial.planned.identity);
    stage.push_back(trial.planned.stage);
    status.emplace_back(name_of(trial.status));
    seed.push_back(trial.planned.seed);
    untrained.push_back(kept_untrained_state(trial) ? 1 : 0);
    seconds.push_back(trial.run ? trial.run->seconds : std::nan(""));
  }
  write_texts(group, "identity", identity);
  write_texts(group, "stage", stage);
  write_values(group, "seed", seed);
  write_texts(group, "status", status);
  write_values(group, "seconds", seconds);
  write_values(group, "untrained", untrained);

  const std::vector<std::string> axes = axes_of(study);
  write_texts(group, "axis_names", axes);
  H5::Group of_axes = group.createGroup("axes");
  for (const std::string& axis : axes) {
    std::vector<std::string> labels;
    for (const StudyTrial& trial : study.trials) {
      const std::string* label = label_on(trial.planned, axis);
      labels.push_back(label ? *label : "");
    }
    write_texts(of_axes, axis, labels);
  }
}

void write_columns(H5::Group& root, const std::string& name, const std::vector<IndexColumns>& all) {
  H5::Group group = root.createGroup(name);
  std::int64_t position = 0;
  for (const IndexColumns& columns : all) {
    H5::Group of_name = group.createGroup(columns.name);
    write_attribute(of_name, "position", position++);
    write_text_attribute(of_name, "kind", columns.kind);
    std::int64_t position_of_metric = 0;
    for (const IndexColumn& column : columns.columns) {
      write_values(of_name, column.metric, column.values);
      H5::DataSet data = of_name.openDataSet(column.metric);
      write_attribute(data, "position", position_of_metric++);
      write_text_attribute(data, "unit", std::string(name_of(column.unit)));
    }
  }
}

}  // namespace

std::string index_bytes(const StudyResults& study, const fs::path& folder) {
  try {
    H5::H5File file = create_hdf5_image();
    H5::Group root = file.openGroup("/");
    write_text_attribute(root, "format", index_format);
    write_text_attribute(root, "study", study.study);
    write_links(root, study, folder);
    write_trials(root, study);
    write_columns(root, "figures", columns_of_tasks(study));
    write_columns(root, "averages", columns_of_averages(study));
    return hdf5_image_bytes(file);
  } catch (const H5::Exception& error) {
    throw SystemError(concat("HDF5 cannot build the index: ", hdf5_error_text(error)));
  }
}

void write_index(const StudyResults& study, const fs::path& path) {
  const std::string bytes = index_bytes(study, path.parent_path());
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(path, ignored))) {
    const std::string earlier = read_whole_file(path, largest_index, Links::refused);
    if (earlier == bytes) return;
    if (!has_hdf5_format(earlier, index_format_of_any_version))
      throw InputError(concat(path.string(), " is there already and is no index of gausscse: move it away"));
  }
  write_file_atomically(path, bytes);
}

}  // namespace gausscse
