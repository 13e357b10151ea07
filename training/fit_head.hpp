#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <string>
#include <vector>

#include "config/trial/trial.hpp"
#include "inference/sentence_model.hpp"
#include "training/training_observer.hpp"

namespace gausscse {

/// A head that was trained on vectors in memory.
struct FittedHead {
  SentenceModel model;         ///< head for vectors; it embeds no sentence
  std::string card;            ///< README.md of its folder
  std::vector<double> losses;  ///< loss of each step
};

/// Trains a head by this process alone, with the bits of `train_trial` for the same vectors and examples in files, in
/// builds of one kind. A program without LibTorch has other matmuls, and its values to rounding.
/// `vectors` is float32 [n, width], and `examples` int64 [m, 3] or, for pairs, [m, 2]: rows of the premise, the
/// entailed and the contradicted sentence. Of `trial` the settings of head, objective, order and training count;
/// `trial.data.examples` must suit the shape, and no task is measured.
///
///     const Trial trial = parse_trial("format: gausscse-trial/2\nrecipe: head\n...", "settings", "/");
///     const FittedHead fitted = fit_head(vectors, triples, trial, threads, observer, requests);
///     save_vector_head("head", *encoder_of(*fitted.model.embedder), fitted.model.properties, fitted.card);
///
/// Throws InputError for other shapes, a vector with a value that is not finite or with zeros alone, and a number that
/// is no row, each with its place. Throws TrainingStopped where `requests` asks for that.
FittedHead fit_head(const at::Tensor& vectors, const at::Tensor& examples, const Trial& trial, std::size_t threads,
                    TrainingObserver& observer, TrainingRequests& requests);

}  // namespace gausscse
