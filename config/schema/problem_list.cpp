#include "config/schema/problem_list.hpp"

#include <utility>

#include "base/error.hpp"

namespace gausscse {

namespace {
constexpr std::size_t max_shown = 20;
}

void ProblemList::add(std::string problem) {
  if (++count_ <= max_shown) shown_.push_back(std::move(problem));
}

void ProblemList::throw_if_any() const {
  if (count_ == 0) return;
  std::string message;
  for (const std::string& problem : shown_) message += (message.empty() ? "" : "\n") + problem;
  if (count_ > max_shown) message += concat("\nand ", count_ - max_shown, " more problems");
  throw InputError(message);
}

}  // namespace gausscse
