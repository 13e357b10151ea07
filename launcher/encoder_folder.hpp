#pragma once

#include <memory>
#include <string>

#include "data/tokenizer/tokenizer.hpp"
#include "model/model_folder_reader.hpp"
#include "model/sentence_encoder.hpp"

namespace gausscse {

/// The encoder of a Hugging Face folder, be it one that was downloaded or the folder `model` of a finished run, without
/// a head.
struct EncoderWithTokenizer {
  std::unique_ptr<SentenceEncoder> encoder;
  std::unique_ptr<Tokenizer> tokenizer;
};

/// Opens both, the encoder on `device`; the log tells what the folder holds next to the encoder and what of it is not
/// applied. Throws InputError, also where the tokenizer is not the encoder's.
EncoderWithTokenizer open_encoder_folder(const ModelFolder& folder, Precision precision, at::Device device,
                                         PoolingKind pooling = PoolingKind::first_token);

/// What the ranks must have in common of it, a line each, for `check_agreement`.
std::string agreement_text(const ModelFolder& folder, const EncoderWithTokenizer& opened);

}  // namespace gausscse
