#include "dist/group_work.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Returns the first line of `text` that is not the same in `other`.
std::string first_difference(const std::string& text, const std::string& other) {
  std::istringstream lines(text), others(other);
  std::string line, against;
  while (std::getline(lines, line)) {
    if (!std::getline(others, against) || line != against) return line;
  }
  return "nothing more";
}

}  // namespace

void share_problem(ControlGroup& ranks, const std::string& problem) {
  for (const std::string& each : ranks.all_gather_text(problem))
    if (!each.empty()) throw InputError(each);
}

void check_agreement(ControlGroup& ranks, const std::string& what, const std::string& own) {
  const std::vector<std::string> all = ranks.all_gather_text(own);
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] == all.front()) continue;
    throw InputError(concat(what, " is not the same on all ranks: rank 0 has ",
                            quoted(first_difference(all.front(), all[rank]), 200), ", rank ", rank, " has ",
                            quoted(first_difference(all[rank], all.front()), 200),
                            ": start all ranks with the same program, files and options"));
  }
}

bool is_true_on_any(ControlGroup& ranks, bool own) {
  const std::vector<std::string> all = ranks.all_gather_text(own ? "yes" : "");
  return std::any_of(all.begin(), all.end(), [](const std::string& each) { return !each.empty(); });
}

void broadcast_numbers(std::vector<double>& numbers, ControlGroup& ranks) {
  auto size = static_cast<double>(numbers.size());
  ranks.broadcast_numbers({&size, 1});
  numbers.resize(static_cast<std::size_t>(size));
  if (!numbers.empty()) ranks.broadcast_numbers(numbers);
}

}  // namespace gausscse
