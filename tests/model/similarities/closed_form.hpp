#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "model/similarities/similarity.hpp"

namespace gausscse {

/// Returns all similarities of Gaussians; behind them the cosine, if `with_cosine`.
inline std::vector<Similarity> all_similarities(bool with_cosine = false) {
  std::vector<Similarity> all;
  for (const auto& [similarity, word] : names<Similarity>)
    if (with_cosine || is_gaussian(similarity)) all.push_back(similarity);
  return all;
}

/// KL divergence of one dimension, by the density's formula: ln(s_q / s_p) + (v_p + (m_p - m_q)^2) / (2 v_q) - 1/2.
inline double kullback_leibler(double mean_p, double log_var_p, double mean_q, double log_var_q) {
  const double difference = mean_p - mean_q;
  return (log_var_q - log_var_p) / 2 +
         (std::exp(log_var_p - log_var_q) + difference * difference / std::exp(log_var_q)) / 2 - 0.5;
}

/// Similarity of two Gaussians, rows of [mean | log_var], by formulas of another form than the product's.
inline double closed_form(const float* p, const float* q, std::int64_t dimension, Similarity similarity) {
  double sum = 0;
  bool is_mean = false;
  for (std::int64_t d = 0; d < dimension; ++d) {
    const double mean_p = static_cast<double>(p[d]), log_p = static_cast<double>(p[dimension + d]);
    const double mean_q = static_cast<double>(q[d]), log_q = static_cast<double>(q[dimension + d]);
    const double forward = kullback_leibler(mean_p, log_p, mean_q, log_q);
    switch (similarity) {
      case Similarity::per_dimension:
        is_mean = true;
        sum += 1 / (1 + forward);
        break;
      case Similarity::joint:
        sum += forward;
        break;
      case Similarity::wasserstein:
        sum += std::pow(mean_p - mean_q, 2) + std::pow(std::exp(log_p / 2) - std::exp(log_q / 2), 2);
        break;
      case Similarity::symmetric:
        sum += (forward + kullback_leibler(mean_q, log_q, mean_p, log_p)) / 2;
        break;
      case Similarity::bhattacharyya: {
        // The overlap of both densities is sqrt(2 s_p s_q / (v_p + v_q)) exp(-(m_p - m_q)^2 / (4 (v_p + v_q))).
        const double higher = std::max(log_p, log_q), rest = std::log1p(std::exp(-std::abs(log_p - log_q)));
        sum += std::pow((mean_p - mean_q) / std::exp((higher + rest) / 2), 2) / 4 +
               (std::abs(log_p - log_q) / 2 + rest - std::log(2.0)) / 2;
        break;
      }
      case Similarity::cosine:
        return std::nan("");
    }
  }
  return is_mean ? sum / static_cast<double>(dimension) : 1 / (1 + sum);
}

}  // namespace gausscse
