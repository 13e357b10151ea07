#include "model/batch/packed_batch.hpp"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "model/device/transfers.hpp"

namespace gausscse {

namespace {

kernels::RowShards row_shards(const std::vector<std::int64_t>& offsets) {
  return {offsets.data(), static_cast<std::int64_t>(offsets.size()) - 1};
}

/// Returns the rows of a table, int32 [tokens], by the row that each token has.
RowsOfTable group_by_row(const at::Tensor& row_of_token) {
  const auto* target = row_of_token.const_data_ptr<std::int32_t>();
  const std::int64_t tokens = row_of_token.numel();
  RowsOfTable groups{at::empty({tokens}, at::kLong), {}, {}};
  auto* rows = groups.rows.mutable_data_ptr<std::int64_t>();
  const std::int64_t table_rows = tokens > 0 ? *std::max_element(target, target + tokens) + std::int64_t{1} : 0;
  // First the number of tokens that want each row of the table, then the place of the next token that wants it.
  std::vector<std::int64_t> places(static_cast<std::size_t>(table_rows));
  for (std::int64_t token = 0; token < tokens; ++token) ++places[static_cast<std::size_t>(target[token])];
  std::vector<std::int64_t> offsets, targets;
  std::int64_t begin = 0;
  for (std::int64_t row = 0; row < table_rows; ++row) {
    const std::int64_t count = std::exchange(places[static_cast<std::size_t>(row)], begin);
    if (count == 0) continue;
    offsets.push_back(begin);
    targets.push_back(row);
    begin += count;
  }
  offsets.push_back(tokens);
  for (std::int64_t token = 0; token < tokens; ++token) rows[places[static_cast<std::size_t>(target[token])]++] = token;
  groups.offsets = at::tensor(offsets, at::kLong);
  groups.targets = at::tensor(targets, at::kLong);
  return groups;
}

/// Orders the sentences by their classes of lengths.
void order_by_length(PackedBatch& batch) {
  const auto* offset = batch.offsets.const_data_ptr<std::int32_t>();
  const auto class_of = [&](std::int64_t sentence) {
    const std::int64_t before = (offset[sentence + 1] - offset[sentence] - 1) / kernels::attention_class_tokens;
    return std::min<std::int64_t>(before, kernels::attention_classes);
  };
  std::vector<std::int64_t> next(kernels::attention_classes + 2);
  for (std::int64_t s = 0; s < batch.sentences(); ++s) ++next[static_cast<std::size_t>(class_of(s) + 1)];
  std::partial_sum(next.begin(), next.end(), next.begin());
  batch.first_of_lengths.assign(next.begin(), next.end() - 1);
  batch.by_length = at::empty({batch.sentences()}, at::kInt);
  auto* ordered = batch.by_length.mutable_data_ptr<std::int32_t>();
  for (std::int64_t s = 0; s < batch.sentences(); ++s)
    ordered[next[static_cast<std::size_t>(class_of(s))]++] = static_cast<std::int32_t>(s);
}

std::vector<at::Tensor*> tensors_of(PackedBatch& batch) {
  RowsOfTable &words = batch.tokens_of_words, &places = batch.tokens_of_positions;
  return {&batch.ids,          &batch.positions, &batch.row_samples, &batch.offsets, &batch.samples,
          &batch.first_tokens, &batch.attended,  &batch.by_length,   &words.rows,    &words.offsets,
          &words.targets,      &places.rows,     &places.offsets,    &places.targets};
}

}  // namespace

kernels::RowShards PackedBatch::sentence_shards() const {
  return row_shards(sentence_offsets);
}

kernels::RowShards PackedBatch::token_shards() const {
  return row_shards(token_offsets);
}

kernels::PackedShape PackedBatch::shape() const {
  kernels::LengthClasses classes;
  if (by_length.defined()) {
    classes.sentences = by_length.const_data_ptr<std::int32_t>();
    std::copy(first_of_lengths.begin(), first_of_lengths.end(), classes.first);
  }
  return {offsets.const_data_ptr<std::int32_t>(),
          reinterpret_cast<const std::uint32_t*>(samples.const_data_ptr<std::int32_t>()),
          sentences(),
          tokens(),
          longest,
          attended.defined() ? attended.const_data_ptr<std::int32_t>() : nullptr,
          classes};
}

kernels::RowGroups RowsOfTable::groups() const {
  return {rows.const_data_ptr<std::int64_t>(), offsets.const_data_ptr<std::int64_t>(),
          targets.const_data_ptr<std::int64_t>(), targets.numel()};
}

PackedBatch PackedBatch::prepared_for(at::Device device, bool with_backward) const {
  PackedBatch batch = *this;
  if (with_backward && !batch.tokens_of_words.rows.defined()) {
    batch.tokens_of_words = group_by_row(ids);
    batch.tokens_of_positions = group_by_row(positions);
    batch.upload.reset();
  }
  if (!device.is_cpu() && !batch.by_length.defined()) {
    order_by_length(batch);
    batch.upload.reset();
  }
  if (!device.is_cpu() && !batch.upload) batch.upload = std::make_shared<const ops::Upload>(tensors_of(batch), device);
  return batch;
}

PackedBatch PackedBatch::on(at::Device device, bool with_backward) const {
  if (!ids.is_cpu()) {
    GAUSSCSE_CHECK(ids.device() == device && !with_backward, "a batch on a device is one of evaluation there");
    return *this;
  }
  PackedBatch batch = prepared_for(device, with_backward);
  if (device.is_cpu()) return batch;
  batch.upload->arrive(tensors_of(batch));
  batch.upload.reset();
  return batch;
}

PackedBatch pack_sentences(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets,
                           std::span<const std::uint32_t> samples, std::uint32_t position_offset,
                           std::span<const std::int64_t> shards) {
  GAUSSCSE_CHECK(!offsets.empty() && offsets.back() == ids.size(), "offsets do not fit the token ids");
  const auto tokens = static_cast<std::int64_t>(ids.size());
  const auto sentences = static_cast<std::int64_t>(offsets.size()) - 1;
  GAUSSCSE_CHECK(samples.empty() || samples.size() == offsets.size() - 1, "one sample number a sentence");

  PackedBatch batch;
  batch.ids = at::empty({tokens}, at::kInt);
  batch.positions = at::empty({tokens}, at::kInt);
  batch.row_samples = at::empty({tokens}, at::kInt);
  batch.offsets = at::empty({sentences + 1}, at::kInt);
  batch.samples = at::empty({sentences}, at::kInt);
  batch.first_tokens = at::empty({sentences}, at::kLong);
  auto* id = batch.ids.mutable_data_ptr<std::int32_t>();
  auto* position = batch.positions.mutable_data_ptr<std::int32_t>();
  auto* row_sample = batch.row_samples.mutable_data_ptr<std::int32_t>();
  auto* offset = batch.offsets.mutable_data_ptr<std::int32_t>();
  auto* sample = batch.samples.mutable_data_ptr<std::int32_t>();
  auto* first = batch.first_tokens.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < tokens; ++i) id[i] = static_cast<std::int32_t>(ids[static_cast<std::size_t>(i)]);
  offset[0] = 0;
  for (std::int64_t s = 0; s < sentences; ++s) {
    const std::uint32_t begin = offsets[static_cast<std::size_t>(s)], end = offsets[static_cast<std::size_t>(s) + 1];
    GAUSSCSE_CHECK(begin < end, "sentence ", s, " has no tokens");
    offset[s + 1] = static_cast<std::int32_t>(end);
    sample[s] = static_cast<std::int32_t>(samples.empty() ? static_cast<std::uint32_t>(s)
                                                          : samples[static_cast<std::size_t>(s)]);
    first[s] = begin;
    for (std::uint32_t t = begin; t < end; ++t) {
      position[t] = static_cast<std::int32_t>(t - begin + position_offset);
      row_sample[t] = sample[s];
    }
    batch.longest = std::max<std::int64_t>(batch.longest, end - begin);
  }
  batch.sentence_offsets = {0};
  if (shards.empty()) batch.sentence_offsets.push_back(sentences);
  for (const std::int64_t count : shards) batch.sentence_offsets.push_back(batch.sentence_offsets.back() + count);
  GAUSSCSE_CHECK(batch.sentence_offsets.back() == sentences, "the shards hold ", batch.sentence_offsets.back(), " of ",
                 sentences, " sentences");
  for (const std::int64_t sentence : batch.sentence_offsets) batch.token_offsets.push_back(offset[sentence]);
  return batch;
}

}  // namespace gausscse
