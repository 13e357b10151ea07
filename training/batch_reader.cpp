#include "training/batch_reader.hpp"

#include <algorithm>
#include <utility>

namespace gausscse {

namespace {

std::vector<std::int64_t> longest_of_roles(const TokenStore& store, const std::vector<std::uint32_t>& batch,
                                           std::int64_t roles) {
  std::vector<std::int64_t> longest(static_cast<std::size_t>(roles), 0);
  for (std::size_t role = 0; role < longest.size(); ++role)
    for (const std::uint32_t example : batch)
      longest[role] = std::max(longest[role], static_cast<std::int64_t>(store.length(store.sentence(example, role))));
  return longest;
}

}  // namespace

ExampleReader batch_reader(const TokenStore& store, std::vector<std::uint32_t> batch, const Objective& objective,
                           PoolingDivisor divisor) {
  std::vector<std::int64_t> longest;
  if (divisor == PoolingDivisor::longest) longest = longest_of_roles(store, batch, objective.roles());
  return [&store, &objective, batch = std::move(batch), longest = std::move(longest)](std::int64_t first,
                                                                                      std::int64_t last) {
    Examples examples;
    examples.longest = longest;
    examples.offsets.push_back(0);
    for (std::int64_t role = 0; role < objective.roles(); ++role) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::uint32_t example = batch[static_cast<std::size_t>(i)];
        store.append_tokens(store.sentence(example, static_cast<std::size_t>(role)), examples.ids);
        examples.offsets.push_back(static_cast<std::uint32_t>(examples.ids.size()));
      }
    }
    if (objective.needs_labels()) {
      for (std::int64_t i = first; i < last; ++i) {
        const std::uint32_t example = batch[static_cast<std::size_t>(i)];
        examples.labels.push_back(store.label(example));
        examples.groups.push_back(store.group(example));
      }
    }
    return examples;
  };
}

}  // namespace gausscse
