#pragma once

#include "experiments/training/training_step.hpp"
#include "tests/model/encoder/small_models.hpp"

namespace gausscse::testing_support {

/// Label and group of an example of a batch: all labels come up, and groups of several examples.
inline std::int64_t label_of(std::int64_t example) {
  return example * example % 5 % 3;
}
inline std::int64_t group_of(std::int64_t example) {
  return (std::int64_t{1} << 40) + example / 3;
}

/// Reads examples of a batch of `batch_size` whose sentences are `all`, role after role; `all` must stay.
inline ExampleReader example_reader(const RandomSentences& all, std::int64_t batch_size, std::int64_t roles = 3) {
  return [&all, batch_size, roles](std::int64_t begin, std::int64_t end) {
    Examples part;
    part.offsets.push_back(0);
    for (std::int64_t role = 0; role < roles; ++role) {
      for (std::int64_t i = begin; i < end; ++i) {
        const auto s = static_cast<std::size_t>(role * batch_size + i);
        part.ids.insert(part.ids.end(), all.ids.begin() + all.offsets[s], all.ids.begin() + all.offsets[s + 1]);
        part.offsets.push_back(static_cast<std::uint32_t>(part.ids.size()));
      }
    }
    for (std::int64_t i = begin; i < end; ++i) {
      part.labels.push_back(label_of(i));
      part.groups.push_back(group_of(i));
    }
    return part;
  };
}

}  // namespace gausscse::testing_support
