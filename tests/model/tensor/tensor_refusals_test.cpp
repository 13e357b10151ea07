#include "tests/model/tensor/own_tensor.hpp"

namespace gausscse {
namespace {

/// Returns the text with which a call is refused.
template <typename Function>
std::string refused(const Function& function) {
  try {
    function();
  } catch (const own_at::Error& error) {
    return error.what();
  }
  return "not refused";
}

TEST(OwnTensor, ArgumentsThatDoNotFitAreRefused) {
  const own_at::Tensor x = own_at::zeros({3, 4}), row = own_at::zeros({3});
  EXPECT_EQ(refused([&] { x.size(2); }), "a dimension that the tensor does not have");
  EXPECT_EQ(refused([&] { x.select(1, 4); }), "select: an index past the end of the dimension");
  EXPECT_EQ(refused([&] { x.narrow(0, 2, 2); }), "narrow: a part past the end of the dimension");
  EXPECT_EQ(refused([&] { x.narrow(0, 3, -1); }), "narrow: a part past the end of the dimension");
  EXPECT_EQ(refused([&] { x.view({5, 2}); }), "view: other sizes do not have as many elements");
  EXPECT_EQ(refused([&] { x.t().view({12}); }), "view: the elements have gaps: reshape them");
  EXPECT_EQ(refused([&] { x.as_strided({3}, {5}, 2); }), "as_strided: past the end of the storage");
  EXPECT_EQ(refused([&] { x.expand({3, 5}); }), "expand: only dimensions of size 1 are repeated");
  EXPECT_EQ(refused([&] { x.add(row); }), "tensors whose sizes do not go together");
  EXPECT_EQ(refused([&] { x.mm(x); }), "factors whose sizes do not go together");
  EXPECT_EQ(refused([&] {
              x.mm(own_at::zeros({4, 2}, own_at::kDouble));
            }),
            "factors of float32 or float64, of one type");
  EXPECT_EQ(refused([&] { x.const_data_ptr<double>(); }), "elements of another type than the tensor's");
  EXPECT_EQ(refused([&] { x.item<float>(); }), "item: a tensor of more or fewer elements than one");
  EXPECT_EQ(refused([&] { own_at::empty({-1}); }), "a size below 0, or too large a tensor");
  EXPECT_EQ(refused([&] { own_at::empty({1ll << 40, 1ll << 40}); }), "a size below 0, or too large a tensor");
  EXPECT_EQ(refused([&] { own_at::zeros({0, 3}).amax({1}); }), "not refused");
  EXPECT_EQ(refused([&] { own_at::zeros({0, 3}).amax({0}); }), "the largest of no elements");
  EXPECT_EQ(refused([&] { own_at::zeros({0}).max(); }), "the largest of no elements");
  EXPECT_EQ(refused([&] { own_at::empty({2}, own_at::TensorOptions(own_at::kCUDA)); }),
            "a program without LibTorch has no tensors on GPUs");
  EXPECT_EQ(refused([&] { own_at::zeros({2}, own_at::kByte).add(own_at::zeros({2}, own_at::kChar)); }),
            "bytes with and without sign have no type in common");
  const own_at::Tensor past = own_at::full({1}, 3, own_at::kLong), below = own_at::full({1}, -1, own_at::kLong);
  for (const own_at::Tensor& index : {past, below}) {
    EXPECT_EQ(refused([&] { x.index_select(0, index); }), "an index past the end of the dimension");
    EXPECT_EQ(refused([&] {
                x.index_copy_(0, index, own_at::zeros({1, 4}));
              }),
              "an index past the end of the dimension");
  }
}

}  // namespace
}  // namespace gausscse
