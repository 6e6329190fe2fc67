// The state of a lock with owners while it rests, alone or within another model (kept_state.hpp).
#pragma once

#include "checker/models/kept_state.hpp"
#include "checker/models/owned_lock.hpp"

namespace picklock {

template <typename Archive, typename Self>
void OwnedLock::state(Archive& archive, Self& self) {
  archive(self.owners_, self.aliases_, self.named_, self.tokens_);
  if (self.rules_.unknown_first) archive(self.only_, self.first_, self.several_, self.first_depth_, self.unsettled_);
  bool searched = self.searching();
  archive(searched);
  if (!searched) {
    archive(self.holds_, self.active_, self.open_, self.releasing_, self.doubts_, self.doubts_kept_, self.peaks_,
            self.held_, self.newest_);
    return;
  }
  if constexpr (Archive::kReads) self.search_ = std::make_unique<OwnerSearch>(self.context_, self.rules_);
  archive(*self.search_, self.searched_);
}

}  // namespace picklock
