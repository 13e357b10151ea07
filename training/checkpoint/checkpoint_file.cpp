#include "training/checkpoint/checkpoint_file.hpp"

#include <ATen/ops/empty.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "model/weights/safetensors.hpp"
#include "model/weights/safetensors_writer.hpp"
#include "results/result_file.hpp"

namespace gausscse {

namespace {

constexpr const char* format = "gausscse-checkpoint/2";
constexpr const char* device_key = "device";
constexpr const char* format_key = "format";
constexpr const char* metadata_key = "metadata";  // hash of the other metadata
constexpr const char* early_name = "untrained";
constexpr const char* trial_name = "trial";
constexpr std::string_view format_of_any_version = "gausscse-checkpoint/";

template <typename T>
constexpr Dtype dtype_of = sizeof(T) == 1                ? Dtype::u8
                           : std::is_floating_point_v<T> ? Dtype::f64
                                                         : Dtype::i64;

template <typename T>
TensorEntry entry_of(std::string name, std::span<const T> values) {
  return {std::move(name),
          dtype_of<T>,
          {static_cast<std::int64_t>(values.size())},
          {reinterpret_cast<const char*>(values.data()), values.size_bytes()}};
}

TensorEntry entry_of(std::string name, const at::Tensor& tensor) {
  GAUSSCSE_CHECK(tensor.is_contiguous(), name);
  return {std::move(name),
          tensor.scalar_type() == at::kDouble ? Dtype::f64 : Dtype::f32,
          {tensor.numel()},
          {static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes()}};
}

/// Returns the hash of all metadata but the hash itself, names included.
std::string metadata_hash(const std::map<std::string, std::string>& metadata) {
  std::string text;
  for (const auto& [name, value] : metadata)
    if (name != metadata_key) text += concat(name.size(), ' ', value.size(), ' ', name, value);
  return content_hash_of(text);
}

/// A checkpoint file, whose metadata and every tensor have been compared with their checksums.
class VerifiedFile {
 public:
  explicit VerifiedFile(const std::filesystem::path& path) : path_(path), file_(open(path)) {
    const auto& metadata = file_.metadata();
    const auto found = metadata.find(format_key);
    if (found == metadata.end() || !found->second.starts_with(format_of_any_version)) fail("is no checkpoint");
    if (found->second != format)
      throw InputError(concat(path.string(), " is a checkpoint of another version of gausscse (", quoted(found->second),
                              ", this one writes ", format,
                              "): end the run with that version, give another `output`, or remove its folder"));
    for (const TensorEntry& tensor : file_.tensors()) {
      const auto checksum = metadata.find(tensor.name);
      if (checksum == metadata.end() || checksum->second != content_hash_of(tensor.bytes))
        fail("is damaged: tensor ", quoted(tensor.name), " has changed since it was written");
    }
    check_metadata(metadata);
  }

  /// Returns a text of the metadata; empty where there is none of that name.
  std::string text(const std::string& name) const {
    const auto found = file_.metadata().find(name);
    return found == file_.metadata().end() ? std::string() : found->second;
  }

  bool has(const std::string& name) const { return file_.find(name) != nullptr; }

  const TensorEntry& entry(const std::string& name) const {
    const TensorEntry* found = file_.find(name);
    if (!found) fail("is damaged: tensor ", quoted(name), " is missing");
    return *found;
  }

  template <typename T>
  std::vector<T> vector(const std::string& name) const {
    const TensorEntry& tensor = entry(name);
    if (tensor.dtype != dtype_of<T> || tensor.shape.size() != 1)
      fail("is damaged: tensor ", quoted(name), " is of another kind");
    std::vector<T> values(tensor.bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), tensor.bytes.data(), tensor.bytes.size());
    return values;
  }

  at::Tensor tensor(const std::string& name) const {
    const TensorEntry& found = entry(name);
    if ((found.dtype != Dtype::f32 && found.dtype != Dtype::f64) || found.shape.size() != 1)
      fail("is damaged: tensor ", quoted(name), " is of another kind");
    at::Tensor values = at::empty({found.shape[0]}, found.dtype == Dtype::f32 ? at::kFloat : at::kDouble);
    if (!found.bytes.empty()) std::memcpy(values.mutable_data_ptr(), found.bytes.data(), found.bytes.size());
    return values;
  }

  template <typename... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw DamagedCheckpoint(concat(path_.string(), " ", parts...));
  }

 private:
  static SafetensorsFile open(const std::filesystem::path& path) {
    // A file that may not be read is not damaged.
    const bool readable = ::access(path.c_str(), R_OK) == 0;
    try {
      return SafetensorsFile::open(path, Links::refused);
    } catch (const InputError& error) {
      if (!readable) throw;
      throw DamagedCheckpoint(error.what());
    }
  }

  /// Checkpoints of the time before metadata had a hash have none, and no other names either.
  void check_metadata(const std::map<std::string, std::string>& metadata) const {
    for (const auto& [name, value] : metadata)
      if (name != format_key && name != device_key && name != metadata_key && !has(name))
        fail("is damaged: nothing in it is called ", quoted(name));
    const auto hash = metadata.find(metadata_key);
    if (hash != metadata.end() && hash->second != metadata_hash(metadata))
      fail("is damaged: its metadata have changed since they were written");
  }

  std::filesystem::path path_;
  SafetensorsFile file_;
};

std::vector<Curve> read_curves(const VerifiedFile& file) {
  const std::vector<char> header = file.vector<char>("curves.header");
  try {
    return curves_of({{header.begin(), header.end()}, file.vector<double>("curves.values")});
  } catch (const nlohmann::json::exception& error) {
    file.fail("is damaged: its curves cannot be read (", error.what(), ")");
  } catch (const InputError& error) {
    file.fail("is damaged: it ", error.what());
  }
}

/// Returns early states as the bytes of a result file without any other. HDF5 is used by one thread at a time, as a
/// training uses it itself only when the writer of checkpoints is done.
std::string early_bytes(const std::vector<StateResult>& early) {
  if (early.empty()) return "";
  RunResult result;
  result.states = early;
  return result_file_bytes(result);
}

/// Checkpoints of the time before the untrained state was kept have none.
std::vector<StateResult> read_early(const VerifiedFile& file) {
  if (!file.has(early_name)) return {};
  const std::vector<char> bytes = file.vector<char>(early_name);
  if (bytes.empty()) return {};
  try {
    return result_of_bytes({bytes.data(), bytes.size()}, "its early states").states;
  } catch (const InputError& error) {
    file.fail("is damaged: ", error.what());
  }
}

}  // namespace

void write_checkpoint(const std::filesystem::path& path, const TrainingState& state) {
  const std::vector<double> numbers = numbers_of(state);
  const FlatCurves curves = flat_curves(state.curves);
  const std::string early = early_bytes(state.early);
  std::vector<TensorEntry> entries{entry_of<char>("configuration", state.configuration),
                                   entry_of<double>("numbers", numbers), entry_of<char>("curves.header", curves.header),
                                   entry_of<double>("curves.values", curves.values)};
  if (!early.empty()) entries.push_back(entry_of<char>(early_name, early));
  if (!state.trial.empty()) entries.push_back(entry_of<char>(trial_name, state.trial));
  for_each_series(state, [&]<typename T>(const std::string& name, const std::vector<T>& values) {
    entries.push_back(entry_of<T>(name, values));
  });
  for_each_tensor(state,
                  [&](const char* name, const at::Tensor& tensor) { entries.push_back(entry_of(name, tensor)); });
  std::map<std::string, std::string> metadata{{format_key, format}};
  if (!state.device.empty()) metadata[device_key] = state.device;
  for (const TensorEntry& entry : entries) metadata[entry.name] = content_hash_of(entry.bytes);
  metadata[metadata_key] = metadata_hash(metadata);
  const SafetensorsImage image(std::move(entries), metadata);
  write_file_atomically(path, image.parts());
}

void verify_checkpoint(const std::filesystem::path& path) {
  const VerifiedFile file(path);
}

TrainingState read_checkpoint(const std::filesystem::path& path) {
  const VerifiedFile file(path);
  TrainingState state;
  const std::vector<char> configuration = file.vector<char>("configuration");
  state.configuration.assign(configuration.begin(), configuration.end());
  if (file.has(trial_name)) {
    const std::vector<char> trial = file.vector<char>(trial_name);
    state.trial.assign(trial.begin(), trial.end());
  }
  state.device = file.text(device_key);
  if (!set_numbers(state, file.vector<double>("numbers"))) file.fail("is damaged: its numbers have another length");
  for_each_series(state, [&]<typename T>(const std::string& name, std::vector<T>& values) {
    if (file.has(name) || !name.ends_with(left_out_pairs_column)) values = file.vector<T>(name);
  });
  state.curves = read_curves(file);
  state.early = read_early(file);
  for_each_tensor(state, [&](const char* name, at::Tensor& tensor) { tensor = file.tensor(name); });
  return state;
}

}  // namespace gausscse
