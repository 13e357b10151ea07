#include "launcher/commands/model_options.hpp"

#include "launcher/command.hpp"

namespace gausscse {

DeviceRequest DeviceOptions::request() const {
  DeviceRequest request{.share_gpu = share_gpu};
  if (!device.empty()) request.choice = parse_choice<setting::Device>("--device", device);
  return request;
}

void add_device_options(CLI::App& command, DeviceOptions& options, const std::string& meaning) {
  command.add_option("--device", options.device, meaning)->check(one_of(words_of<setting::Device>()));
  command.add_flag("--share-gpu", options.share_gpu, "let ranks share GPUs if there are fewer GPUs than ranks");
}

void add_model_options(CLI::App& command, SentenceModelOptions& options) {
  command
      .add_option("MODEL", options.path,
                  "folder `model` of a finished run, any folder of an encoder, or a text file of word vectors")
      ->required();
  command
      .add_option("--precision", options.precision,
                  "precision of matmuls (default: as in training); int8: fastest, on CPUs only")
      ->check(one_of(words_of<Precision>()));
  command
      .add_option("--pooling", options.pooling,
                  "how token states are pooled into one vector, for a folder that is not of a finished run")
      ->check(one_of(words_of<PoolingKind>()));
  command
      .add_option("--max-tokens", options.max_tokens,
                  "cut longer sentences to this many tokens, special ones included (default: as in training, or the "
                  "encoder's positions)")
      ->check(CLI::Range(3, 1 << 20));
}

void add_prompt_options(CLI::App& command, PromptChoice& prompt, const std::string& prefix,
                        const std::string& sentences) {
  CLI::Option* const text =
      command.add_option("--" + prefix + "prompt", prompt.text,
                         concat("text to put before ", sentences,
                                ", such as \"query: \" (default: the folder's usual prompt, if it has one)"));
  command
      .add_option("--" + prefix + "prompt-name", prompt.name,
                  concat("the same by its name in the folder's config_sentence_transformers.json"))
      ->type_name("NAME")
      ->excludes(text);
}

}  // namespace gausscse
