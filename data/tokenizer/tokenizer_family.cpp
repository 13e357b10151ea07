#include "data/tokenizer/tokenizer_family.hpp"

namespace gausscse {

const std::vector<TokenizerFamily>& word_piece_families() {
  static const std::vector<TokenizerFamily> families{
      {.classes = {"BertTokenizer", "DistilBertTokenizer", "ElectraTokenizer"},
       .first = "[CLS]",
       .last = "[SEP]",
       .unknown = "[UNK]",
       .padding = "[PAD]",
       .mask = "[MASK]",
       .mask_takes_space = false},
      {.classes = {"MPNetTokenizer"},
       .first = "<s>",
       .last = "</s>",
       .unknown = "[UNK]",
       .padding = "<pad>",
       .mask = "<mask>",
       .mask_takes_space = true}};
  return families;
}

const std::vector<TokenizerFamily>& byte_level_families() {
  static const std::vector<TokenizerFamily> families{{.classes = {"RobertaTokenizer"},
                                                      .first = "<s>",
                                                      .last = "</s>",
                                                      .unknown = "<unk>",
                                                      .padding = "<pad>",
                                                      .mask = "<mask>",
                                                      .mask_takes_space = true}};
  return families;
}

}  // namespace gausscse
