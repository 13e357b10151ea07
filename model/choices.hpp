#pragma once

#include "base/choice.hpp"
#include "model/kernels/kernels.hpp"

/// What a model, its loss and its arithmetic can be chosen to be: the values that a trial names and a saved model tells
/// of itself. Free of LibTorch, so that whatever reads or writes such names can include it.
namespace gausscse {

/// Denominator of the contrastive loss: the entailment set, plus the contradiction set, plus the reversed set.
enum class Loss { ent, ent_con, ent_rev, ent_con_rev };

/// Similarity of Gaussians p and q with diagonal covariance. Per dimension
///   kl_d = ((s_p/s_q)^2 + ((m_p - m_q)/s_q)^2 - 1 - 2 log(s_p/s_q)) / 2;
/// `per_dimension` (released program) is the mean over d of 1 / (1 + kl_d), `joint` (paper, eq. 2) is
/// 1 / (1 + sum over d of kl_d). Both lie in (0, 1].
using SimilarityKind = kernels::SimilarityKind;

/// What makes an embedding of a sentence's pooled vector.
enum class HeadKind {
  gaussian,  ///< two linear layers: mean and log-variance
  none       ///< nothing: the vector is the embedding
};

/// How the mean comes out of its linear layer: `tanh` in the released program, `linear` in the papers' text.
enum class MeanActivation { tanh, linear };

/// What of a sentence's last hidden states stands for it. Special tokens are tokens like others.
enum class PoolingKind {
  first_token,         ///< [CLS], or <s>
  mean,                ///< the mean over all tokens
  mean_without_first,  ///< the mean over all tokens but the first (Liao)
  max                  ///< the maximum over all tokens, in each dimension
};

/// What matrix products compute with. Weights, sums and everything else are float32 (or float64, for tests).
enum class Precision {
  full,     ///< the parameters' own type
  bfloat16  ///< both factors rounded to bfloat16
};

template <>
inline constexpr NameTable<Loss, 4> names<Loss>{
    {{Loss::ent, "ent"}, {Loss::ent_con, "ent+con"}, {Loss::ent_rev, "ent+rev"}, {Loss::ent_con_rev, "ent+con+rev"}}};
template <>
inline constexpr NameTable<SimilarityKind, 2> names<SimilarityKind>{
    {{SimilarityKind::per_dimension, "per_dimension"}, {SimilarityKind::joint, "joint"}}};
template <>
inline constexpr NameTable<MeanActivation, 2> names<MeanActivation>{
    {{MeanActivation::tanh, "tanh"}, {MeanActivation::linear, "linear"}}};
template <>
inline constexpr NameTable<PoolingKind, 4> names<PoolingKind>{{{PoolingKind::first_token, "first_token"},
                                                               {PoolingKind::mean, "mean"},
                                                               {PoolingKind::mean_without_first, "mean_without_first"},
                                                               {PoolingKind::max, "max"}}};
template <>
inline constexpr NameTable<Precision, 2> names<Precision>{{{Precision::full, "fp32"}, {Precision::bfloat16, "bf16"}}};

}  // namespace gausscse
