#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

/// LibTorch's functions that make, view and copy tensors, for dense tensors on the CPU, without LibTorch.
///
/// Each takes the arguments of the function of LibTorch that has its name and computes the same. It returns nothing, or
/// null, for arguments that it does not know, such as tensors on GPUs or indices out of range. LibTorch has these: the
/// program calls it then (launcher/functions_without_libtorch.cpp). Functions whose name ends in _ or _out return the
/// tensor that they changed.
namespace gausscse::dense_tensors {

using Made = std::optional<at::Tensor>;
using Size = c10::SymInt;
using Sizes = c10::SymIntArrayRef;
using Type = std::optional<at::ScalarType>;
using Layout = std::optional<at::Layout>;
using Device = std::optional<at::Device>;
using Flag = std::optional<bool>;
using Format = std::optional<at::MemoryFormat>;

Made empty(Sizes sizes, Type type, Layout layout, Device device, Flag pinned, Format format);
Made empty_like(const at::Tensor& self, Type type, Layout layout, Device device, Flag pinned, Format format);
/// Makes large tensors of fresh memory of the system, which is zero and takes no time before it is used.
Made zeros(Sizes sizes, Type type, Layout layout, Device device, Flag pinned);
Made zeros_like(const at::Tensor& self, Type type, Layout layout, Device device, Flag pinned, Format format);

Made narrow(const at::Tensor& self, std::int64_t dimension, const Size& start, const Size& length);
Made select(const at::Tensor& self, std::int64_t dimension, const Size& index);
Made slice(const at::Tensor& self, std::int64_t dimension, const std::optional<Size>& start,
           const std::optional<Size>& end, const Size& step);
/// Takes contiguous tensors.
Made view(const at::Tensor& self, Sizes sizes);
Made as_strided(const at::Tensor& self, Sizes sizes, Sizes strides, const std::optional<Size>& offset);
/// Takes matrices.
Made t(const at::Tensor& self);
Made expand_as(const at::Tensor& self, const at::Tensor& other);

/// Copies between tensors of the same sizes and type, and between float32, float64 and bfloat16.
at::Tensor* copy_(at::Tensor& self, const at::Tensor& source, bool non_blocking);
Made clone(const at::Tensor& self, Format format);
Made contiguous(const at::Tensor& self);
Made to(const at::Tensor& self, Type type, Layout layout, Device device, Flag pinned, bool non_blocking, bool copy,
        Format format);
Made to_type(const at::Tensor& self, at::ScalarType type, bool non_blocking, bool copy, Format format);
Made cat(const at::ITensorListRef& tensors, std::int64_t dimension);
at::Tensor* zero_(at::Tensor& self);

/// Rows whose elements lie next to each other: `dimension` is 0, indices are int64.
Made index_select(const at::Tensor& self, std::int64_t dimension, const at::Tensor& index);
at::Tensor* index_select_out(const at::Tensor& self, std::int64_t dimension, const at::Tensor& index, at::Tensor& out);
at::Tensor* index_copy_(at::Tensor& self, std::int64_t dimension, const at::Tensor& index, const at::Tensor& source);

}  // namespace gausscse::dense_tensors
