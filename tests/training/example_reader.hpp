#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <vector>

#include "model/choices.hpp"
#include "tests/model/encoder/small_models.hpp"
#include "training/training_step.hpp"

namespace gausscse {

/// Label and group of an example of a batch: all labels come up, and groups with several entailments, one of which two
/// ranks with even shares have a part of each.
inline std::int64_t label_of(std::int64_t example) {
  return example % 4 % 3;
}
inline std::int64_t group_of(std::int64_t example) {
  return (std::int64_t{1} << 40) + example / 4;
}

/// Text of an example's sentence: some are equal within a role, and between roles.
inline std::int64_t text_of(std::int64_t role, std::int64_t example) {
  return (5 * role + 3 * example + example / 4) % 9;
}
/// Returns the texts of a batch, with pairs of its examples and some others.
inline BatchTexts texts_of(std::int64_t batch_size, std::int64_t roles) {
  BatchTexts texts{at::empty({roles, batch_size}, at::kLong), {}};
  std::vector<std::int64_t> pairs{0, 3, 2, 6, 5, 1, 7, 4};
  for (std::int64_t role = 0; role < roles; ++role)
    for (std::int64_t i = 0; i < batch_size; ++i) texts.texts[role][i] = text_of(role, i);
  for (std::int64_t i = 0; i < batch_size; ++i) pairs.insert(pairs.end(), {text_of(0, i), text_of(1, i)});
  texts.entailed = at::tensor(pairs, at::kLong).view({-1, 2});
  return texts;
}

/// Reads examples of a batch of `batch_size` whose sentences are `all`, role after role; `all` must stay.
inline ExampleReader example_reader(const RandomSentences& all, std::int64_t batch_size, std::int64_t roles = 3,
                                    PoolingDivisor divisor = PoolingDivisor::tokens) {
  std::vector<std::int64_t> longest;
  if (divisor == PoolingDivisor::longest) {
    longest.resize(static_cast<std::size_t>(roles));
    for (std::int64_t s = 0; s < roles * batch_size; ++s) {
      const auto i = static_cast<std::size_t>(s);
      std::int64_t& of_role = longest[static_cast<std::size_t>(s / batch_size)];
      of_role = std::max(of_role, static_cast<std::int64_t>(all.offsets[i + 1] - all.offsets[i]));
    }
  }
  return [&all, batch_size, roles, longest, texts = texts_of(batch_size, roles)](std::int64_t begin, std::int64_t end) {
    Examples part;
    part.longest = longest;
    part.texts = texts;
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

/// Returns one step over the batch that `read` reads.
inline TrainingStep::Result run_step(TrainingStep& step, std::int64_t number, const std::vector<std::int64_t>& shares,
                                     const ExampleReader& read) {
  return step.run(step.prepare(number, shares, read));
}
inline TrainingStep::Result run_step(TrainingStep&& step, std::int64_t number, const std::vector<std::int64_t>& shares,
                                     const ExampleReader& read) {
  return run_step(step, number, shares, read);
}

}  // namespace gausscse
