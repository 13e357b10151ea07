#include "model/matmul/cuda/written_gradients.hpp"

#include <ATen/ops/_foreach_zero.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace gausscse {

namespace {

/// Makes all of them 0, a hundred or so by one kernel: a layer's biases and norms are four.
void make_zero(const std::vector<at::Tensor>& parts) {
  if (!parts.empty()) at::_foreach_zero_(parts);
}

}  // namespace

void WrittenGradients::Ranges::add(std::int64_t begin, std::int64_t end) {
  if (const auto next = end_of_.find(end); next != end_of_.end()) {
    end = next->second;
    end_of_.erase(next);
  }
  const auto before = end_of_.lower_bound(begin);
  if (before != end_of_.begin() && std::prev(before)->second == begin)
    std::prev(before)->second = end;
  else
    end_of_.emplace(begin, end);
}

void WrittenGradients::Ranges::remove(std::int64_t begin, std::int64_t end) {
  auto range = end_of_.upper_bound(begin);
  if (range != end_of_.begin()) --range;
  while (range != end_of_.end() && range->first < end) {
    const auto [first, last] = *range;
    if (last <= begin) {
      ++range;
      continue;
    }
    range = end_of_.erase(range);
    if (first < begin) end_of_.emplace(first, begin);
    if (last > end) range = end_of_.emplace(end, last).first;
  }
}

bool WrittenGradients::Ranges::overlap(std::int64_t begin, std::int64_t end) const {
  const auto next = end_of_.lower_bound(end);
  return next != end_of_.begin() && std::prev(next)->second > begin;
}

bool WrittenGradients::Ranges::contain(std::int64_t begin, std::int64_t end) const {
  const auto next = end_of_.upper_bound(begin);
  return next != end_of_.begin() && std::prev(next)->second >= end;
}

void WrittenGradients::clear(const at::Tensor& gradients) {
  GAUSSCSE_CHECK(gradients.dim() == 1 && gradients.is_contiguous(), "gradients are one flat tensor");
  left_ = gradients_.is_same(gradients) ? std::exchange(written_, {}) : Ranges();
  written_ = {};
  gradients_ = gradients;
  std::vector<at::Tensor> others;
  std::int64_t begin = 0;
  const auto zero_to = [&](std::int64_t end) {
    if (begin < end) others.push_back(gradients.narrow(0, begin, end - begin));
  };
  for (const auto& [first, end] : left_.all()) {
    zero_to(first);
    begin = end;
  }
  zero_to(gradients.numel());
  make_zero(others);
}

bool WrittenGradients::is_first(const at::Tensor& gradient) {
  if (!gradients_.defined() || !gradient.is_alias_of(gradients_)) return false;
  const std::int64_t begin = gradient.storage_offset() - gradients_.storage_offset(), end = begin + gradient.numel();
  if (written_.contain(begin, end)) return false;
  GAUSSCSE_CHECK(gradient.is_contiguous() && !written_.overlap(begin, end), "part of a gradient has been written");
  written_.add(begin, end);
  left_.remove(begin, end);
  return true;
}

void WrittenGradients::finish(std::int64_t first) {
  std::vector<at::Tensor> unwritten;
  for (const auto& [begin, end] : left_.all())
    if (end > first) unwritten.push_back(gradients_.slice(0, std::max(begin, first), end));
  make_zero(unwritten);
  if (gradients_.defined()) left_.remove(first, gradients_.numel());
}

}  // namespace gausscse
