#pragma once

#include <limits>

#include "model/choices.hpp"
#include "model/kernels/cuda/contrastive/contrastive.cuh"
#include "tests/model/kernels/cuda/contrastive/texts_of_case.hpp"
#include "tests/model/kernels/cuda/kernel_test.hpp"
#include "tests/model/similarities/closed_form.hpp"

/// Inputs of the contrastive loss, and the CPU's results for them.
namespace gausscse {

using kernels::ContrastiveTerms;

constexpr std::int64_t any_number_of_pairs = std::int64_t{1} << 40;
/// No case has so many rows.
constexpr std::int64_t no_products = std::int64_t{1} << 40;

constexpr std::int64_t usual_blocks = kernels::cuda::ContrastiveLimits{}.most_blocks;

/// A loss of the whole batch, or of some of its anchors.
struct Case {
  std::int64_t batch, dimension, anchor_begin, anchor_end;
  Similarity kind;
  ContrastiveTerms terms;
  double temperature = 0.05;
  double mean = 0, mean_spread = 1, log_var = 0, log_var_spread = 1;
  std::int64_t most_pairs = any_number_of_pairs;
  std::int64_t least_for_products = no_products;

  std::int64_t most_blocks = usual_blocks;
  std::int64_t texts = 0;  ///< distinct texts of a batch whose candidates a mask leaves out; 0: there is no mask

  kernels::cuda::ContrastiveLimits limits() const { return {most_pairs, least_for_products, most_blocks}; }
  /// Returns whether the limits are those of a call in a training, for a case of this size.
  bool has_usual_limits() const {
    return most_pairs == any_number_of_pairs && least_for_products == no_products && most_blocks == usual_blocks;
  }
  std::string name() const {
    return "batch " + std::to_string(batch) + ", dimension " + std::to_string(dimension) + ", anchors " +
           std::to_string(anchor_begin) + " to " + std::to_string(anchor_end) + ", kind " + std::string(name_of(kind)) +
           (terms.contradiction ? ", contradiction" : "") + (terms.reversed ? ", reversed" : "");
  }
};

constexpr Similarity per_dimension = Similarity::per_dimension, joint = Similarity::joint;
/// All similarities of Gaussians.
inline const std::vector<Similarity> gaussian_similarities = all_similarities();
constexpr ContrastiveTerms ent{false, false}, ent_con{true, false}, ent_rev{false, true}, all_terms{true, true};

/// Makes rows of three roles that are alike, as those of a trained model, and not the same; floats for any T.
template <typename T>
std::vector<T> rows_of(const Case& c) {
  std::vector<float> rows = random_values<float>(3 * c.batch * 2 * c.dimension, 17);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_mean = static_cast<std::int64_t>(i) % (2 * c.dimension) < c.dimension;
    const double value = static_cast<double>(rows[i]);
    rows[i] = static_cast<float>(is_mean ? c.mean + c.mean_spread * value : c.log_var + c.log_var_spread * value);
  }
  return converted<T>(rows);
}

/// First rows of a block, one for each role.
template <typename T>
struct Roles {
  Roles(std::vector<T>& all, std::int64_t batch, std::int64_t dimension, std::int64_t first = 0) {
    for (std::int64_t role = 0; role < 3; ++role) rows[role] = all.data() + (role * batch + first) * 2 * dimension;
  }
  T* rows[3];
};

template <typename T>
struct Result {
  double loss = -1;
  std::vector<T> gradient;
};

/// `run` is contrastive_loss without its context.
template <typename T, typename Run>
Result<T> loss_of(const Case& c, std::vector<T> rows, bool with_gradient, const Run& run) {
  Result<T> result;
  const std::int64_t of_role = c.batch * 2 * c.dimension;
  // Only the arrays that are to be overwritten: the roles of the loss.
  result.gradient.assign(static_cast<std::size_t>(c.terms.roles() * of_role), std::numeric_limits<T>::quiet_NaN());
  const Roles<T> in(rows, c.batch, c.dimension);
  T* gradient[3] = {};
  for (int role = 0; role < c.terms.roles(); ++role) gradient[role] = result.gradient.data() + role * of_role;
  const TextsOfCase texts(c.batch, c.anchor_begin, c.anchor_end, c.texts, c.terms);
  run(kernels::ContrastiveCandidates<T>{{},
                                        c.anchor_end - c.anchor_begin,
                                        {in.rows[0], in.rows[1], c.terms.contradiction ? in.rows[2] : nullptr},
                                        c.batch,
                                        c.anchor_begin,
                                        c.dimension,
                                        c.temperature,
                                        c.kind,
                                        c.terms,
                                        texts.mask(0)},
      &result.loss, with_gradient ? gradient : nullptr);
  return result;
}

template <typename T>
Result<T> loss_on_gpu(const Case& c, const std::vector<T>& rows, bool with_gradient = true) {
  GpuOnCpu gpu;
  return loss_of<T>(c, rows, with_gradient, [&](const auto& input, double* loss, T* const* gradient) {
    if (c.has_usual_limits())
      kernels::cuda::contrastive_loss<T>(gpu.context(), input, loss, gradient);
    else
      kernels::cuda::contrastive_loss_within<T>(gpu.context(), input, loss, gradient, c.limits());
  });
}

inline Result<double> loss_on_cpu(const Case& c, const std::vector<double>& rows) {
  return loss_of<double>(c, rows, true, [&](const auto& input, double* loss, double* const* gradient) {
    kernels::kernel_table<double>().contrastive_loss({}, input, loss, gradient);
  });
}

/// Within `tolerance` times the largest expected magnitude, but not below 1e-20.
template <typename Actual>
void expect_relative(const std::vector<Actual>& actual, const std::vector<double>& expected, double tolerance,
                     const char* what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  double largest = 1e-20;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < actual.size(); ++i)
    ASSERT_TRUE(std::abs(as_double(actual[i]) - expected[i]) <= tolerance * largest)
        << what << "[" << i << "] is " << as_double(actual[i]) << ", expected " << expected[i] << ", largest "
        << largest;
}

/// Returns the largest allowed difference of T from the CPU's float64.
template <typename T>
constexpr double tolerance_of() {
  return sizeof(T) == 4 ? 1e-5 : 1e-12;
}

/// Expects the GPU's loss and gradient of these rows, or of `rows_of`, to be the CPU's in float64.
template <typename T>
void expect_loss_as_on_cpu(const Case& c, const std::vector<T>& rows) {
  SCOPED_TRACE(c.name() + (sizeof(T) == 4 ? ", float" : ", double"));
  const Result<double> expected = loss_on_cpu(c, converted<double>(rows));
  const Result<T> actual = loss_on_gpu<T>(c, rows);
  EXPECT_NEAR(actual.loss, expected.loss, tolerance_of<T>() * std::max(1.0, std::abs(expected.loss)));
  expect_relative(actual.gradient, expected.gradient, tolerance_of<T>(), "gradient");
}

template <typename T>
void expect_loss_as_on_cpu(const Case& c) {
  expect_loss_as_on_cpu<T>(c, rows_of<T>(c));
}

/// An anchor's softmax and the gradient, from candidates that come in blocks which end at `ends`; anchors and
/// candidates are rows of one batch. `calls` has see and differentiate.
template <typename T>
struct Blockwise {
  template <typename Calls>
  Blockwise(const Case& c, std::vector<T> all, const std::vector<std::int64_t>& ends, const Calls& calls)
      : largest(anchors_of(c), -std::numeric_limits<double>::infinity()),
        sum(anchors_of(c)),
        positive(anchors_of(c)),
        gradient(all.size()) {
    const std::int64_t anchors = c.anchor_end - c.anchor_begin, width = 2 * c.dimension;
    const kernels::RunningSoftmax softmax{largest.data(), sum.data(), positive.data()};
    const Roles<T> anchor_rows(all, c.batch, c.dimension, c.anchor_begin);
    const TextsOfCase texts(c.batch, c.anchor_begin, c.anchor_end, c.texts, c.terms);
    for (const bool differentiates : {false, true}) {
      std::int64_t first = 0;
      for (const std::int64_t end : ends) {
        const Roles<T> candidate_rows(all, c.batch, c.dimension, first);
        kernels::ContrastiveCandidates<T> input{{},          anchors,       {},     end - first, c.anchor_begin - first,
                                                c.dimension, c.temperature, c.kind, c.terms,     texts.mask(first)};
        std::copy_n(anchor_rows.rows, 3, input.anchor_rows);
        std::copy_n(candidate_rows.rows, 3, input.candidate_rows);
        if (!differentiates) {
          calls.accumulate(input, softmax);
        } else {
          constexpr T unset = std::numeric_limits<T>::quiet_NaN();
          std::vector<T> by_anchors(static_cast<std::size_t>(3 * anchors * width), unset),
              by_candidates(static_cast<std::size_t>(3 * (end - first) * width), unset);
          const Roles<T> anchor_gradient(by_anchors, anchors, c.dimension),
              candidate_gradient(by_candidates, end - first, c.dimension);
          calls.backward(input, softmax, 1.0 / static_cast<double>(c.batch), anchor_gradient.rows,
                         candidate_gradient.rows);
          if (anchors > 0 && end > first) {
            add(by_anchors, anchors, c, c.anchor_begin);
            add(by_candidates, end - first, c, first);
          }
        }
        first = end;
      }
    }
  }

  std::vector<double> largest, sum, positive;
  std::vector<T> gradient;  ///< by all rows, in all roles of the terms

 private:
  static std::size_t anchors_of(const Case& c) { return static_cast<std::size_t>(c.anchor_end - c.anchor_begin); }

  void add(const std::vector<T>& part, std::int64_t rows, const Case& c, std::int64_t first) {
    const std::int64_t width = 2 * c.dimension;
    for (std::int64_t role = 0; role < c.terms.roles(); ++role)
      for (std::int64_t i = 0; i < rows * width; ++i)
        gradient[static_cast<std::size_t>((role * c.batch + first) * width + i)] +=
            part[static_cast<std::size_t>(role * rows * width + i)];
  }
};

/// The GPU's kernels, with the limits of a case.
template <typename T>
struct GpuCalls {
  explicit GpuCalls(const Case& c) : limits(c.limits()), has_usual_limits(c.has_usual_limits()) {}
  kernels::cuda::ContrastiveLimits limits;
  bool has_usual_limits;
  void accumulate(const kernels::ContrastiveCandidates<T>& input, const kernels::RunningSoftmax& softmax) const {
    GpuOnCpu gpu;
    if (has_usual_limits)
      kernels::cuda::contrastive_accumulate<T>(gpu.context(), input, softmax);
    else
      kernels::cuda::contrastive_see_within<T>(gpu.context(), input, softmax, limits);
  }
  void backward(const kernels::ContrastiveCandidates<T>& input, const kernels::RunningSoftmax& softmax, double weight,
                T* const* by_anchors, T* const* by_candidates) const {
    GpuOnCpu gpu;
    if (has_usual_limits)
      kernels::cuda::contrastive_backward<T>(gpu.context(), input, softmax, weight, by_anchors, by_candidates);
    else
      kernels::cuda::contrastive_differentiate_within<T>(gpu.context(), input, softmax, weight, by_anchors,
                                                         by_candidates, limits);
  }
};

struct CpuCalls {
  void accumulate(const kernels::ContrastiveCandidates<double>& input, const kernels::RunningSoftmax& softmax) const {
    kernels::kernel_table<double>().contrastive_accumulate({}, input, softmax);
  }
  void backward(const kernels::ContrastiveCandidates<double>& input, const kernels::RunningSoftmax& softmax,
                double weight, double* const* by_anchors, double* const* by_candidates) const {
    kernels::kernel_table<double>().contrastive_backward({}, input, softmax, weight, by_anchors, by_candidates);
  }
};

}  // namespace gausscse
