#include "dist/collectives.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "dist/mpi/communicator_handle.hpp"

namespace gausscse {

namespace {

using detail::CommunicatorHandle;

template <typename... Tensors>
MPI_Datatype type_of(const Tensors&... tensors) {
  return type_of_host_collective({tensors...}) == at::kFloat ? MPI_FLOAT : MPI_DOUBLE;
}

class MpiCollectives : public Collectives {
 public:
  explicit MpiCollectives(std::int64_t most_elements)
      : most_elements_(most_elements),
        world_(CommunicatorHandle::of_all_ranks()),
        rank_(world_.rank()),
        size_(world_.size()) {}

  const char* name() const override { return "mpi"; }

  void all_reduce_sum(at::Tensor data) override {
    const MPI_Datatype type = type_of(data);
    for_each_chunk(data, [&](void* chunk, int count) {
      GAUSSCSE_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, chunk, count, type, MPI_SUM, world_.get()));
    });
  }

  void all_gather(const at::Tensor& local, std::span<const std::int64_t> counts, at::Tensor out) override {
    const MPI_Datatype type = type_of(local, out);
    const Layout layout = layout_of(counts, local.numel(), out.numel());
    GAUSSCSE_MPI_CHECK(MPI_Allgatherv(local.const_data_ptr(), layout.counts[static_cast<std::size_t>(rank_)], type,
                                      out.mutable_data_ptr(), layout.counts.data(), layout.displacements.data(), type,
                                      world_.get()));
  }

  void reduce_scatter_sum(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    const MPI_Datatype type = type_of(data, out);
    const Layout layout = layout_of(counts, out.numel(), data.numel());
    GAUSSCSE_MPI_CHECK(MPI_Reduce_scatter(data.const_data_ptr(), out.mutable_data_ptr(), layout.counts.data(), type,
                                          MPI_SUM, world_.get()));
  }

  void all_to_all(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    const MPI_Datatype type = type_of(data, out);
    GAUSSCSE_CHECK(data.numel() % size_ == 0, "as much for each rank");
    const std::int64_t own = data.numel() / size_;
    const Layout sent = layout_of(std::vector(static_cast<std::size_t>(size_), own), own, data.numel());
    const Layout received = layout_of(counts, own, out.numel());
    GAUSSCSE_MPI_CHECK(MPI_Alltoallv(data.const_data_ptr(), sent.counts.data(), sent.displacements.data(), type,
                                     out.mutable_data_ptr(), received.counts.data(), received.displacements.data(),
                                     type, world_.get()));
  }

  void ring_shift(const at::Tensor& data, std::span<const std::int64_t> counts, at::Tensor out) override {
    const MPI_Datatype type = type_of(data, out);
    const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
    check_ring_counts(counts, rank_, size_, data.numel(), out.numel());
    const auto* sent = static_cast<const char*>(data.const_data_ptr());
    auto* received = static_cast<char*>(out.mutable_data_ptr());
    const auto element = static_cast<std::int64_t>(data.element_size());
    // Both ends of a pair know how many elements pass between them, and so cut them alike.
    for (std::int64_t begin = 0; begin == 0 || begin < std::max(data.numel(), out.numel()); begin += most_elements_) {
      const auto part = [&](std::int64_t all) {
        return static_cast<int>(std::clamp<std::int64_t>(all - begin, 0, most_elements_));
      };
      const auto end = [&](std::int64_t all, int rank) { return begin == 0 || begin < all ? rank : MPI_PROC_NULL; };
      GAUSSCSE_MPI_CHECK(MPI_Sendrecv(sent + std::min(begin, data.numel()) * element, part(data.numel()), type,
                                      end(data.numel(), next), 0, received + std::min(begin, out.numel()) * element,
                                      part(out.numel()), type, end(out.numel(), before), 0, world_.get(),
                                      MPI_STATUS_IGNORE));
    }
  }

  void broadcast(at::Tensor data, int root) override {
    const MPI_Datatype type = type_of(data);
    for_each_chunk(
        data, [&](void* chunk, int count) { GAUSSCSE_MPI_CHECK(MPI_Bcast(chunk, count, type, root, world_.get())); });
  }

 private:
  struct Layout {
    std::vector<int> counts;
    std::vector<int> displacements;
  };

  Layout layout_of(std::span<const std::int64_t> counts, std::int64_t own, std::int64_t all) const {
    check_counts(counts, rank_, size_, own, all);
    GAUSSCSE_CHECK(all <= std::numeric_limits<int>::max(), "at most 2^31 elements in one call");
    Layout layout;
    std::int64_t begin = 0;
    for (const std::int64_t count : counts) {
      layout.counts.push_back(static_cast<int>(count));
      layout.displacements.push_back(static_cast<int>(begin));
      begin += count;
    }
    return layout;
  }

  template <typename Call>
  void for_each_chunk(at::Tensor& data, const Call& call) const {
    auto* bytes = static_cast<char*>(data.mutable_data_ptr());
    const auto element = static_cast<std::int64_t>(data.element_size());
    for (std::int64_t begin = 0; begin < data.numel(); begin += most_elements_)
      call(bytes + begin * element, static_cast<int>(std::min(most_elements_, data.numel() - begin)));
  }

  std::int64_t most_elements_;
  CommunicatorHandle world_;
  int rank_, size_;
};

}  // namespace

std::unique_ptr<Collectives> make_mpi_collectives(std::int64_t most_elements) {
  return std::make_unique<MpiCollectives>(most_elements);
}

}  // namespace gausscse
