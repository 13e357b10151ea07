#include "training/run_contents.hpp"

#include <filesystem>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "config/trial/trial_identity.hpp"

namespace gausscse {

Contents contents_of_run(const Trial& trial, const TrialData& data, const SentenceEncoder& encoder) {
  Contents hashes;
  for (std::size_t i = 0; i < trial.data.train.size(); ++i)
    hashes.emplace_back(trial.data.train[i].string(), data.train->content_hashes()[i]);
  for (const TaskSettings& task : trial.tasks)
    for (const std::filesystem::path& file : content_files_of(task))
      hashes.emplace_back(file.string(), content_hash(file));
  hashes.emplace_back("the tokenizer", data.model.tokenizer->fingerprint());
  if (data.vectors) {
    hashes.emplace_back(trial.model.backbone.vectors.string(), data.vectors->vectors_hash());
    hashes.emplace_back(trial.model.backbone.texts.string(), data.vectors->texts_hash());
  }
  if (!trial.model.backbone.path.empty()) {
    const auto config = backbone_folder(trial).encoder / "config.json";
    hashes.emplace_back(config.string(), content_hash(config));
  }
  const at::Tensor values = encoder.parameters().values().cpu();
  hashes.emplace_back("the initial weights",
                      content_hash_of({static_cast<const char*>(values.const_data_ptr()), values.nbytes()}));
  return hashes;
}

Contents input_hashes(const Trial& trial, const Contents& known, TrainingObserver& observer) {
  Contents hashes;
  try {
    for (const InputContent& input : contents_of_inputs(trial, content_hash_with(known)))
      hashes.emplace_back(input.role, input.hash);
  } catch (const InputError& error) {
    observer.on_note(concat("the result does not record the contents of all files: ", error.what()));
    hashes.clear();
  }
  return hashes;
}

}  // namespace gausscse
