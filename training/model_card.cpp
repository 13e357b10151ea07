#include "training/model_card.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/folder/model_card_head.hpp"
#include "model/folder/python_usage.hpp"
#include "model/folder/sentence_transformers_writer.hpp"
#include "results/text_table.hpp"

namespace gausscse {

namespace {

const char* pooling_text(PoolingKind pooling) {
  switch (pooling) {
    case PoolingKind::first_token:
      return "the last hidden state of its first token";
    case PoolingKind::mean:
      return "the mean of its tokens' last hidden states";
    case PoolingKind::mean_without_first:
      return "the mean of its tokens' last hidden states, without the first token's";
    case PoolingKind::max:
      return "the maximum of its tokens' last hidden states in each dimension";
  }
  throw std::logic_error("no pooling of this number");
}

const char* head_text(const Trial::Head& head) {
  switch (head.kind) {
    case HeadKind::gaussian:
      return "Each sentence becomes a Gaussian: a mean and a log-variance per dimension. The similarity of two is "
             "based on the Kullback-Leibler divergence and has a direction: it shows which sentence entails the other.";
    case HeadKind::mlp_tanh:
      return "Each sentence becomes a vector, by a linear layer with tanh; the similarity of two is their cosine.";
    case HeadKind::none:
      return "Each sentence becomes a vector; the similarity of two is their cosine.";
  }
  throw std::logic_error("no head of this number");
}

std::string limit_text(const std::optional<std::int64_t>& limit) {
  return limit ? concat("at most ", *limit) : "all";
}

std::string objective_text(const ObjectiveSettings& objective) {
  const std::string temperature = concat(", temperature ", objective.temperature);
  switch (objective.kind) {
    case ObjectiveKind::gaussian_contrastive:
      return concat("loss `", name_of(objective.loss), "`, similarity `", name_of(objective.similarity), "`",
                    objective.with_simcse ? ", SimCSE's loss of the means" : "", temperature);
    case ObjectiveKind::cosine_contrastive:
      return concat("contrastive loss of cosines", objective.hard_negatives ? " with hard negatives" : "",
                    objective.directions == Directions::both ? ", in both directions" : "", temperature);
    case ObjectiveKind::pair_classification:
      return concat("classification of labelled pairs, activation `", name_of(objective.activation), "`");
    case ObjectiveKind::supervised_contrastive:
      return concat("supervised contrastive loss of ", limit_text(objective.positives), " positives and ",
                    limit_text(objective.negatives), " negatives", temperature);
    case ObjectiveKind::augmented_classification:
      return concat("classification of labelled pairs and of those of a premise with ", limit_text(objective.positives),
                    " positives and ", limit_text(objective.negatives), " negatives, activation `",
                    name_of(objective.activation), "`");
    case ObjectiveKind::sum: {
      std::string sum;
      for (const ObjectiveTerm& term : objective.terms)
        if (term.weight != 0)
          sum += concat(sum.empty() ? "" : " + ", term.weight, " × (", objective_text(term.objective), ")");
      return sum;
    }
  }
  throw std::logic_error("no objective of this number");
}

/// Returns the section on sentence-transformers and the embeddings that it computes with the folder. Its modules have a
/// Gaussian's log-variance only if the trial asks for them.
std::string sentence_transformers_text(const Trial& trial) {
  const Similarity similarity = similarity_of(trial.objective);
  const bool has_gaussians = trial.model.head.kind == HeadKind::gaussian && is_gaussian(similarity);
  std::string text =
      "\nIn Python, with sentence-transformers 6.2 (it strips white space at the ends of sentences):\n\n";
  if (has_gaussians && trial.model.sentence_transformers == GaussianModules::mean_and_log_var)
    return concat(text, gaussian_similarity_in_python("MODEL_DIR", similarity, trial.model.head.scale),
                  "\nPrograms that apply each Dense module to the output of the one before compute something else.\n");
  text += embedding_in_python("MODEL_DIR", has_gaussians ? "mean" : "embedding");
  if (has_gaussians)
    text += concat("\nIts modules give the mean alone",
                   trial.model.head.scale == MeanScale::unit ? ", scaled to the length 1" : "",
                   ". For the log-variance and the similarity, sim(a || b), first\n\n",
                   "    gausscse export MODEL_DIR GAUSSIAN_DIR --as sentence-transformers-gaussian\n\nand then\n\n",
                   gaussian_similarity_in_python("GAUSSIAN_DIR", similarity, trial.model.head.scale));
  return text;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const std::string& cell : rows[i]) text += concat("| ", cell, " ");
    text += "|\n";
    if (i > 0) continue;
    for (std::size_t column = 0; column < rows[i].size(); ++column) text += "|---";
    text += "|\n";
  }
  return text + "\n";
}

/// Returns the lines on the files of the folder.
std::string files_text(const Trial& trial, PoolingKind pooling) {
  const std::string head =
      trial.model.head.kind == HeadKind::gaussian ? concat("the head (", text_of(trial.model.head), ")") : "the head";
  const std::string properties = concat("- `gausscse.safetensors`: ", head, ", and the settings of the training\n\n");
  if (!trial.model.backbone.vectors.empty())
    return concat("This is a head alone, for vectors of the encoder whose vectors it was trained on.\n\n", properties);
  return concat(
      "- `config.json`, `model.safetensors`: the encoder, as `transformers` reads it; a sentence's vector is ",
      pooling_text(pooling), "\n", properties);
}

/// Returns the line on the backbone and the training data, by the names of their folder and files; nothing for a head
/// on given vectors, which Python fits without files.
std::string origin_text(const Trial& trial) {
  const Trial::Backbone& backbone = trial.model.backbone;
  if (!backbone.vectors.empty()) return {};
  std::string text = "Made of ";
  if (backbone.path.empty())
    text += concat("random weights of the shape ", name_of(backbone.architecture));
  else
    text += concat("the encoder `", backbone.path.filename().string(), "`");
  for (std::size_t i = 0; i < trial.data.train.size(); ++i)
    text += concat(i == 0 ? " and the training data " : ", ", "`", trial.data.train[i].filename().string(), "`");
  return text + ".\n\n";
}

/// Returns the beginning of the line on the training.
std::string trained_text(const Trial::Training& training) {
  switch (training.parameters) {
    case setting::TrainedParameters::all:
      return "Trained with ";
    case setting::TrainedParameters::head:
      return "The head alone was trained, with ";
    case setting::TrainedParameters::from_layer:
      return concat("The layers from ", training.from_layer, " on, counted from 0, and the head were trained, with ");
  }
  throw std::logic_error("no parameters of this number");
}

}  // namespace

std::string model_card(const Trial& trial, PoolingKind pooling, const StateResult& state) {
  const bool gaussian = trial.model.head.kind == HeadKind::gaussian;
  std::string card = concat(
      model_card_head({.library = "gausscse"}, gaussian), head_text(trial.model.head), "\n\n",
      files_text(trial, pooling), origin_text(trial), trained_text(trial.training), objective_text(trial.objective),
      ", batch size ", trial.training.batch_size, ", learning rate ", trial.training.learning_rate, ", seed ",
      trial.training.seed, ". State: ", state.state, ", after ", state.step, " steps",
      is_untrained_best(state.state, state.step) ? concat(": ", untrained_best_note) : "", ".\n\n");
  for (const auto& rows : measurement_rows(state.tasks, state.backbone)) card += markdown_table(rows);
  if (const std::string remarks = remark_lines(state.tasks); !remarks.empty()) card += concat(remarks, "\n");
  if (!trial.model.backbone.vectors.empty())
    return card +
           "Use:\n\n    gausscse apply MODEL_DIR vectors.npy embeddings.h5\n"
           "    gausscse search MODEL_DIR embeddings.h5 queries.h5\n";
  card += "Use:\n\n    gausscse encode MODEL_DIR sentences.txt embeddings.h5\n    gausscse score MODEL_DIR pairs.tsv\n";
  if (opens_in_sentence_transformers(pooling)) card += sentence_transformers_text(trial);
  return card;
}

}  // namespace gausscse
