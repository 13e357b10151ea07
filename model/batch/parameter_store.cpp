#include "model/batch/parameter_store.hpp"

#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "base/error.hpp"

namespace gausscse {

namespace {

at::Tensor matrix_view(const at::Tensor& flat, std::int64_t offset, std::int64_t rows, std::int64_t columns) {
  if (columns == 0) return flat.narrow(0, offset, rows);
  return flat.narrow(0, offset, rows * columns).view({rows, columns});
}

}  // namespace

ParameterStore::ParameterStore(std::vector<ParameterSpec> specs, const at::TensorOptions& options)
    : specs_(std::move(specs)) {
  offsets_.push_back(0);
  for (const ParameterSpec& spec : specs_) {
    std::int64_t count = 1;
    for (const std::int64_t extent : spec.shape) count *= extent;
    offsets_.push_back(offsets_.back() + count);
  }
  values_ = at::zeros({offsets_.back()}, options);
}

std::size_t ParameterStore::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].name == name) return i;
  throw std::logic_error(concat("no parameter is called ", name));
}

void ParameterStore::hold_before(std::int64_t first) {
  GAUSSCSE_CHECK(!gradients_.defined(), "held parameters are known before there are gradients");
  first_trained_ = first;
}

at::Tensor ParameterStore::trained_values() const {
  return values_.narrow(0, first_trained_, values_.numel() - first_trained_);
}

at::Tensor& ParameterStore::gradients() {
  if (!gradients_.defined()) gradients_ = at::zeros_like(trained_values());
  return gradients_;
}

std::int64_t ParameterStore::gradient_offset(std::size_t index) const {
  GAUSSCSE_CHECK(is_trained(index), specs_[index].name, " is held and has no gradient");
  return offset(index) - first_trained_;
}

std::int64_t ParameterStore::bytes() const {
  return static_cast<std::int64_t>(values_.nbytes() + (gradients_.defined() ? gradients_.nbytes() : 0));
}

void ParameterStore::set_gradients(at::Tensor gradients) {
  GAUSSCSE_CHECK(gradients.sizes() == trained_values().sizes() && gradients.scalar_type() == values_.scalar_type(),
                 "gradients are laid out as the trained values");
  gradients_ = std::move(gradients);
}

void ParameterStore::write_value(std::size_t index, const std::function<void(at::Tensor on_cpu)>& write) {
  at::Tensor flat = values_.narrow(0, offset(index), count(index));
  const at::Tensor on_cpu = flat.cpu();
  write(on_cpu);
  if (!flat.is_cpu()) flat.copy_(on_cpu);
}

at::Tensor ParameterStore::value(const std::string& name) const {
  const std::size_t i = index_of(name);
  return values_.narrow(0, offset(i), count(i)).view(specs_[i].shape);
}

at::Tensor ParameterStore::gradient(const std::string& name) {
  const std::size_t i = index_of(name);
  return gradients().narrow(0, gradient_offset(i), count(i)).view(specs_[i].shape);
}

at::Tensor ParameterStore::joined_value(const std::string& name, std::int64_t rows, std::int64_t columns) const {
  return matrix_view(values_, offset(index_of(name)), rows, columns);
}

at::Tensor ParameterStore::joined_gradient(const std::string& name, std::int64_t rows, std::int64_t columns) {
  return matrix_view(gradients(), gradient_offset(index_of(name)), rows, columns);
}

}  // namespace gausscse
