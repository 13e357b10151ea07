#include "inference/export/exported_folder.hpp"

#include <string>
#include <vector>

#include "base/atomic_file.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "model/folder/model_folder.hpp"
#include "model/folder/python_usage.hpp"
#include "model/onnx/encoder_graph.hpp"

namespace gausscse {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_tokenizer_bytes = std::size_t{256} << 20;

std::string card_beginning(ModelFacts facts, const char* library, bool gaussian) {
  facts.library = library;
  return model_card_head(facts, gaussian);
}

std::string sentence_transformers_card(const SentenceModel& model, const SentenceTransformersExport& form) {
  const MeanScale scale = encoder_of(*model.embedder)->settings().head.scale;
  const bool gaussian = is_gaussian(model.properties.similarity);
  std::string card =
      card_beginning(form.facts, "sentence-transformers", gaussian) + "In Python, with sentence-transformers 6.2:\n\n";
  if (gaussian && form.modules == GaussianModules::mean_and_log_var)
    return concat(card, gaussian_similarity_in_python("MODEL_DIR", model.properties.similarity, scale),
                  "\nPrograms that apply each Dense module to the output of the one before compute something else.\n");
  card += embedding_in_python("MODEL_DIR", gaussian ? "mean" : "embedding");
  if (gaussian)
    card += concat("\nThese are the means of Gaussians", scale == MeanScale::unit ? ", scaled to the length 1" : "",
                   ". Their cosine is symmetric: it does not show which sentence entails the "
                   "other.\n");
  return card;
}

std::string onnx_card(const SentenceModel& model, const SentenceEncoder& encoder, const ModelFacts& facts) {
  const bool gaussian = encoder.settings().head.kind == HeadKind::gaussian;
  const char* outputs = gaussian ? "mean, log_var" : "(embedding,)";
  std::string card =
      concat(card_beginning(facts, "onnx", gaussian),
             "`model.onnx` takes `input_ids` and `attention_mask`, int64 [batch, tokens] with the ",
             "padding on the right, and gives ", gaussian ? "`mean` and `log_var`" : "`embedding`",
             ", float32 [batch, ", encoder.settings().encoder.hidden_size, "]. In Python:\n\n",
             "    import numpy as np, onnxruntime\n"
             "    from transformers import AutoTokenizer\n\n"
             "    tokenizer = AutoTokenizer.from_pretrained(MODEL_DIR, padding_side=\"right\")\n"
             "    session = onnxruntime.InferenceSession(MODEL_DIR + \"/model.onnx\")\n"
             "    tokens = tokenizer(sentences, padding=True, truncation=True, max_length=",
             model.max_tokens, ", return_tensors=\"np\")\n",
             "    inputs = {name: tokens[name].astype(np.int64) for name in (\"input_ids\", \"attention_mask\")}\n    ",
             outputs, " = session.run(None, inputs)\n");
  if (model.properties.trim) card += "\nThe model was trained with sentences without white space at their ends.\n";
  return card;
}

}  // namespace

void export_sentence_transformers(const fs::path& folder, const SentenceModel& model,
                                  const SentenceTransformersExport& form) {
  const SentenceEncoder& encoder = *encoder_of(*model.embedder);
  const PoolingKind pooling = encoder.settings().pooling;
  if (!opens_in_sentence_transformers(pooling))
    throw InputError(concat("sentence-transformers has no pooling ", quoted(name_of(pooling)),
                            ", which the model was trained with: export it --as onnx"));
  if (form.modules == GaussianModules::mean_and_log_var && encoder.settings().head.kind != HeadKind::gaussian)
    throw InputError("the model is not Gaussian and has no log-variance: export it --as sentence-transformers");
  save_model(folder, encoder, model.properties, model.tokenizer->files(), sentence_transformers_card(model, form),
             {.modules = form.modules,
              .lowers_sentences = model.tokenizer->lowers_sentences(),
              .has_properties = form.has_properties});
}

void export_onnx(const fs::path& folder, const SentenceModel& model, const std::string& version,
                 const ModelFacts& facts) {
  const SentenceEncoder& encoder = *encoder_of(*model.embedder);
  const SentenceEncoderSettings& settings = encoder.settings();
  const OnnxGraph graph = onnx_graph_of(encoder);
  const OnnxImage image(graph, {{"similarity", std::string(name_of(model.properties.similarity))},
                                {"pooling", std::string(name_of(settings.pooling))},
                                {"max_tokens", std::to_string(model.max_tokens)},
                                {"gausscse", version}});
  AtomicFolder output(folder);
  output.add_file("model.onnx", image.parts());
  output.add_file("config.json", to_config_json(settings.encoder));
  for (const fs::path& file : model.tokenizer->files())
    output.add_file(file.filename(), read_whole_file(file, most_tokenizer_bytes));
  output.add_file("README.md", onnx_card(model, encoder, facts));
  output.commit();
}

}  // namespace gausscse
