#pragma once

#include "base/choice.hpp"
#include "model/similarities/similarity.hpp"

/// Choices of a model, its loss and its arithmetic: the values that a trial names and a saved model records of itself.
/// Free of LibTorch, so that any file that reads or writes such names can include it.
namespace gausscse {

/// Denominator of the contrastive loss: the entailment set, plus the contradiction set, plus the reversed set.
enum class Loss { ent, ent_con, ent_rev, ent_con_rev };

/// A training objective; losses.hpp has the formulas.
enum class ObjectiveKind {
  gaussian_contrastive,      ///< GaussCSE's
  cosine_contrastive,        ///< SimCSE's and its kin
  pair_classification,       ///< SBERT's
  supervised_contrastive,    ///< Liao's
  augmented_classification,  ///< Liao's baselines
  sum                        ///< several at once, see ConfiguredObjective
};

/// Activation between the two linear layers of a pair classifier.
enum class ClassifierActivation { none, relu, tanh };

/// Label that augmented_classification gives a pair of a premise and the hypothesis of another.
enum class OtherPremiseLabel { neutral, contradiction };

/// Sentences of a pair that are anchors of a contrastive loss.
enum class Directions {
  one,  ///< premises, their candidates being entailments
  both  ///< premises, and entailments in their turn: the mean of both losses
};

/// Candidates of a contrastive loss that are no negatives of an anchor, though they are not its own. Two texts are
/// equal where their tokens are, after the cut to the largest number.
enum class FalseNegatives {
  keep,        ///< all candidates count
  mask_equal,  ///< a candidate does not count where its text is the anchor's or its positive's
  mask_known   ///< nor where the training examples name it as entailed by the anchor's text
};

/// Head that makes an embedding of a sentence's pooled vector.
enum class HeadKind {
  gaussian,  ///< two linear layers: mean and log-variance
  mlp_tanh,  ///< a linear layer, then tanh (SimCSE)
  none       ///< nothing: the vector is the embedding
};

/// Layer of a Gaussian head that makes the mean of the pooled vector.
enum class MeanLayer {
  tanh,     ///< a linear layer, then tanh (the released program)
  linear,   ///< a linear layer (the papers' text)
  identity  ///< none: the vector is the mean
};

/// Length of a mean.
enum class MeanScale {
  none,  ///< as the layer gives it
  unit   ///< the square root of its dimensions, also that of the vector that the head's layers read
};

/// Layers of a Gaussian head that make the log-variance.
enum class LogVarLayer {
  linear,  ///< one
  mlp      ///< two, with a tanh between them
};

/// Pooling of token states into one vector per sentence. Special tokens are tokens like others.
enum class PoolingKind {
  first_token,         ///< [CLS], or <s>
  mean,                ///< the mean over all tokens
  mean_without_first,  ///< the mean over all tokens but the first (Liao)
  max                  ///< the maximum over all tokens, in each dimension
};

/// Modules of sentence-transformers that a saved Gaussian model has behind its pooling.
enum class GaussianModules {
  mean,  ///< the module of the mean alone, which is right wherever each Dense reads the output of the one before
  mean_and_log_var  ///< both, each of which reads the pooled vector: sentence-transformers gives either
};

/// Divisor of the sum over tokens in training; a model that is trained always takes the sentence's own.
enum class PoolingDivisor {
  tokens,  ///< the tokens that are added up
  longest  ///< the number of tokens of the longest sentence of the same role in the batch (Liao's released program)
};

/// Precision of matrix products. Weights, sums and everything else are float32 (or float64, for tests).
enum class Precision {
  full,      ///< the parameters' own type
  bfloat16,  ///< both factors rounded to bfloat16
  int8       ///< both factors of an encoder's layers in bytes; for embedding on CPUs, never for training
};

template <>
inline constexpr NameTable<Loss, 4> names<Loss>{
    {{Loss::ent, "ent"}, {Loss::ent_con, "ent+con"}, {Loss::ent_rev, "ent+rev"}, {Loss::ent_con_rev, "ent+con+rev"}}};
template <>
inline constexpr NameTable<ObjectiveKind, 6> names<ObjectiveKind>{
    {{ObjectiveKind::gaussian_contrastive, "gaussian_contrastive"},
     {ObjectiveKind::cosine_contrastive, "cosine_contrastive"},
     {ObjectiveKind::pair_classification, "pair_classification"},
     {ObjectiveKind::supervised_contrastive, "supervised_contrastive"},
     {ObjectiveKind::augmented_classification, "augmented_classification"},
     {ObjectiveKind::sum, "sum"}}};
template <>
inline constexpr NameTable<ClassifierActivation, 3> names<ClassifierActivation>{
    {{ClassifierActivation::none, "none"}, {ClassifierActivation::relu, "relu"}, {ClassifierActivation::tanh, "tanh"}}};
template <>
inline constexpr NameTable<OtherPremiseLabel, 2> names<OtherPremiseLabel>{
    {{OtherPremiseLabel::neutral, "neutral"}, {OtherPremiseLabel::contradiction, "contradiction"}}};
template <>
inline constexpr NameTable<Directions, 2> names<Directions>{{{Directions::one, "one"}, {Directions::both, "both"}}};
template <>
inline constexpr NameTable<FalseNegatives, 3> names<FalseNegatives>{{{FalseNegatives::keep, "keep"},
                                                                     {FalseNegatives::mask_equal, "mask_equal"},
                                                                     {FalseNegatives::mask_known, "mask_known"}}};
template <>
inline constexpr NameTable<HeadKind, 3> names<HeadKind>{
    {{HeadKind::gaussian, "gaussian"}, {HeadKind::mlp_tanh, "mlp_tanh"}, {HeadKind::none, "none"}}};
template <>
inline constexpr NameTable<MeanLayer, 3> names<MeanLayer>{
    {{MeanLayer::tanh, "tanh"}, {MeanLayer::linear, "linear"}, {MeanLayer::identity, "identity"}}};
template <>
inline constexpr NameTable<MeanScale, 2> names<MeanScale>{{{MeanScale::none, "none"}, {MeanScale::unit, "unit"}}};
template <>
inline constexpr NameTable<LogVarLayer, 2> names<LogVarLayer>{
    {{LogVarLayer::linear, "linear"}, {LogVarLayer::mlp, "mlp"}}};
template <>
inline constexpr NameTable<PoolingKind, 4> names<PoolingKind>{{{PoolingKind::first_token, "first_token"},
                                                               {PoolingKind::mean, "mean"},
                                                               {PoolingKind::mean_without_first, "mean_without_first"},
                                                               {PoolingKind::max, "max"}}};
template <>
inline constexpr NameTable<GaussianModules, 2> names<GaussianModules>{
    {{GaussianModules::mean, "mean"}, {GaussianModules::mean_and_log_var, "mean_and_log_var"}}};
template <>
inline constexpr NameTable<PoolingDivisor, 2> names<PoolingDivisor>{
    {{PoolingDivisor::tokens, "tokens"}, {PoolingDivisor::longest, "longest"}}};
template <>
inline constexpr NameTable<Precision, 3> names<Precision>{
    {{Precision::full, "fp32"}, {Precision::bfloat16, "bf16"}, {Precision::int8, "int8"}}};

}  // namespace gausscse
