#pragma once

#include "base/choice.hpp"

/// The values of the trial file's keys that are one of a few words and that only experiments know; model/choices.hpp
/// and data/corpus/choices.hpp have the others.
namespace gausscse::setting {

/// Recipe whose defaults a trial has.
enum class Recipe {
  released,           ///< GaussCSE, as the authors' program
  paper,              ///< GaussCSE, as the paper's text
  simcse,             ///< supervised SimCSE, as its authors' program
  contrastive_pairs,  ///< in-batch pairs in both directions, as sentence-transformers' all-* models
  head,               ///< a Gaussian head on a frozen encoder, which begins at its pooled vectors
  tune,               ///< everything, from such a head on, with SimCSE's loss next to GaussCSE's
  dynamics,           ///< in-batch pairs, as the isotropy paper's learning dynamics
  liao                ///< classification of labelled pairs, as Liao's program
};
enum class Architecture {
  none,
  bert_base,
  bert_large,
  bert_l8_h512,
  minilm_l6,
  roberta_base,
  roberta_large,
  xlm_roberta_base,
  xlm_roberta_large,
  mpnet_base,
  distilbert_base,
  modernbert_base,
  modernbert_large,
  nomic_bert
};
enum class Init { weights, random };
/// Weights that a head begins with.
enum class HeadInit {
  weights,  ///< the weights of the backbone's head; without one as `identity` where the mean has no layer, else as
            ///< `random`
  random,   ///< random ones, by the seed
  identity  ///< a Gaussian head whose mean's layer is the identity, with the same log-variance for all sentences
};
enum class LastBatch { drop, keep };
/// Parameters that a training changes.
enum class TrainedParameters {
  all,
  head,       ///< the parameters of head and objective alone: each sentence goes through the encoder once
  from_layer  ///< the parameters of the layers from one on, and of head and objective
};
/// Course of the learning rate over a training.
enum class Schedule {
  warmup_decay,     ///< released program: linearly up over the warm-up, then linearly down to 0
  warmup_constant,  ///< Liao's program: linearly up over the warm-up, then the set value
  linear_increase   ///< papers' text: from 0, linearly up to the set value at the last step
};
enum class Reproducibility { fast, rank_invariant };
/// Device that a rank computes on.
enum class Device {
  automatic,  ///< a GPU where the ranks have them, else its cores
  cpu,
  cuda  ///< a GPU; it is an error where there is none
};
/// Way in which candidates come to the ranks.
enum class Exchange {
  automatic,  ///< by the memory that gathering would take
  gather,     ///< all at once
  ring        ///< candidates of one rank after another
};

}  // namespace gausscse::setting

namespace gausscse {

template <>
inline constexpr NameTable<setting::Recipe, 8> names<setting::Recipe>{
    {{setting::Recipe::released, "released"},
     {setting::Recipe::paper, "paper"},
     {setting::Recipe::simcse, "simcse"},
     {setting::Recipe::contrastive_pairs, "contrastive_pairs"},
     {setting::Recipe::head, "head"},
     {setting::Recipe::tune, "tune"},
     {setting::Recipe::dynamics, "dynamics"},
     {setting::Recipe::liao, "liao"}}};
template <>
inline constexpr NameTable<setting::Architecture, 14> names<setting::Architecture>{
    {{setting::Architecture::bert_base, "bert-base"},
     {setting::Architecture::bert_large, "bert-large"},
     {setting::Architecture::bert_l8_h512, "bert-l8-h512"},
     {setting::Architecture::bert_l8_h512, "bert_uncased_L-8_H-512_A-8"},  // as it was published
     {setting::Architecture::minilm_l6, "minilm-l6"},
     {setting::Architecture::roberta_base, "roberta-base"},
     {setting::Architecture::roberta_large, "roberta-large"},
     {setting::Architecture::xlm_roberta_base, "xlm-roberta-base"},
     {setting::Architecture::xlm_roberta_large, "xlm-roberta-large"},
     {setting::Architecture::mpnet_base, "mpnet-base"},
     {setting::Architecture::distilbert_base, "distilbert-base"},
     {setting::Architecture::modernbert_base, "modernbert-base"},
     {setting::Architecture::modernbert_large, "modernbert-large"},
     {setting::Architecture::nomic_bert, "nomic-bert"}}};
template <>
inline constexpr NameTable<setting::Init, 2> names<setting::Init>{
    {{setting::Init::weights, "weights"}, {setting::Init::random, "random"}}};
template <>
inline constexpr NameTable<setting::HeadInit, 3> names<setting::HeadInit>{{{setting::HeadInit::weights, "weights"},
                                                                           {setting::HeadInit::random, "random"},
                                                                           {setting::HeadInit::identity, "identity"}}};
template <>
inline constexpr NameTable<setting::TrainedParameters, 3> names<setting::TrainedParameters>{
    {{setting::TrainedParameters::all, "all"},
     {setting::TrainedParameters::head, "head"},
     {setting::TrainedParameters::from_layer, "from_layer"}}};
template <>
inline constexpr NameTable<setting::LastBatch, 2> names<setting::LastBatch>{
    {{setting::LastBatch::drop, "drop"}, {setting::LastBatch::keep, "keep"}}};
template <>
inline constexpr NameTable<setting::Schedule, 3> names<setting::Schedule>{
    {{setting::Schedule::warmup_decay, "warmup_decay"},
     {setting::Schedule::warmup_constant, "warmup_constant"},
     {setting::Schedule::linear_increase, "linear_increase"}}};
template <>
inline constexpr NameTable<setting::Reproducibility, 2> names<setting::Reproducibility>{
    {{setting::Reproducibility::fast, "fast"}, {setting::Reproducibility::rank_invariant, "rank_invariant"}}};
template <>
inline constexpr NameTable<setting::Device, 3> names<setting::Device>{
    {{setting::Device::automatic, "auto"}, {setting::Device::cpu, "cpu"}, {setting::Device::cuda, "cuda"}}};
template <>
inline constexpr NameTable<setting::Exchange, 3> names<setting::Exchange>{
    {{setting::Exchange::automatic, "auto"}, {setting::Exchange::gather, "gather"}, {setting::Exchange::ring, "ring"}}};

}  // namespace gausscse
