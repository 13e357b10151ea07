#include <ATen/core/Tensor.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/as_strided_ops.h>
#include <ATen/ops/cat_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/expand_as_ops.h>
#include <ATen/ops/index_copy_ops.h>
#include <ATen/ops/index_select_ops.h>
#include <ATen/ops/linalg_eigh_ops.h>
#include <ATen/ops/matmul_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/narrow_ops.h>
#include <ATen/ops/select_ops.h>
#include <ATen/ops/slice_ops.h>
#include <ATen/ops/t_ops.h>
#include <ATen/ops/to_ops.h>
#include <ATen/ops/view_ops.h>
#include <ATen/ops/zero_ops.h>
#include <ATen/ops/zeros_like_ops.h>
#include <ATen/ops/zeros_ops.h>

#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "base/error.hpp"
#include "launcher/libtorch_on_demand.hpp"
#include "model/ops/dense_tensors.hpp"

// Functions of LibTorch that the program has itself, so that `score`, `encode`, `search` and `similarity` do not load
// LibTorch for them. They are those of model/ops/dense_tensors.hpp, which pass unknown arguments on to LibTorch, and
// the pointers to a tensor's values.

namespace gausscse {

namespace {

/// Returns the beginning of the exported name of Op::call: "_ZN2at4_ops6narrow4callE" of at::_ops::narrow, whose type
/// is called "N2at4_ops6narrowE".
template <typename Op>
std::string begin_of_name() {
  const std::string_view type = typeid(Op).name();
  return concat("_Z", type.substr(0, type.size() - 1), "4callE");
}

template <typename Op, typename... Arguments>
decltype(auto) call_libtorch(Arguments&&... arguments) {
  static const auto function =
      reinterpret_cast<typename Op::schema*>(find_in_libtorch(find_libtorch_entry(begin_of_name<Op>())->name));
  set_threads_of_libtorch();
  return function(std::forward<Arguments>(arguments)...);
}

template <typename Op>
void replace(typename Op::schema* function) {
  if (LibtorchEntry* const entry = find_libtorch_entry(begin_of_name<Op>()))
    entry->function = reinterpret_cast<void*>(function);
}

/// Function with LibTorch's arguments that calls `own`, and LibTorch if that returns nothing.
template <typename Op, auto own, typename Schema = typename Op::schema>
struct OwnFunction;
template <typename Op, auto own, typename Result, typename... Arguments>
struct OwnFunction<Op, own, Result(Arguments...)> {
  static Result call(Arguments... arguments) {
    if (auto result = own(arguments...)) return static_cast<Result>(*result);
    return call_libtorch<Op>(std::forward<Arguments>(arguments)...);
  }
};
template <typename Op, auto own>
void use() {
  replace<Op>(&OwnFunction<Op, own>::call);
}

/// Function of LibTorch that gets this thread's number of threads before each call.
template <typename Op, typename Schema = typename Op::schema>
struct ThreadedFunction;
template <typename Op, typename Result, typename... Arguments>
struct ThreadedFunction<Op, Result(Arguments...)> {
  static Result call(Arguments... arguments) { return call_libtorch<Op>(std::forward<Arguments>(arguments)...); }
};
template <typename... Ops>
void set_threads_before() {
  (replace<Ops>(&ThreadedFunction<Ops>::call), ...);
}

[[maybe_unused]] const bool functions_are_replaced = [] {
  namespace own = dense_tensors;
  using namespace at::_ops;
  use<empty_memory_format, own::empty>();
  use<at::_ops::empty_like, own::empty_like>();
  use<at::_ops::zeros, own::zeros>();
  use<at::_ops::zeros_like, own::zeros_like>();
  use<at::_ops::narrow, own::narrow>();
  use<select_int, own::select>();
  use<slice_Tensor, own::slice>();
  use<at::_ops::view, own::view>();
  use<at::_ops::as_strided, own::as_strided>();
  use<at::_ops::t, own::t>();
  use<at::_ops::expand_as, own::expand_as>();
  use<at::_ops::copy_, own::copy_>();
  use<at::_ops::clone, own::clone>();
  use<to_dtype_layout, own::to>();
  use<to_dtype, own::to_type>();
  use<at::_ops::cat, own::cat>();
  use<at::_ops::zero_, own::zero_>();
  use<at::_ops::index_select, own::index_select>();
  use<at::_ops::index_select_out, own::index_select_out>();
  use<at::_ops::index_copy_, own::index_copy_>();
  set_threads_before<mm, mm_out, mm_dtype_out, addmm, addmm_, addmm_out, matmul, dot, linalg_eigh>();
  return true;
}();

template <typename T>
void check_type(const at::TensorBase& tensor) {
  GAUSSCSE_CHECK(tensor.scalar_type() == c10::CppTypeToScalarType<T>::value, "values of another type, ",
                 c10::toString(tensor.scalar_type()));
}

}  // namespace

}  // namespace gausscse

namespace at {

#define VALUES_OF_TENSORS(T)                                  \
  template <>                                                 \
  const T* TensorBase::const_data_ptr<T, 0>() const {         \
    gausscse::check_type<T>(*this);                           \
    return unsafeGetTensorImpl()->data_ptr_impl<T>();         \
  }                                                           \
  template <>                                                 \
  T* TensorBase::mutable_data_ptr<T>() const {                \
    gausscse::check_type<T>(*this);                           \
    return unsafeGetTensorImpl()->mutable_data_ptr_impl<T>(); \
  }
VALUES_OF_TENSORS(float)
VALUES_OF_TENSORS(double)
VALUES_OF_TENSORS(BFloat16)
VALUES_OF_TENSORS(std::int8_t)
VALUES_OF_TENSORS(std::uint8_t)
VALUES_OF_TENSORS(std::int32_t)
VALUES_OF_TENSORS(std::int64_t)
VALUES_OF_TENSORS(bool)
#undef VALUES_OF_TENSORS

TensorBase TensorBase::__dispatch_contiguous(MemoryFormat format) const {
  return Tensor(*this).clone(format);
}

}  // namespace at
