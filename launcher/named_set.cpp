#include "launcher/named_set.hpp"

#include <spdlog/spdlog.h>

#include <optional>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/shard_names.hpp"
#include "config/schema/key_kinds.hpp"
#include "config/tasks/nli_thresholds.hpp"
#include "results/measurement.hpp"

namespace gausscse {

namespace fs = std::filesystem;

std::pair<std::string, fs::path> named_set(const std::string& option, const std::string& given) {
  const std::size_t equals = given.find('=');
  std::error_code ignored;
  if (equals != std::string::npos && !fs::exists(given, ignored)) {
    const std::string name = given.substr(0, equals);
    if (!is_test_name(name) || is_threshold_word(name))
      throw InputError(concat(option, " ", quoted(given), ": the name is not ", test_name_rule));
    return {name, given.substr(equals + 1)};
  }
  const std::optional<ShardName> shard = find_shard_name(fs::path(given).filename().string());
  std::string name = (shard ? shard->before : fs::path(given).stem().string()).substr(0, 40);
  for (char& character : name)
    if (!is_test_name(std::string_view(&character, 1))) character = '_';
  return {is_threshold_word(name) || !is_test_name(name) ? concat("test_", name) : name, given};
}

std::vector<fs::path> sets_of_folder(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return {};
  std::vector<fs::path> sets;
  for (const fs::path& file : key_kinds::file_or_shards(folder, name)) {
    const std::optional<ShardName> shard = find_shard_name(file.filename().string());
    if (!shard || shard->count == 1)
      sets.push_back(file);
    else
      spdlog::info("{}: is not measured, as it is one of {} shards, and a task reads one file", file.string(),
                   shard->count);
  }
  return sets;
}

}  // namespace gausscse
