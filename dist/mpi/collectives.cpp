#include "dist/collectives.hpp"

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "dist/mpi/communicator_handle.hpp"

namespace gausscse {

namespace {

using detail::CommunicatorHandle;

class MpiCollectives : public Collectives {
 public:
  explicit MpiCollectives(std::int64_t most_elements)
      : most_elements_(most_elements),
        world_(CommunicatorHandle::of_all_ranks()),
        rank_(world_.rank()),
        size_(world_.size()) {}

  const char* name() const override { return "mpi"; }

  void run(const TensorCall& call) override {
    const MPI_Datatype type = type_of_collective(call) == at::kFloat ? MPI_FLOAT : MPI_DOUBLE;
    GAUSSCSE_CHECK(call.data.is_cpu(), "this transport takes tensors of the CPU, not of ", call.data.device());
    check_counts(call, rank_, size_);
    const void* given = call.data.const_data_ptr();
    switch (call.collective) {
      case Collective::all_reduce_sum:
        return for_each_chunk(call.data, [&](void* chunk, int count) {
          GAUSSCSE_MPI_CHECK(MPI_Allreduce(MPI_IN_PLACE, chunk, count, type, MPI_SUM, world_.get()));
        });
      case Collective::broadcast:
        return for_each_chunk(call.data, [&](void* chunk, int count) {
          GAUSSCSE_MPI_CHECK(MPI_Bcast(chunk, count, type, call.root, world_.get()));
        });
      case Collective::ring_shift:
        return ring_shift_in_parts(call.data, call.out, type);
      default:
        break;
    }
    const Layout layout(call.counts);
    const int own = layout.counts[static_cast<std::size_t>(rank_)];
    void* taken = call.out.mutable_data_ptr();
    switch (call.collective) {
      case Collective::all_gather:
        return GAUSSCSE_MPI_CHECK(MPI_Allgatherv(given, own, type, taken, layout.counts.data(),
                                                 layout.displacements.data(), type, world_.get()));
      case Collective::reduce_scatter_sum:
        return GAUSSCSE_MPI_CHECK(MPI_Reduce_scatter(given, taken, layout.counts.data(), type, MPI_SUM, world_.get()));
      case Collective::all_to_all: {
        const Layout sent(std::vector<std::int64_t>(static_cast<std::size_t>(size_), own));
        return GAUSSCSE_MPI_CHECK(MPI_Alltoallv(given, sent.counts.data(), sent.displacements.data(), type, taken,
                                                layout.counts.data(), layout.displacements.data(), type, world_.get()));
      }
      default:
        GAUSSCSE_CHECK(false, "no collective of tensors");
    }
  }

 private:
  /// Elements of each rank, and where they begin, as MPI counts them.
  struct Layout {
    explicit Layout(std::span<const std::int64_t> elements) {
      std::int64_t end = 0;
      for (const std::int64_t count : elements) {
        counts.push_back(static_cast<int>(count));
        displacements.push_back(static_cast<int>(end));
        end += count;
      }
      GAUSSCSE_CHECK(end <= std::numeric_limits<int>::max(), "at most 2^31 elements in one call");
    }

    std::vector<int> counts, displacements;
  };

  void ring_shift_in_parts(const at::Tensor& data, const at::Tensor& out, MPI_Datatype type) const {
    const int next = (rank_ + 1) % size_, before = (rank_ + size_ - 1) % size_;
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

  template <typename Call>
  void for_each_chunk(const at::Tensor& data, const Call& call) const {
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
