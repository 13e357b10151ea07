#include "launcher/encoder_folder.hpp"

#include <spdlog/spdlog.h>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "launcher/reading_notes.hpp"
#include "model/model_folder.hpp"

namespace gausscse {

EncoderWithTokenizer open_encoder_folder(const ModelFolder& folder, Precision precision, at::Device device,
                                         PoolingKind pooling) {
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder.encoder);
  settings.pooling = pooling;
  settings.head.kind = HeadKind::none;
  settings.precision = precision;
  settings.device = device;
  EncoderWithTokenizer opened{std::make_unique<SentenceEncoder>(settings), open_tokenizer(folder.encoder)};
  for (const std::string& note : folder.notes) spdlog::info(note);
  for (const std::string& warning : folder.warnings) spdlog::warn(warning);
  tell_tokenizer(*opened.tokenizer, settings.encoder);
  for (const std::string& line : load_encoder_weights(folder.encoder, *opened.encoder)) spdlog::info(line);
  return opened;
}

std::string agreement_text(const ModelFolder& folder, const EncoderWithTokenizer& opened) {
  const at::Tensor weights = opened.encoder->parameters().values().cpu();
  return concat("the weights ", content_hash_of({static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()}),
                "\nthe tokenizer ", opened.tokenizer->fingerprint(), "\nconfig.json ",
                content_hash(folder.encoder / "config.json"), "\nprecision ",
                name_of(opened.encoder->settings().precision), "\n");
}

}  // namespace gausscse
