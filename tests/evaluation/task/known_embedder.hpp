#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "data/corpus/token_store.hpp"
#include "model/sentence_embedder.hpp"

namespace gausscse {

/// Embedder on a device whose rows are known, by the sentence's tokens.
class KnownEmbedder final : public SentenceEmbedder {
 public:
  /// `rows` on the CPU are those of the sentences of `store`.
  KnownEmbedder(const TokenStore& store, at::Tensor rows, at::Device device) : rows_(std::move(rows)), device_(device) {
    for (std::uint32_t i = 0; i < store.sentences(); ++i) {
      std::vector<std::uint32_t> ids;
      store.append_tokens(i, ids);
      numbers_[{ids.begin(), ids.end()}] = i;
    }
  }

  std::int64_t width() const override { return rows_.size(1); }
  at::TensorOptions options() const override { return rows_.options().device(device_); }
  /// Its embedders read tokens, so batches stay on the CPU.
  PackedBatch pack(std::span<const std::uint32_t> ids, std::span<const std::uint32_t> offsets) const override {
    return pack_sentences(ids, offsets, {}, 0);
  }
  std::unique_ptr<BatchEmbedder> make_batch_embedder() override { return std::make_unique<Batches>(*this); }

 private:
  struct Batches final : BatchEmbedder {
    explicit Batches(const KnownEmbedder& embedder) : all(embedder) {}
    at::Tensor embed(const PackedBatch& packed) override {
      at::Tensor batch = at::empty({packed.sentences(), all.width()}, all.rows_.options());
      const auto* ids = packed.ids.const_data_ptr<std::int32_t>();
      const auto* offsets = packed.offsets.const_data_ptr<std::int32_t>();
      for (std::int64_t s = 0; s < packed.sentences(); ++s)
        batch[s].copy_(all.rows_[all.numbers_.at({ids + offsets[s], ids + offsets[s + 1]})]);
      return batch.to(all.device_);
    }
    const KnownEmbedder& all;
  };

  at::Tensor rows_;
  at::Device device_;
  std::map<std::vector<std::int32_t>, std::int64_t> numbers_;
};

/// Bytes that LibTorch copies from a GPU to the host while an object lives.
class BytesToHost {
 public:
  BytesToHost()
      : callback_(at::addGlobalCallback(
            at::RecordFunctionCallback(&count).needsInputs(true).scopes({at::RecordScope::FUNCTION}))) {
    bytes = 0;
  }
  ~BytesToHost() { at::removeCallback(callback_); }
  BytesToHost(const BytesToHost&) = delete;
  BytesToHost& operator=(const BytesToHost&) = delete;

  static inline std::atomic<std::int64_t> bytes;

 private:
  static std::unique_ptr<at::ObserverContext> count(const at::RecordFunction& call) {
    const c10::ArrayRef<const c10::IValue> inputs = call.inputs();
    if (std::string_view(call.name()) == "aten::copy_" && inputs[1].toTensor().is_cuda() &&
        !inputs[0].toTensor().is_cuda())
      bytes += static_cast<std::int64_t>(inputs[1].toTensor().nbytes());
    return nullptr;
  }

  at::CallbackHandle callback_;
};

}  // namespace gausscse
