#include "training/gradient_buckets.hpp"

#include <limits>

namespace gausscse {

namespace {

std::vector<std::int64_t> begins_of(const ParameterStore& parameters, std::int64_t elements) {
  std::vector<std::int64_t> begins;
  std::int64_t end = parameters.trained_values().numel();
  for (std::size_t i = parameters.size(); i-- > 0 && parameters.is_trained(i);) {
    const std::int64_t begin = parameters.offset(i) - parameters.first_trained();
    if (begin > 0 && end - begin < elements) continue;
    begins.push_back(begin);
    end = begin;
  }
  return begins;
}

}  // namespace

void GradientBuckets::sum_from(std::int64_t first, ParameterStore& parameters, Communicator& communicator) {
  const at::Tensor& gradients = parameters.gradients();
  if (begins_.empty())
    begins_ = begins_of(parameters, gradients.is_cpu() ? std::numeric_limits<std::int64_t>::max() : elements_);
  for (; next_ < begins_.size() && begins_[next_] >= first; ++next_) {
    const std::int64_t begin = begins_[next_], end = next_ == 0 ? gradients.numel() : begins_[next_ - 1];
    pending_.push_back(communicator.begin_all_reduce_sum(gradients.narrow(0, begin, end - begin)));
  }
}

void GradientBuckets::begin() {
  for (const auto& collective : pending_) collective->wait();
  pending_.clear();
  next_ = 0;
}

void GradientBuckets::finish(ParameterStore& parameters, Communicator& communicator) {
  sum_from(0, parameters, communicator);
  begin();
}

}  // namespace gausscse
