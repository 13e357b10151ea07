#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "inference/sentence_model.hpp"
#include "launcher/machine/compute_device.hpp"

namespace gausscse {

/// --device and --share-gpu of the commands that compute.
struct DeviceOptions {
  std::string device;  ///< empty: not given, which is `auto`
  bool share_gpu = false;

  DeviceRequest request() const;
};

/// Adds both; `meaning` is the help text of --device.
void add_device_options(
    CLI::App& command, DeviceOptions& options,
    const std::string& meaning = "device of the ranks; auto: GPUs if all ranks have them, else cores (default: auto)");

/// Adds MODEL, --precision and --pooling of the commands that embed sentences.
void add_model_options(CLI::App& command, SentenceModelOptions& options);

/// Adds --prompt and --prompt-name, or with a prefix such as "corpus-" --corpus-prompt and --corpus-prompt-name;
/// `sentences` names what they are put before.
void add_prompt_options(CLI::App& command, PromptChoice& prompt, const std::string& prefix = {},
                        const std::string& sentences = "every sentence");

}  // namespace gausscse
