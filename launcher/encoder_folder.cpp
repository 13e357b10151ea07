#include "launcher/encoder_folder.hpp"

#include <spdlog/spdlog.h>

#include "base/content_hash.hpp"
#include "base/error.hpp"
#include "experiments/training/trial_data.hpp"
#include "model/model_folder.hpp"

namespace gausscse {

EncoderWithTokenizer open_encoder_folder(const std::filesystem::path& folder, Precision precision, at::Device device,
                                         PoolingKind pooling) {
  SentenceEncoderSettings settings;
  settings.encoder = read_encoder_config(folder);
  settings.pooling = pooling;
  settings.head.kind = HeadKind::none;
  settings.precision = precision;
  settings.device = device;
  EncoderWithTokenizer opened{std::make_unique<SentenceEncoder>(settings), open_tokenizer(folder)};
  check_vocabulary(*opened.tokenizer, settings.encoder);
  for (const std::string& name : load_encoder_weights(folder, *opened.encoder))
    spdlog::info("not part of the encoder, left out: {}", name);
  return opened;
}

std::string agreement_text(const std::filesystem::path& folder, const EncoderWithTokenizer& opened) {
  const at::Tensor weights = opened.encoder->parameters().values().cpu();
  return concat("the weights ", content_hash_of({static_cast<const char*>(weights.const_data_ptr()), weights.nbytes()}),
                "\nthe tokenizer ", opened.tokenizer->fingerprint(), "\nconfig.json ",
                content_hash(folder / "config.json"), "\nprecision ", name_of(opened.encoder->settings().precision),
                "\n");
}

}  // namespace gausscse
