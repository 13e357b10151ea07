#include "inference/sentence_model.hpp"

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "base/lists.hpp"
#include "base/option_name.hpp"
#include "data/tokenizer/prompted_tokenizer.hpp"
#include "model/folder/weights_hash.hpp"

namespace gausscse {

namespace {

/// Returns all that decides the embeddings of token ids.
std::string weights_and_identity(const SentenceModel& model) {
  const SentenceEncoder* const encoder = model.embedder ? encoder_of(*model.embedder) : nullptr;
  if (!encoder) return model.identity;
  const at::Tensor weights = encoder->parameters().values().cpu();
  return concat("the weights ", content_hash_of({static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()}),
                "\n", model.identity);
}

}  // namespace

std::string SentenceModel::agreement() const {
  return weights_and_identity(*this) + (prompt.empty() ? "" : concat("prompt ", quoted(prompt), "\n"));
}

std::string SentenceModel::hash() const {
  return content_hash_of(weights_and_identity(*this));
}

std::shared_ptr<const Tokenizer> SentenceModel::tokenizer_with(const PromptChoice& choice) const {
  if (!bare) throw InputError("word vectors and heads take no prompt: leave it out");
  const std::string& name = choice.name.empty() ? prompts.usual : choice.name;
  std::string text = choice.text.value_or("");
  if (!choice.text && !name.empty()) {
    const auto found = prompts.texts.find(name);
    if (found == prompts.texts.end()) {
      std::vector<std::string> names;
      for (const auto& [each, ignored] : prompts.texts) names.push_back(each);
      const std::string known = names.empty() ? "has none" : concat("has ", joined(names));
      throw InputError(concat("the model has no prompt ", quoted(name), nearest_name(name, names), "; its folder ",
                              known, ": give the text itself as ", option_name("prompt")));
    }
    text = found->second;
  }
  if (!text.empty() && !prompts.left_out_by.empty())
    throw InputError(concat(prompts.left_out_by, ": include_prompt is false, so that sentence-transformers leaves the ",
                            "tokens of a prompt out of its pooling, which this program does not: give ",
                            option_name("prompt"), " \"\" to embed without a prompt"));
  return with_prompt(bare, text);
}

void SentenceModel::take_prompt(const PromptChoice& choice) {
  tokenizer = tokenizer_with(choice);
  prompt = prompt_of(*tokenizer);
}

std::string weights_of(const SentenceModel& model) {
  const SentenceEncoder* encoder = encoder_of(*model.embedder);
  return encoder ? weights_hash(encoder->parameters()) : model.word_vectors;
}

}  // namespace gausscse
