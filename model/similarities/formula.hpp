#pragma once

#include <concepts>
#include <string_view>
#include <type_traits>

#include "model/similarities/gaussian.hpp"

namespace gausscse::kernels {

/// Arithmetic that a header may use: `exp`, `log` and `reciprocal` of each `Real` that instantiates it.
template <typename Math, typename Real>
concept ArithmeticOf = requires(Real x) {
  { Math::exp(x) } -> std::same_as<Real>;
  { Math::log(x) } -> std::same_as<Real>;
  { Math::reciprocal(x) } -> std::same_as<Real>;
};

/// Formula that a similarity of Gaussians p and q states. All else is derived from it: packing, kernels of CPUs and
/// GPUs for loss, gradient and search, evaluation in float64 (evaluation_forms.hpp), exports, model cards and tests.
///
///     sim(p || q) = similarity(sum over dimensions of term(divergence(p, q)), number of dimensions)
///
/// Functions take float, double, vectors of them and tensors, so they are templates without branches; numbers in them
/// are float literals that a float holds exactly. Special functions, and divisions by what a pair gives, are those of
/// `Math`.
template <typename S>
concept StatesFormula = requires(Gaussian<double> p, Gaussian<double> q, double x, double (&sums)[S::sums]) {
  // true if sim(p || q) differs from sim(q || p)
  {std::bool_constant<S::has_direction>()};
  // true if a pair depends on the difference of means alone, and stays as it is when both log-variances are
  // shifted by c and both means multiplied by e^(c/2)
  {std::bool_constant<S::is_scale_free>()};
  // lines of Python: sim(a || b) from means m[a], m[b] and log-variances v[a], v[b]
  { S::in_python } -> std::convertible_to<std::string_view>;
  // Gaussian::spread of a log-variance
  { S::spread(x) } -> std::same_as<double>;
  // divergence of one dimension: 0, or the least, for equal Gaussians
  { S::divergence(p, q) } -> std::same_as<double>;
  // summand of the similarity, from the divergence; and `weight` times the derivative of one by the other
  { S::term(x) } -> std::same_as<double>;
  { S::term_backward(x, x) } -> std::same_as<double>;
  // similarity of the sum of terms and the number of dimensions; and its derivative by the sum, from the
  // similarity and the number
  { S::similarity(x, x) } -> std::same_as<double>;
  { S::slope(x, x) } -> std::same_as<double>;
  // pair_sums(p, q, weight): values that add up over pairs; `weight` is the loss's derivative by the sum of terms.
  // row_gradient(row, as_p, as_q): a row's gradient from the sums over its pairs as p and as q. GradientOf derives
  // both, and `sums`, from `derivatives(p, q)`
  { S::pair_sums(p, q, x) } -> std::same_as<PairSums<double, S::sums>>;
  { S::row_gradient(p, sums, sums) } -> std::same_as<RowGradient<double>>;
};

/// Similarity with a divergence that is an inner product once it is summed, which a search computes as one:
/// `products` factors a dimension, see ProductTerms.
template <typename S>
concept InnerProduct = requires(double x) {
  { S::as_p(x, x) } -> std::same_as<ProductTerms<double, S::products>>;
  { S::as_q(x, x) } -> std::same_as<ProductTerms<double, S::products>>;
  // constant of a dimension
  { S::product_constant } -> std::convertible_to<double>;
  // the sum of divergences that a similarity is made of
  { S::sum_of(x) } -> std::same_as<double>;
};

/// Similarity that a search may compute in float32, as it states the error of doing so. Others without an inner product
/// are compared in float64.
template <typename S>
concept BoundedInFloat = requires(double x) {
  // greatest error of the similarity by a reciprocal's relative error, `x`, and by the number of dimensions
  { S::float_error(x, x) } -> std::same_as<double>;
  // further error by one row, of its mean absolute log-variance
  { S::float_error_of_row(x) } -> std::same_as<double>;
};

/// Similarity whose terms are those of `Joint`, 2 kl: GPUs have matrix products for them (product.cuh), and exported
/// features keep its order.
template <typename S>
concept SumOfJointTerms = requires {
  requires S::has_joint_terms;
};

/// Similarity that falls with the Euclidean distance of vectors, which it names for exports.
template <typename S>
concept Euclidean = requires {
  { S::euclidean_vectors } -> std::convertible_to<std::string_view>;
};

/// Similarity whose header is whole: it states its formula, and each optional part that it begins.
template <typename S>
concept SimilarityOfGaussians = StatesFormula<S> &&(!requires {
  S::products;
} || InnerProduct<S>)&&(!requires(double x) { S::float_error(x, x); } || BoundedInFloat<S>);

/// Part of a similarity that states term(divergence) = divergence.
struct SumOfDivergences {
  template <typename Real>
  GAUSSCSE_DEVICE static Real term(const Real& divergence) {
    return divergence;
  }
  template <typename Weight, typename Real>
  GAUSSCSE_DEVICE static Real term_backward(Weight weight, const Real&) {
    return Real{} + weight;
  }
};

/// Part of a similarity `S` that states its four derivatives, of the divergence: Derivatives derivatives(p, q).
template <typename S>
struct GradientOf {
  static constexpr int sums = 2;

  template <typename Real, typename Weight>
  GAUSSCSE_DEVICE static PairSums<Real, sums> pair_sums(const Gaussian<Real>& p, const Gaussian<Real>& q,
                                                        Weight weight) {
    const Real w = S::term_backward(weight, S::divergence(p, q));
    const Derivatives<Real> by = S::derivatives(p, q);
    return {{w * by.mean_p, w * by.log_var_p}, {w * by.mean_q, w * by.log_var_q}};
  }
  template <typename Real>
  GAUSSCSE_DEVICE static RowGradient<Real> row_gradient(const Gaussian<Real>&, const Real (&as_p)[sums],
                                                        const Real (&as_q)[sums]) {
    return {as_p[0] + as_q[0], as_p[1] + as_q[1]};
  }
};

}  // namespace gausscse::kernels
