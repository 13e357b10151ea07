#include <algorithm>
#include <exception>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/file_kind.hpp"
#include "results/guarded_reading.hpp"
#include "results/hdf5_image.hpp"
#include "results/hdf5_seal.hpp"
#include "results/hdf5_values.hpp"
#include "results/result_file.hpp"
#include "results/run_result.hpp"

namespace gausscse {

namespace {

constexpr const char* what_to_do = "run the trial again, or give another file";

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read_pairs(const H5::Group& group, const std::string& first, const std::string& second) {
  const std::vector<std::string> firsts = read_texts(group, first);
  const std::vector<std::string> seconds = read_texts(group, second);
  if (firsts.size() != seconds.size()) throw H5::GroupIException("read_pairs", first + " and " + second + " differ");
  Pairs pairs;
  for (std::size_t i = 0; i < firsts.size(); ++i) pairs.emplace_back(firsts[i], seconds[i]);
  return pairs;
}

ContinuedRun read_continued(const H5::Group& group) {
  return {.folder = read_text_attribute(group, "folder"),
          .run = read_text_attribute(group, "run"),
          .checkpoint = read_text_attribute(group, "checkpoint"),
          .step = read_attribute<std::int64_t>(group, "step"),
          .changes = read_texts(group, "changes")};
}

Provenance read_provenance(const H5::Group& group) {
  Provenance provenance;
  provenance.version = read_text_attribute(group, "version");
  provenance.commit = read_text_attribute(group, "commit");
  provenance.ranks = read_attribute<std::int64_t>(group, "ranks");
  provenance.threads = read_attribute<std::int64_t>(group, "threads");
  provenance.hosts = read_texts(group, "hosts");
  // Files of the time before there were GPUs lack it.
  if (group.nameExists("devices")) provenance.devices = read_texts(group, "devices");
  provenance.instruction_sets = read_texts(group, "instruction_sets");
  provenance.bfloat16_instructions = read_texts(group, "bfloat16_instructions");
  provenance.libraries = read_pairs(group, "library_names", "library_versions");
  provenance.data_hashes = read_pairs(group, "data_files", "data_hashes");
  if (group.nameExists("input_roles")) provenance.input_hashes = read_pairs(group, "input_roles", "input_hashes");
  if (group.nameExists("continued")) provenance.continued = read_continued(group.openGroup("continued"));
  if (group.attrExists("gpu_memory")) {
    provenance.gpu_memory_taken = read_attribute<std::int64_t>(group, "gpu_memory_taken");
    provenance.gpu_memory = read_attribute<std::int64_t>(group, "gpu_memory");
  }
  return provenance;
}

TrainingSeries read_training(const H5::Group& group) {
  TrainingSeries series;
  for_each_column(series, [&]<typename Value>(const char* column, std::vector<Value>& values) {
    if (column == std::string_view(left_out_pairs_column) && !group.nameExists(column)) return;
    values = read_values<Value>(group, column);
    if (values.size() != series.step.size())  // the steps come first
      throw H5::GroupIException("read_training", std::string(column) + " differs in length");
  });
  return series;
}

Unit unit_of(const std::string& word) {
  if (const auto unit = find_choice<Unit>(word)) return *unit;
  throw H5::GroupIException("unit_of", word + " is no unit");
}

Curve read_curve(const H5::Group& group, const std::string& task, const ResultParts& parts) {
  Curve curve{task, read_values<std::int64_t>(group, "step"), {}};
  for (const auto& [metric, unit] : read_pairs(group, "figure_names", "figure_units")) {
    if (parts.line && !parts.line(metric, unit_of(unit))) continue;
    curve.lines.push_back({metric, unit_of(unit), read_values<double>(group, metric)});
    if (curve.lines.back().values.size() != curve.step.size())
      throw H5::GroupIException("read_curve", metric + " differs in length");
  }
  return curve;
}

std::vector<Metric> read_metrics(const H5::Group& parent) {
  const H5::Group group = parent.openGroup("figures");
  std::vector<Metric> metrics;
  for (const auto& [name, unit] : read_pairs(parent, "figure_names", "figure_units"))
    metrics.push_back({name, read_attribute<double>(group, name), unit_of(unit)});
  return metrics;
}

Column read_column(const H5::Group& group, const std::string& name) {
  const H5::DataSet data = open_own_dataset(group, name);
  const H5T_class_t kind = data.getTypeClass();
  if (kind == H5T_STRING) return {name, read_texts(group, name)};
  if (data.getSpace().getSimpleExtentNdims() == 2) {
    ReadMatrix matrix = read_matrix(group, name);
    return {name, VectorRows{matrix.columns, std::move(matrix.values)}};
  }
  const std::size_t bytes = data.getDataType().getSize();
  if (kind == H5T_FLOAT && bytes == sizeof(double)) return {name, read_values<double>(group, name)};
  if (kind == H5T_FLOAT) return {name, read_values<float>(group, name)};
  if (bytes == sizeof(std::int64_t)) return {name, read_values<std::int64_t>(group, name)};
  return {name, read_values<std::uint8_t>(group, name)};
}

Measurement read_measurement(const H5::Group& group, const std::string& task, bool with_metrics,
                             const ResultParts& parts) {
  Measurement measurement;
  measurement.task = task;
  measurement.kind = read_text_attribute(group, "kind");
  measurement.remark = read_text_attribute(group, "remark");
  measurement.development = read_attribute<std::int64_t>(group, "development") != 0;
  if (with_metrics) measurement.metrics = read_metrics(group);
  const H5::Group columns = group.openGroup("columns");
  for (const std::string& name : read_texts(group, "column_names"))
    if (!parts.column || parts.column(measurement, name)) measurement.columns.push_back(read_column(columns, name));
  return measurement;
}

/// Names in `group`, by their attribute `position`.
std::vector<std::string> names_in_order(const H5::Group& group) {
  std::vector<std::pair<std::int64_t, std::string>> names;
  for (hsize_t i = 0; i < group.getNumObjs(); ++i) {
    const std::string name = group.getObjnameByIdx(i);
    names.emplace_back(read_attribute<std::int64_t>(group.openGroup(name), "position"), name);
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> ordered;
  for (const auto& [position, name] : names) ordered.push_back(name);
  return ordered;
}

StateResult read_state(const H5::Group& group, const std::string& name, bool with_metrics, const ResultParts& parts) {
  StateResult state;
  state.state = name;
  state.step = read_attribute<std::int64_t>(group, "step");
  const H5::Group tasks = group.openGroup("tasks");
  for (const std::string& task : names_in_order(tasks))
    state.tasks.push_back(read_measurement(tasks.openGroup(task), task, with_metrics, parts));
  return state;
}

/// Returns whether the bytes of a result file have a seal. Throws InputError, naming `source`, where they do not fit it
/// or are no HDF5.
bool is_sealed(std::string_view bytes, const std::string& source) {
  switch (seal_of(bytes)) {
    case Hdf5Seal::whole:
      return true;
    case Hdf5Seal::absent:
      return false;
    case Hdf5Seal::broken:
      throw InputError(concat(source, ": damaged: its size and XXH3-128 are not those in its first ", hdf5_seal_bytes,
                              " bytes: ", what_to_do));
    case Hdf5Seal::no_hdf5:
      break;
  }
  refuse_other_file(bytes, source);
  throw InputError(concat(source, ": not a result file of gausscse (it does not begin as HDF5): ", what_to_do));
}

/// Returns the result of `read` for the root group of a result file's bytes, which `source` names in messages. The
/// bytes must have been compared with a hash.
template <typename Read>
auto from_root(std::string_view bytes, const std::string& source, const Read& read) {
  try {
    const H5::H5File file = open_hdf5_image(bytes);
    check_holds_all(file);
    const H5::Group root = file.openGroup("/");
    const std::string format = read_text_attribute(root, "format");
    if (format != result_format && format != result_format_before) {
      throw InputError(concat(source, ": its format is ", quoted(format), ", this program reads ",
                              quoted(result_format), " and ", quoted(result_format_before)));
    }
    return read(root);
  } catch (const H5::Exception& error) {
    throw InputError(
        concat(source, ": not a whole result file of gausscse (", hdf5_error_text(error), "): ", what_to_do));
  }
}

RunResult result_from_root(std::string_view bytes, const std::string& source, const ResultParts& parts = {}) {
  return from_root(bytes, source, [&](const H5::Group& root) {
    RunResult result;
    result.configuration = read_text(root, "configuration");
    result.provenance = read_provenance(root.openGroup("provenance"));
    result.training = read_training(root.openGroup("training"));
    if (root.attrExists("ended_early")) result.ended_early = read_text_attribute(root, "ended_early");
    if (root.attrExists("halved_micro_batch"))
      result.halved_micro_batch = read_text_attribute(root, "halved_micro_batch");
    const H5::Group curves = root.openGroup("curves");
    for (const std::string& task : names_in_order(curves))
      result.curves.push_back(read_curve(curves.openGroup(task), task, parts));
    const H5::Group states = root.openGroup("states");
    for (const std::string& name : names_in_order(states)) {
      const bool is_kept = result.states.empty();
      if (is_kept || !parts.state || parts.state(name))
        result.states.push_back(read_state(states.openGroup(name), name, !is_kept || parts.kept_metrics, parts));
    }
    attach_backbone(result.states);
    return result;
  });
}

/// Returns the bytes of a result file that HDF5 may be given; those of a sealed file are hashed once, here. A file
/// without a seal is read by a process apart, which returns its content as the bytes of a sealed one.
std::string safe_bytes(const std::filesystem::path& path, Links links) {
  std::string bytes = read_whole_file(path, max_result_bytes, links);
  if (is_sealed(bytes, path.string())) return bytes;
  try {
    return computed_apart(time_to_read(bytes.size()), [&] {
      const RunResult result = result_from_root(bytes, path.string());
      try {
        return result_file_bytes(result);
      } catch (const std::exception& error) {
        // The damage made values that no result has, such as two metrics of one name.
        throw InputError(
            concat(path.string(), ": not a whole result file of gausscse (", error.what(), "): ", what_to_do));
      }
    });
  } catch (const EndedApart& error) {
    throw InputError(concat(path.string(), ": not a whole result file of gausscse (", error.what(), "): ", what_to_do));
  }
}

}  // namespace

RunResult read_result(const std::filesystem::path& path, Links links, const ResultParts& parts) {
  return result_from_root(safe_bytes(path, links), path.string(), parts);
}

RunResult result_of_bytes(std::string_view bytes, const std::string& source) {
  static_cast<void>(is_sealed(bytes, source));
  return result_from_root(bytes, source);
}

StateResult read_kept_state(const std::filesystem::path& path, Links links, const ResultParts& parts) {
  return from_root(safe_bytes(path, links), path.string(), [&](const H5::Group& root) {
    const H5::Group states = root.openGroup("states");
    const std::vector<std::string> names = names_in_order(states);
    if (names.empty()) throw InputError(concat(path.string(), ": ", no_state_text));
    return read_state(states.openGroup(names.front()), names.front(), parts.kept_metrics, parts);
  });
}

}  // namespace gausscse
