#include "base/shard_names.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "base/error.hpp"

namespace gausscse {

namespace {

constexpr std::string_view decimal_digits = "0123456789", between_numbers = "-of-";

/// Shards of one set that are there.
struct ShardsThere {
  ShardName name;    ///< name of the first of them
  std::string file;  ///< the same in one piece
  std::set<std::size_t> numbers;
};

std::optional<std::size_t> number_of(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || text.size() > 9 || error != std::errc{}) return std::nullopt;
  return number;
}

std::string numbered(const ShardName& name, std::size_t number) {
  const std::string text = std::to_string(number);
  return std::string(name.digits - std::min(name.digits, text.size()), '0') + text;
}

/// Returns the name of another shard; * takes the place of a hash.
std::string name_of_shard(const ShardName& name, std::size_t number) {
  const bool has_hash = name.behind.starts_with('-');
  return concat(name.before, "-", numbered(name, number), between_numbers, numbered(name, name.count),
                has_hash ? "-*" : "", has_hash ? std::filesystem::path(name.behind).extension().string() : name.behind);
}

}  // namespace

std::optional<ShardName> find_shard_name(std::string_view file_name) {
  const std::size_t of = file_name.rfind(between_numbers);
  if (of == std::string_view::npos) return std::nullopt;
  const std::size_t dash = file_name.find_last_not_of(decimal_digits, of - 1);
  if (of == 0 || dash == std::string_view::npos || file_name[dash] != '-') return std::nullopt;
  const std::size_t count_begin = of + between_numbers.size(),
                    end = std::min(file_name.find_first_not_of(decimal_digits, count_begin), file_name.size());
  const auto number = number_of(file_name.substr(dash + 1, of - dash - 1)),
             count = number_of(file_name.substr(count_begin, end - count_begin));
  const std::string_view behind = file_name.substr(end);
  if (!number || !count || *count == 0 || *number > *count) return std::nullopt;
  if (!behind.empty() && behind.front() != '.' && behind.front() != '-') return std::nullopt;
  return ShardName{std::string(file_name.substr(0, dash)), *number, *count, of - dash - 1, std::string(behind)};
}

std::string missing_shards_text(const std::vector<std::filesystem::path>& files) {
  std::map<std::tuple<std::filesystem::path, std::string, std::size_t>, ShardsThere> sets;
  for (const std::filesystem::path& file : files) {
    const std::string file_name = file.filename().string();
    const std::optional<ShardName> name = find_shard_name(file_name);
    if (!name) continue;
    ShardsThere& there = sets[{file.parent_path(), name->before, name->count}];
    if (there.numbers.empty()) there = {*name, file_name, {}};
    there.numbers.insert(name->number);
  }
  std::string text;
  for (const auto& [key, there] : sets) {
    // Numbers begin at 0, unless one is the number of shards.
    const std::size_t first = there.numbers.contains(there.name.count) ? 1 : 0;
    std::size_t missing = first;
    while (there.numbers.contains(missing)) ++missing;
    if (missing == first + there.name.count) continue;
    const auto known =
        std::distance(there.numbers.lower_bound(first), there.numbers.lower_bound(first + there.name.count));
    const std::size_t more = there.name.count - static_cast<std::size_t>(known) - 1;
    text += concat(text.empty() ? "" : "; ", quoted(name_of_shard(there.name, missing), 200),
                   more > 0 ? concat(" and ", more, " more are") : " is", " missing, by the name of ",
                   quoted(there.file, 200));
  }
  return text;
}

}  // namespace gausscse
