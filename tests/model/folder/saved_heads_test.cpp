#include <ATen/TensorOperators.h>

#include <tuple>

#include "base/error.hpp"
#include "model/folder/warm_start.hpp"
#include "tests/model/folder/model_folder_fixture.hpp"

namespace gausscse {
namespace {

class SavedHeads : public SmallModelFolder {
 protected:
  void save_head(SentenceEncoder& encoder) const {
    ModelProperties properties = best_state();
    if (encoder.settings().head.kind != HeadKind::gaussian) properties.similarity = Similarity::cosine;
    std::filesystem::remove_all(model_);
    save_model(model_, encoder, properties, {folder_ / "vocab.txt"}, "card\n");
  }
};

/// Earlier versions, which do not know these heads, refuse the format.
TEST_F(SavedHeads, OpensHeadsOfTheThirdFormat) {
  const HeadSettings scaled{HeadKind::gaussian, MeanLayer::tanh, MeanScale::unit};
  const HeadSettings mlp{HeadKind::gaussian, MeanLayer::linear, MeanScale::none, LogVarLayer::mlp, 7};
  const HeadSettings both{HeadKind::gaussian, MeanLayer::identity, MeanScale::unit, LogVarLayer::mlp, 5};
  for (const HeadSettings& head : {scaled, mlp, both}) {
    SCOPED_TRACE(text_of(head));
    SentenceEncoder encoder(settings(head));
    randomize(encoder.parameters(), 3);
    save_head(encoder);
    EXPECT_EQ(SafetensorsFile::open(model_ / "gausscse.safetensors").metadata().at("gausscse"), "gausscse-model/3");
    const SavedModel opened = open_model(model_, std::nullopt);
    EXPECT_EQ(opened.encoder->settings().head, head);
    EXPECT_TRUE(opened.encoder->parameters().values().equal(encoder.parameters().values()));
    for (const auto& [key, word, problem] :
         {std::tuple("scale", "units", "did you mean \"unit\"?"), {"log_var", "linaer", "did you mean \"linear\"?"}}) {
      rewrite_head([&](Metadata& metadata, Tensors&) { metadata.at(key) = word; });
      EXPECT_TRUE(says(refusal(), problem)) << refusal();
      save_head(encoder);
    }
  }
  for (const char* width : {"0", "65537", "five", "-1"}) {
    SentenceEncoder encoder(settings(both));
    save_head(encoder);
    rewrite_head([&](Metadata& metadata, Tensors&) { metadata.at("log_var_width") = width; });
    EXPECT_TRUE(says(refusal(), "log_var_width")) << width << ": " << refusal();
  }
}

/// A head is taken where it has the trial's parameters with the same meaning: only the activation of a mean may differ.
TEST_F(SavedHeads, AHeadOfAnotherShapeIsLeftOut) {
  const HeadSettings tanh{HeadKind::gaussian, MeanLayer::tanh}, linear{HeadKind::gaussian, MeanLayer::linear},
      identity{HeadKind::gaussian, MeanLayer::identity}, unit{HeadKind::gaussian, MeanLayer::tanh, MeanScale::unit},
      mlp{HeadKind::gaussian, MeanLayer::tanh, MeanScale::none, LogVarLayer::mlp, 7},
      wide{HeadKind::gaussian, MeanLayer::tanh, MeanScale::none, LogVarLayer::mlp, 8}, plain{HeadKind::mlp_tanh};
  // A width without the layer, or a mean without a Gaussian, has no meaning.
  HeadSettings width_unused = tanh, mean_unused = plain;
  width_unused.log_var_width = 9;
  mean_unused.mean = MeanLayer::identity;
  const std::vector<HeadSettings> heads{tanh, linear, identity, unit, mlp, wide, plain};
  std::vector<HeadSettings> wanted_heads = heads;
  wanted_heads.insert(wanted_heads.end(), {width_unused, mean_unused});
  const auto suits = [&](const HeadSettings& saved, const HeadSettings& wanted) {
    const auto is_activated = [&](const HeadSettings& head) { return head == tanh || head == linear; };
    return saved == wanted || (is_activated(saved) && is_activated(wanted)) ||
           (saved == tanh && wanted == width_unused) || (saved == plain && wanted == mean_unused) ||
           (saved == linear && wanted == width_unused);
  };
  for (const HeadSettings& head : heads) {
    SentenceEncoder saved(settings(head));
    randomize(saved.parameters(), 3);
    save_head(saved);
    for (const HeadSettings& wanted : wanted_heads) {
      SCOPED_TRACE(concat(text_of(head), " for ", text_of(wanted), " of ", wanted.log_var_width));
      SentenceEncoder encoder(settings(wanted));
      const LoadedPart part = load_head_weights(model_, encoder);
      ASSERT_EQ(part.is_loaded, suits(head, wanted)) << part.text;
      if (!part.is_loaded) {
        EXPECT_EQ(part.text, concat("the head of ", model_.string(), " (", text_of(head),
                                    ") is left out, as the trial has another kind (", text_of(wanted), ")"));
        EXPECT_EQ(encoder.parameters().values().abs().max().item<float>(), 0);
        continue;
      }
      EXPECT_EQ(part.text.find("gets the activation") != std::string::npos,
                head.kind == HeadKind::gaussian && head.mean != wanted.mean)
          << part.text;
      for (const ParameterSpec& spec : head_parameters(wanted, 24))
        EXPECT_TRUE(encoder.parameters().value(spec.name).equal(saved.parameters().value(spec.name))) << spec.name;
    }
  }
}

}  // namespace
}  // namespace gausscse
