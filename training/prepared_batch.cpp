#include "training/prepared_batch.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "model/device/transfers.hpp"

namespace gausscse {

namespace {

/// Sentences of some examples, shard by shard, and their numbers in the global batch.
struct Sentences {
  std::vector<std::uint32_t> ids;
  std::vector<std::uint32_t> offsets{0};
  std::vector<std::uint32_t> samples;   ///< their numbers in the global batch
  std::vector<std::int64_t> of_shards;  ///< number of sentences in each shard
  std::vector<std::int64_t> longest;    ///< for each of them the longest of its role, or nothing

  void add_shard(const AnchorRange& shard, const Examples& examples, std::int64_t roles);
};

void Sentences::add_shard(const AnchorRange& shard, const Examples& examples, std::int64_t roles) {
  const auto& [begin, end] = shard;
  GAUSSCSE_CHECK(static_cast<std::int64_t>(examples.offsets.size()) == roles * (end - begin) + 1, "sentences of ",
                 roles, " roles");
  const auto first_token = static_cast<std::uint32_t>(ids.size());
  ids.insert(ids.end(), examples.ids.begin(), examples.ids.end());
  for (std::size_t i = 1; i < examples.offsets.size(); ++i) offsets.push_back(first_token + examples.offsets[i]);
  // Numbered by place in the global batch, as if all roles were there: dropout is then the same for any share,
  // micro-batch and objective.
  constexpr std::int64_t sentences_of_example = 3;
  for (std::int64_t role = 0; role < roles; ++role)
    for (std::int64_t i = begin; i < end; ++i)
      samples.push_back(static_cast<std::uint32_t>(sentences_of_example * i + role));
  if (!examples.longest.empty()) {
    GAUSSCSE_CHECK(static_cast<std::int64_t>(examples.longest.size()) == roles, "a longest sentence a role");
    for (const std::int64_t of_role : examples.longest)
      longest.insert(longest.end(), static_cast<std::size_t>(end - begin), of_role);
  }
  of_shards.push_back(roles * (end - begin));
}

/// Labels and groups of some examples, to the rows of `integers` from `row` on.
void put_integers(const Examples& examples, std::int64_t count, std::int64_t row, at::Tensor labels_and_groups) {
  const auto has = static_cast<std::size_t>(count);
  GAUSSCSE_CHECK(examples.labels.size() == has && examples.groups.size() == has, "a label and a group an example");
  std::int64_t* next = labels_and_groups.mutable_data_ptr<std::int64_t>() + 2 * row;
  for (std::size_t i = 0; i < has; ++i) {
    *next++ = examples.labels[i];
    *next++ = examples.groups[i];
  }
}

std::vector<std::int64_t> longest_of_roles(const TokenStore& store, const std::vector<std::uint32_t>& batch,
                                           std::int64_t roles) {
  std::vector<std::int64_t> longest(static_cast<std::size_t>(roles), 0);
  for (std::size_t role = 0; role < longest.size(); ++role)
    for (const std::uint32_t example : batch)
      longest[role] = std::max(longest[role], static_cast<std::int64_t>(store.length(store.sentence(example, role))));
  return longest;
}

/// Returns texts of a whole batch, whose examples are numbers in the store.
BatchTexts texts_of_batch(const TokenStore& store, const std::vector<std::uint32_t>& batch, const Objective& objective,
                          const TextNumbers& numbers) {
  const auto examples = static_cast<std::int64_t>(batch.size());
  ExampleLabels labels;
  labels.texts = at::empty({objective.roles(), examples}, at::kLong);
  auto* text = labels.texts.mutable_data_ptr<std::int64_t>();
  for (std::int64_t role = 0; role < objective.roles(); ++role)
    for (const std::uint32_t example : batch)
      *text++ = numbers.of(store.sentence(example, static_cast<std::size_t>(role)));
  if (objective.false_negatives() == FalseNegatives::mask_known) {
    const std::vector<TextNumbers::Pair> pairs = numbers.entailed_among(
        {labels.texts.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(labels.texts.numel())});
    labels.entailed = at::empty({static_cast<std::int64_t>(pairs.size()), 2}, at::kLong);
    auto* next = labels.entailed.mutable_data_ptr<std::int64_t>();
    for (const auto& [premise, hypothesis] : pairs) {
      *next++ = premise;
      *next++ = hypothesis;
    }
  }
  if (objective.needs_labels()) {
    std::vector<std::int64_t> of_examples, groups;
    for (const std::uint32_t example : batch) {
      of_examples.push_back(store.label(example));
      groups.push_back(store.group(example));
    }
    labels.labels = at::tensor(of_examples, at::kLong);
    labels.groups = at::tensor(groups, at::kLong);
  }
  return {labels.texts, labels.entailed, objective.count_left_out(labels)};
}

}  // namespace

std::int64_t PreparedBatch::examples() const {
  return std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
}

std::int64_t PreparedBatch::bytes_on_device() const {
  std::int64_t bytes = 0;
  for (const Packed& part : packed) bytes += part.batch.upload ? part.batch.upload->bytes() : 0;
  return bytes;
}

void pack_micro_batches(PreparedBatch& batch, const Objective& objective, const SentenceEncoder& encoder) {
  const std::int64_t roles = objective.roles(),
                     first = batch.micro_batches.empty() ? 0 : batch.micro_batches.front().begin();
  const std::int64_t own = batch.micro_batches.empty() ? 0 : batch.micro_batches.back().end() - first;
  if (objective.needs_labels()) batch.labels_and_groups = at::empty({own, 2}, at::kLong);
  if (objective.false_negatives() != FalseNegatives::keep) batch.texts = batch.read(0, 0).texts;
  batch.packed.resize(batch.micro_batches.size());
  for (std::size_t i = 0; i < batch.micro_batches.size(); ++i) {
    if (batch.micro_batches[i].examples() == 0) continue;
    Sentences sentences;
    for (const AnchorRange& shard : batch.micro_batches[i].shards) {
      const Examples examples = batch.read(shard.begin, shard.end);
      sentences.add_shard(shard, examples, roles);
      if (batch.labels_and_groups.defined())
        put_integers(examples, shard.end - shard.begin, shard.begin - first, batch.labels_and_groups);
    }
    batch.packed[i] = {encoder.prepared(pack_sentences(sentences.ids, sentences.offsets, sentences.samples,
                                                       encoder.position_offset(), sentences.of_shards),
                                        /*with_backward=*/true),
                       sentences.longest.empty() ? at::Tensor() : at::tensor(sentences.longest, at::kLong)};
  }
}

ExampleReader batch_reader(const TokenStore& store, std::vector<std::uint32_t> batch, const Objective& objective,
                           PoolingDivisor divisor, const TextNumbers* numbers) {
  std::vector<std::int64_t> longest;
  BatchTexts texts;
  if (numbers) texts = texts_of_batch(store, batch, objective, *numbers);
  if (divisor == PoolingDivisor::longest) longest = longest_of_roles(store, batch, objective.roles());
  return [&store, &objective, batch = std::move(batch), longest = std::move(longest), texts](std::int64_t first,
                                                                                             std::int64_t last) {
    Examples examples;
    examples.longest = longest;
    examples.texts = texts;
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

BatchPrefetch::BatchPrefetch(std::function<PreparedBatch(std::int64_t)> prepare, std::int64_t end)
    : prepare_(std::move(prepare)), end_(end) {}

PreparedBatch BatchPrefetch::take(std::int64_t step) {
  if (next_.valid() && step != next_step_) next_.wait();
  PreparedBatch batch = next_.valid() && step == next_step_ ? next_.get() : prepare_(step);
  next_ = {};
  next_step_ = step + 1;
  bytes_on_device_ = 0;
  if (next_step_ >= end_) return batch;
  next_ = std::async(std::launch::async, [this, next = next_step_] {
    PreparedBatch prepared = prepare_(next);
    bytes_on_device_ = prepared.bytes_on_device();
    return prepared;
  });
  return batch;
}

std::int64_t BatchPrefetch::bytes_on_device() const {
  if (next_.valid()) next_.wait();
  return bytes_on_device_;
}

}  // namespace gausscse
