#pragma once

#include <functional>
#include <string>

#include "inference/embed_file.hpp"
#include "inference/sentence_model.hpp"
#include "launcher/process.hpp"
#include "model/sentence_encoder.hpp"
#include "results/run_result.hpp"

namespace gausscse {

/// Warns where ranks embed with different instructions, see `different_instructions`. `encoder` may be null: word
/// vectors have none.
void warn_of_different_instructions(const Provenance& provenance, const SentenceEncoder* encoder);

/// Logs them, warnings last.
void log_notes(const Notes& notes);

/// Opens a model as `open_sentence_model` does and logs its notes; where word vectors are read, logs that, with the
/// progress of rank 0 if `show_progress` is set.
SentenceModel open_logged_model(const SentenceModelOptions& options, at::Device device, ControlGroup& ranks,
                                bool show_progress);

/// Embeds the sentences of `file`, called `name`, as `embed_file` does; logs its notes and those on bad lines, with the
/// progress of rank 0 if `show_progress` is set. Returns the counts of tokens.
TokenCounts embed_logged_file(const std::string& name, SentenceFile& file, SentenceModel& model, Process& process,
                              bool show_progress, const std::function<void(const at::Tensor&)>& take);

}  // namespace gausscse
