#include "launcher/named_set.hpp"

#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/shard_names.hpp"
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

}  // namespace gausscse
