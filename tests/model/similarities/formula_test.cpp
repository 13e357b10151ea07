#include "model/similarities/formula.hpp"

#include "model/similarities/evaluation_forms.hpp"
#include "model/similarities/list.hpp"
#include "tests/model/similarities/closed_form.hpp"
#include "tests/support/testing.hpp"

namespace gausscse {
namespace {

using kernels::HostMath;

/// Calls check(S{}) for each similarity of Gaussians.
template <typename Check>
void for_each_similarity(const Check& check) {
  for (const Similarity similarity : all_similarities()) {
    SCOPED_TRACE(name_of(similarity));
    kernels::with_similarity<HostMath>(similarity, [&](auto of) { check(similarity, of); });
  }
}

/// Means and log-variances of pairs that are close, apart, narrow, wide and equal.
struct Pair {
  double mean_p, log_var_p, mean_q, log_var_q;
};
constexpr Pair pairs[] = {{0.3, -0.5, -0.2, 0.4}, {2, 1.5, -1, -1.2},   {0.7, -3, 0.69, -3.1},
                          {5, 4, -6, 3},          {0.1, 0.2, 0.1, 0.2}, {-0.4, -0.9, 0.8, 1.1}};

template <typename S>
double divergence(const Pair& at) {
  const auto pack = [](double mean, double log_var) {
    const double spread = S::spread(log_var);
    return kernels::Gaussian<double>{mean, spread, 1 / spread, log_var};
  };
  return S::divergence(pack(at.mean_p, at.log_var_p), pack(at.mean_q, at.log_var_q));
}

TEST(Similarities, AreTheClosedForm) {
  for_each_similarity([](Similarity similarity, auto of) {
    using S = decltype(of);
    for (const Pair& at : pairs) {
      const float p[] = {static_cast<float>(at.mean_p), static_cast<float>(at.log_var_p)};
      const float q[] = {static_cast<float>(at.mean_q), static_cast<float>(at.log_var_q)};
      const double term = kernels::exact_term<S, HostMath>(static_cast<double>(p[0]), static_cast<double>(p[1]),
                                                           static_cast<double>(q[0]), static_cast<double>(q[1]));
      EXPECT_NEAR(S::similarity(term, 1.0), closed_form(p, q, 1, similarity), 1e-14);
    }
  });
}

/// The overlap of two densities, added up over a grid, is e to minus the distance.
TEST(Similarities, BhattacharyyaIsTheOverlapOfDensities) {
  for (const Pair& at : pairs) {
    double overlap = 0;
    constexpr double step = 1e-3;
    const auto density = [](double x, double mean, double log_var) {
      return std::exp(-0.5 * (std::pow(x - mean, 2) / std::exp(log_var) + log_var + std::log(2 * M_PI)));
    };
    for (double x = -60; x < 60; x += step)
      overlap += step * std::sqrt(density(x, at.mean_p, at.log_var_p) * density(x, at.mean_q, at.log_var_q));
    EXPECT_NEAR(divergence<kernels::Bhattacharyya<HostMath>>(at), -std::log(overlap), 1e-9);
  }
}

TEST(Similarities, HaveADirectionWhereTheirDivergenceHasOne) {
  for_each_similarity([](Similarity similarity, auto of) {
    using S = decltype(of);
    const Pair &at = pairs[1], turned{at.mean_q, at.log_var_q, at.mean_p, at.log_var_p};
    EXPECT_EQ(std::abs(divergence<S>(at) - divergence<S>(turned)) > 1e-6, S::has_direction);
    EXPECT_EQ(has_direction(similarity), S::has_direction);
  });
  EXPECT_FALSE(has_direction(Similarity::cosine));
}

TEST(Similarities, HaveTheTermsOfJointOrEuclideanVectorsWhereTheySaySo) {
  for_each_similarity([](Similarity similarity, auto of) {
    using S = decltype(of);
    bool joint_terms = true, euclidean = true;
    for (const Pair& at : pairs) {
      const double term = S::term(divergence<S>(at)), spread = std::exp(at.log_var_p / 2) - std::exp(at.log_var_q / 2);
      joint_terms &= std::abs(term - divergence<kernels::Joint<HostMath>>(at)) < 1e-12;
      euclidean &= std::abs(term - std::pow(at.mean_p - at.mean_q, 2) - spread * spread) < 1e-12;
    }
    EXPECT_EQ(has_joint_terms(similarity), joint_terms);
    EXPECT_EQ(euclidean_vectors(similarity), euclidean ? "[mean, exp(log_var / 2)]" : "");
  });
  EXPECT_FALSE(has_joint_terms(Similarity::cosine));
  EXPECT_EQ(euclidean_vectors(Similarity::cosine), "");
}

TEST(Similarities, AreFreeOfScaleWhereTheySaySo) {
  for_each_similarity([](Similarity, auto of) {
    using S = decltype(of);
    constexpr double shift = 0.7;
    const double factor = std::exp(shift / 2);
    const Pair& at = pairs[0];
    const Pair moved{factor * at.mean_p + 3, at.log_var_p + shift, factor * at.mean_q + 3, at.log_var_q + shift};
    EXPECT_EQ(std::abs(divergence<S>(moved) - divergence<S>(at)) < 1e-12, S::is_scale_free);
  });
}

/// Each derivative against the difference of two terms.
TEST(Similarities, HaveTheGradientOfTheirTerm) {
  for_each_similarity([](Similarity, auto of) {
    using S = decltype(of);
    const double step = 1e-5, weight = -1.7;
    const auto term = [](const Pair& at) {
      return kernels::exact_term<S, HostMath>(at.mean_p, at.log_var_p, at.mean_q, at.log_var_q);
    };
    for (const Pair& at : pairs) {
      const auto by = kernels::exact_gradient<S, HostMath>(at.mean_p, at.log_var_p, at.mean_q, at.log_var_q, weight);
      for (const auto& [member, derivative] : {std::pair{&Pair::mean_p, by.mean_p},
                                               {&Pair::log_var_p, by.log_var_p},
                                               {&Pair::mean_q, by.mean_q},
                                               {&Pair::log_var_q, by.log_var_q}}) {
        Pair above = at, below = at;
        above.*member += step;
        below.*member -= step;
        const double expected = weight * (term(above) - term(below)) / (2 * step);
        EXPECT_NEAR(derivative, expected, 1e-7 * (1 + std::abs(expected)));
      }
    }
  });
}

TEST(Similarities, HaveTheSlopeOfTheirSum) {
  for_each_similarity([](Similarity, auto of) {
    using S = decltype(of);
    const double step = 1e-6;
    for (const double sum : {0.1, 2.5, 30.0}) {
      const double expected = (S::similarity(sum + step, 7.0) - S::similarity(sum - step, 7.0)) / (2 * step);
      EXPECT_NEAR(S::slope(S::similarity(sum, 7.0), 7.0), expected, 1e-8);
    }
  });
}

TEST(Similarities, OfEqualGaussiansAreOne) {
  for_each_similarity([](Similarity, auto of) {
    using S = decltype(of);
    for (const double log_var : {-40.0, -0.3, 0.0, 17.0})
      EXPECT_EQ(S::similarity(3 * kernels::exact_term<S, HostMath>(2.5, log_var, 2.5, log_var), 3.0), 1.0) << log_var;
  });
}

TEST(Similarities, ThatAreInnerProductsHaveTheirDivergence) {
  int products = 0;
  for_each_similarity([&](Similarity, auto of) {
    using S = decltype(of);
    if constexpr (kernels::InnerProduct<S>) {
      ++products;
      for (const Pair& at : pairs) {
        const auto p = S::as_p(at.mean_p, at.log_var_p), q = S::as_q(at.mean_q, at.log_var_q);
        double sum = p.rest + q.rest + S::product_constant;
        for (int k = 0; k < S::products; ++k) sum += p.factors[k] * q.factors[k];
        EXPECT_NEAR(sum, divergence<S>(at), 1e-11 * (p.magnitude + q.magnitude + std::abs(sum) + 1));
        EXPECT_NEAR(S::sum_of(S::similarity(divergence<S>(at), 1.0)), divergence<S>(at), 1e-9 * (1 + sum));
      }
    }
  });
  EXPECT_EQ(products, 3);
}

// A header that lacks a part of the formula, or states it in another type, does not compile: list.hpp asks this of
// each.
using Whole = kernels::SymmetricKl<HostMath>;
static_assert(kernels::SimilarityOfGaussians<Whole>);
struct WithoutDirection {
  static constexpr bool is_scale_free = true;
};
static_assert(!kernels::SimilarityOfGaussians<WithoutDirection>);
struct OfFloats : Whole {
  static float slope(double, double) { return 1; }
};
static_assert(!kernels::SimilarityOfGaussians<OfFloats>);
struct OfOtherSums : Whole {
  static constexpr int sums = 4;
};
static_assert(!kernels::SimilarityOfGaussians<OfOtherSums>, "its pair_sums have two values");
struct WithHalfAProduct : kernels::Bhattacharyya<HostMath> {
  static constexpr int products = 2;
};
static_assert(!kernels::SimilarityOfGaussians<WithHalfAProduct>, "a search would compare in float64, without a word");
struct WithHalfABound : kernels::Bhattacharyya<HostMath> {
  static double float_error(double, double) { return 0; }
};
static_assert(!kernels::SimilarityOfGaussians<WithHalfABound>);

}  // namespace
}  // namespace gausscse
