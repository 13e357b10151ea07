#include "model/head/head_settings.hpp"

#include "base/error.hpp"

namespace gausscse {

std::string text_of(const HeadSettings& head) {
  if (head.kind != HeadKind::gaussian) return std::string(name_of(head.kind));
  std::string text = concat("gaussian, mean ", name_of(head.mean));
  if (head.scale == MeanScale::unit) text += ", scale unit";
  if (head.log_var == LogVarLayer::mlp) text += concat(", log_var mlp of ", head.log_var_width);
  return text;
}

}  // namespace gausscse
