#include <ATen/EmptyTensor.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <utility>
#include <vector>

#include "tests/support/pretended_gpu/memory.hpp"

namespace gausscse::pretended_gpu {

namespace {

/// Returns a tensor's memory as a tensor of the CPU.
at::Tensor as_of_cpu(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.is_cuda()) return tensor;
  return at::from_blob(tensor.mutable_data_ptr(), tensor.sizes(), tensor.strides(), tensor.options().device(at::kCPU));
}

/// Tensors, and the values that they get when a copy is done.
using Copies = std::vector<std::pair<at::Tensor, at::Tensor>>;

/// Copies to the GPU on streams other than the default one, which are done when that waits for them: those of this
/// thread that no event has been recorded behind.
thread_local Copies uploads;
/// Copies to the host, in order, of which the first are done: somebody has waited for them.
Copies downloads;
std::size_t done_downloads = 0;
thread_local c10::StreamId current_stream = 0;

/// Copies that an event stands behind.
struct EventOfCopies {
  Copies uploads;
  std::size_t downloads = 0;  ///< number of the copies to the host
};

/// All other work is done when it is queued.
struct Guard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::CUDA> {
  c10::Stream getStream(c10::Device device) const noexcept override { return stream(current_stream, device); }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override { return stream(1, device); }
  c10::Stream exchangeStream(c10::Stream next) const noexcept override {
    return stream(std::exchange(current_stream, next.id()), next.device());
  }
  void* getStreamNativeHandle(c10::Stream) const override { return nullptr; }
  void record(void** event, const c10::Stream& on, c10::DeviceIndex, c10::EventFlag) const override {
    if (!*event) *event = new EventOfCopies;
    auto& of_event = *static_cast<EventOfCopies*>(*event);
    if (on.id() != 0)
      of_event.uploads = std::exchange(uploads, {});
    else
      of_event.downloads = downloads.size();
  }
  void block(void* event, const c10::Stream& waiting) const override {
    if (!event || waiting.id() != 0) return;
    const Access access;
    for (const auto& [to, values] : std::exchange(static_cast<EventOfCopies*>(event)->uploads, {}))
      as_of_cpu(to).copy_(values);
  }
  void synchronizeEvent(void* event) const override {
    const std::size_t end = static_cast<EventOfCopies*>(event)->downloads;
    if (done_downloads < end) ++counts().waits;
    for (; done_downloads < end; ++done_downloads) {
      auto& [to, values] = downloads[done_downloads];
      to.copy_(values);
      to = values = at::Tensor();
    }
  }
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void* event, c10::DeviceIndex) const noexcept override {
    delete static_cast<EventOfCopies*>(event);
  }
  void recordDataPtrOnStream(const c10::DataPtr&, const c10::Stream& on) const override {
    if (on.id() == 0) ++std::atomic_ref(counts().kept_for_the_default_stream);
  }

 private:
  static c10::Stream stream(c10::StreamId id, c10::Device device) {
    return c10::Stream(c10::Stream::UNSAFE, device, id);
  }
};

C10_REGISTER_GUARD_IMPL(CUDA, Guard)

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(sizes, &allocator(), c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                   type.value_or(at::kFloat), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides, std::optional<at::ScalarType> type,
                         std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(sizes, strides, &allocator(), c10::DispatchKeySet(c10::DispatchKey::CUDA),
                                           type.value_or(at::kFloat));
}

at::Tensor& copy(at::Tensor& to, const at::Tensor& from, bool non_blocking) {
  const bool to_gpu = to.is_cuda(), from_gpu = from.is_cuda();
  const Access access;
  at::Tensor target = as_of_cpu(to);
  if (to_gpu && !from_gpu) {
    // Batches are brought there by another thread.
    ++std::atomic_ref(counts().copies_to_gpu);
    if (non_blocking && current_stream != 0) {
      uploads.emplace_back(to, from);
      return to;
    }
    // For all that is queued before it.
    if (!non_blocking) ++counts().waits;
  }
  if (!to_gpu && from_gpu) {
    ++counts().copies_to_host;
    if (non_blocking) {
      // What the host finds before it has waited.
      to.view(-1).view(at::kByte).fill_(0xFF);
      downloads.emplace_back(to, as_of_cpu(from).clone());
      return to;
    }
    ++counts().waits;
  }
  target.copy_(as_of_cpu(from));
  return to;
}

/// Tensors that an operator was given, and the same memory as tensors of the CPU.
class Arguments {
 public:
  at::Tensor of_cpu(const at::Tensor& tensor) {
    if (!tensor.defined()) return tensor;
    if (!tensor.is_cuda()) {
      TORCH_CHECK(tensor.dim() == 0, "an operator takes tensors of the GPU and of the CPU");
      return tensor;
    }
    // One without elements may be given its size by the operator.
    pairs_.emplace_back(
        tensor, tensor.numel() == 0 ? at::empty(tensor.sizes(), tensor.options().device(at::kCPU)) : as_of_cpu(tensor));
    return pairs_.back().second;
  }

  /// Returns the operator's result, on the GPU again.
  at::Tensor of_gpu(const at::Tensor& result) const {
    if (!result.defined()) return result;
    for (const auto& [given, on_cpu] : pairs_) {
      if (on_cpu.is_same(result)) {
        if (given.sizes() != result.sizes()) replace(given, new_on_gpu(result));
        return given;
      }
      TORCH_CHECK(!on_cpu.is_alias_of(result), "the pretended GPU does not know this kind of view");
    }
    return new_on_gpu(result);
  }

 private:
  static at::Tensor new_on_gpu(const at::Tensor& tensor) {
    at::Tensor there = at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kCUDA, 0));
    as_of_cpu(there).copy_(tensor);
    return there;
  }

  static void replace(const at::Tensor& tensor, const at::Tensor& by) {
    tensor.unsafeGetTensorImpl()->set_storage_keep_dtype(by.storage());
    tensor.unsafeGetTensorImpl()->set_sizes_and_strides(by.sizes(), by.strides());
  }

  std::vector<std::pair<at::Tensor, at::Tensor>> pairs_;
};

/// Any other operator: computed by the CPU's, in the GPU's memory.
void compute_on_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const Access access;
  Arguments arguments;
  const std::size_t count = op.schema().arguments().size();
  bool has_tensors = false;
  for (std::size_t i = stack->size() - count; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor()) {
      value = arguments.of_cpu(value.toTensor());
      has_tensors = true;
    } else if (value.isTensorList()) {
      std::vector<at::Tensor> tensors;
      for (const at::Tensor& tensor : value.toTensorVector()) tensors.push_back(arguments.of_cpu(tensor));
      value = tensors;
      has_tensors = true;
    } else if (value.isDevice()) {
      value = at::Device(at::kCPU);
    }
  }
  op.callBoxed(stack);
  const std::size_t results = op.schema().returns().size();
  for (std::size_t i = stack->size() - results; i < stack->size(); ++i) {
    c10::IValue& value = (*stack)[i];
    if (value.isTensor())
      value = arguments.of_gpu(value.toTensor());
    else if (has_tensors)
      ++counts().waits;
  }
}

at::Tensor reshape_alias(const at::Tensor& self, at::IntArrayRef size, at::IntArrayRef stride) {
  return at::native::as_strided_tensorimpl(self, size, stride, std::nullopt);
}

}  // namespace

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&compute_on_cpu>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  c10::SetAllocator(c10::DeviceType::CUDA, &allocator());
  library.impl("empty.memory_format", &empty);
  library.impl("empty_strided", &empty_strided);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("view", &at::native::view);
  library.impl("_reshape_alias", &reshape_alias);
  library.impl("copy_", &copy);
}

}  // namespace gausscse::pretended_gpu
