#include "evaluation/geometry/layer_statistics.hpp"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "base/philox.hpp"

namespace gausscse {

namespace {

/// Stream number that keeps these draws apart from any others under the same seed.
constexpr std::uint64_t sample_stream = std::uint64_t{0x746F6B73} << 32;

constexpr std::int64_t counts = 5;

double norm_of(const double* x, std::size_t width) {
  double squares = 0;
  for (std::size_t c = 0; c < width; ++c) squares += x[c] * x[c];
  return std::sqrt(squares);
}

}  // namespace

CountedIds::CountedIds(const TokenStore& store, std::optional<std::uint32_t> pad) {
  std::vector<std::size_t> occurrences;
  const auto add = [&](std::uint32_t id, std::size_t times) {
    if (id >= occurrences.size()) occurrences.resize(id + 1);
    occurrences[id] += times;
  };
  std::vector<std::uint32_t> ids;
  std::size_t longest = 0;
  const auto sentences = static_cast<std::uint32_t>(store.sentences());
  for (std::uint32_t s = 0; s < sentences; ++s) longest = std::max(longest, store.length(s));
  for (std::uint32_t s = 0; s < sentences; ++s) {
    ids.clear();
    store.append_tokens(s, ids);
    for (const std::uint32_t id : ids) add(id, 1);
    if (pad) add(*pad, longest - ids.size());
  }
  number_.assign(occurrences.size(), -1);
  for (std::uint32_t id = 0; id < occurrences.size(); ++id) {
    if (occurrences[id] < least_occurrences) continue;
    number_[id] = static_cast<std::int64_t>(ids_.size());
    ids_.push_back({id, occurrences[id]});
  }
}

TokenSample draw_token_sample(const TokenStore& store, std::size_t count, std::uint64_t seed, std::uint64_t draw) {
  const std::size_t sentences = store.sentences();
  count = std::min(count, sentences);
  std::vector<std::uint32_t> order(sentences);
  std::iota(order.begin(), order.end(), 0u);
  PhiloxStream stream(seed, sample_stream + draw);
  TokenSample sample;
  sample.row_of_sentence.assign(sentences, -1);
  for (std::size_t row = 0; row < count; ++row) {
    std::swap(order[row], order[row + stream.below(static_cast<std::uint32_t>(sentences - row))]);
    sample.row_of_sentence[order[row]] = static_cast<std::int64_t>(row);
    sample.token_of_row.push_back(stream.below(static_cast<std::uint32_t>(store.length(order[row]))));
  }
  return sample;
}

LayerStatistics::LayerStatistics(std::int64_t width, const CountedIds& ids, std::span<const TokenSample> samples,
                                 std::int64_t kept_sentences)
    : width_(width), counted_(ids), drawn_(samples) {
  const auto id_count = static_cast<std::int64_t>(ids.size());
  std::int64_t size = counts + 2 * width + id_count * (1 + width) + kept_sentences * width;
  for (const TokenSample& sample : samples) size += static_cast<std::int64_t>(sample.token_of_row.size()) * width;
  totals_ = at::zeros({size}, at::kDouble);
  counts_ = totals_.mutable_data_ptr<double>();
  std::int64_t next = counts;
  const auto take = [&](std::int64_t count) {
    next += count;
    return totals_.narrow(0, next - count, count);
  };
  mean_sum_ = take(width);
  mean_squares_ = take(width);
  id_sentences_ = take(id_count);
  id_sums_ = take(id_count * width).view({id_count, width});
  sentence_means_ = take(kept_sentences * width).view({kept_sentences, width});
  for (const TokenSample& sample : samples) {
    const auto rows = static_cast<std::int64_t>(sample.token_of_row.size());
    samples_.push_back(take(rows * width).view({rows, width}));
  }
}

void LayerStatistics::add(const SentenceStates& sentence) {
  const auto width = static_cast<std::size_t>(width_);
  unit_.resize(sentence.ids.size() * width);
  mean_.assign(width, 0);
  mean_unit_.assign(width, 0);
  const auto tokens = static_cast<double>(sentence.tokens);
  double norms = 0;
  for (std::size_t t = 0; t < sentence.ids.size(); ++t) {
    double* unit = unit_.data() + t * width;
    for (std::size_t c = 0; c < width; ++c) unit[c] = static_cast<double>(sentence.states[t * width + c]);
    const double norm = norm_of(unit, width);
    const double inverse = norm == 0 ? 0 : 1 / norm;
    for (std::size_t c = 0; c < width; ++c) {
      if (t < sentence.tokens) mean_[c] += unit[c] / tokens;
      unit[c] *= inverse;
      if (t < sentence.tokens) mean_unit_[c] += unit[c] / tokens;
    }
    if (t < sentence.tokens) norms += norm;
  }

  // The mean over tokens of u . mean / |mean| is m . mean / |mean|.
  const double norm_of_mean = norm_of(mean_.data(), width);
  double similarity = 0;
  if (norm_of_mean != 0)
    for (std::size_t c = 0; c < width; ++c) similarity += mean_unit_[c] * mean_[c] / norm_of_mean;
  counts_[0] += 1;
  counts_[1] += tokens;
  counts_[2] += norms;
  counts_[3] += norms / tokens;
  counts_[4] += similarity;
  double* mean_sum = mean_sum_.mutable_data_ptr<double>();
  double* mean_squares = mean_squares_.mutable_data_ptr<double>();
  for (std::size_t c = 0; c < width; ++c) {
    mean_sum[c] += mean_unit_[c];
    mean_squares[c] += mean_unit_[c] * mean_unit_[c];
  }

  if (sentence.sentence < sentence_means_.size(0))
    std::copy(mean_.begin(), mean_.end(), sentence_means_.mutable_data_ptr<double>() + sentence.sentence * width);

  std::unordered_set<std::uint32_t> met;
  for (std::size_t t = 0; t < sentence.ids.size(); ++t) {
    const std::int64_t number = counted_.number_of(sentence.ids[t]);
    if (number < 0 || !met.insert(sentence.ids[t]).second) continue;
    id_sentences_.mutable_data_ptr<double>()[number] += 1;
    double* sum = id_sums_.mutable_data_ptr<double>() + number * width_;
    for (std::size_t c = 0; c < width; ++c) sum[c] += unit_[t * width + c];
  }
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const std::int64_t row = drawn_[i].row_of_sentence[sentence.sentence];
    if (row < 0) continue;
    const double* unit = unit_.data() + drawn_[i].token_of_row[static_cast<std::size_t>(row)] * width;
    double* to = samples_[i].mutable_data_ptr<double>() + row * width_;
    for (std::size_t c = 0; c < width; ++c) to[c] = unit[c];
  }
}

}  // namespace gausscse
