#include "model/folder/warm_start.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "model/folder/properties_file.hpp"

namespace gausscse {

namespace fs = std::filesystem;

namespace {

/// Reads the parameters whose names `is_of_part` accepts.
void load_part(const PropertiesFile& file, bool (*is_of_part)(const std::string&), SentenceEncoder& encoder) {
  for (std::size_t i = 0; i < encoder.parameters().size(); ++i)
    if (is_of_part(encoder.parameters().specs()[i].name)) file.load(i, encoder);
  encoder.parameters_changed();
}

bool same_parameters(const std::vector<ParameterSpec>& a, const std::vector<ParameterSpec>& b) {
  return a.size() == b.size() && std::ranges::all_of(a, [&](const ParameterSpec& spec) {
           return std::ranges::any_of(
               b, [&](const ParameterSpec& other) { return other.name == spec.name && other.shape == spec.shape; });
         });
}

/// Returns whether weights of a head mean the same in another one. A mean's activation alone may change.
bool suits(const HeadSettings& head, const HeadSettings& other) {
  if (head.kind != other.kind || head.kind != HeadKind::gaussian) return head.kind == other.kind;
  return (head.mean == MeanLayer::identity) == (other.mean == MeanLayer::identity) && head.scale == other.scale &&
         head.log_var == other.log_var &&
         (head.log_var == LogVarLayer::linear || head.log_var_width == other.log_var_width);
}

}  // namespace

LoadedPart load_head_weights(const fs::path& folder, SentenceEncoder& encoder) {
  const HeadSettings& wanted = encoder.settings().head;
  if (!fs::exists(folder / model_properties_file)) return {};
  const PropertiesFile file(folder);
  const HeadSettings head = file.head();
  if (!suits(head, wanted))
    return {false, concat("the head of ", folder.string(), " (", text_of(head), ") is left out, as the trial has ",
                          "another kind (", text_of(wanted), ")")};
  if (head.kind == HeadKind::none) return {};
  const auto pooling = file.choice<PoolingKind>("pooling");
  load_part(file, is_head_parameter, encoder);
  return {true,
          concat("the head starts from that of ", folder.string(), " (", text_of(head), ")",
                 head.kind != HeadKind::gaussian || head.mean == wanted.mean
                     ? ""
                     : concat(", but its mean gets the activation ", name_of(wanted.mean)),
                 pooling == encoder.settings().pooling ? ""
                                                       : concat(", but its pooling was ", name_of(pooling),
                                                                " and is now ", name_of(encoder.settings().pooling)))};
}

LoadedPart load_classifier_weights(const fs::path& folder, SentenceEncoder& encoder,
                                   std::optional<ClassifierActivation> activation) {
  if (!fs::exists(folder / model_properties_file)) return {};
  const PropertiesFile file(folder);
  const std::vector<ParameterSpec> left = file.objective_parameters(), &wanted = encoder.settings().objective;
  const auto left_out = [&](const auto&... why) {
    return LoadedPart{false, concat("the pair classifier of ", folder.string(), " is left out, as ", why...)};
  };
  if (left.empty() && wanted.empty()) return {};
  if (left.empty())
    return {false, concat("the pair classifier starts from random weights, as ", folder.string(), " has none")};
  if (wanted.empty()) return left_out("the trial's objective has none");
  if (file.head().kind != encoder.settings().head.kind) return left_out("it was trained with a head of another kind");
  if (!same_parameters(left, wanted)) return left_out("that of the trial has other shapes");
  load_part(file, is_objective_parameter, encoder);
  const auto was =
      file.has("classifier") ? std::optional(file.choice<ClassifierActivation>("classifier")) : std::nullopt;
  return {true, concat("the pair classifier starts from that of ", folder.string(),
                       !was || was == activation || !activation
                           ? ""
                           : concat(", but its activation was ", name_of(*was), " and is now ", name_of(*activation)))};
}

}  // namespace gausscse
