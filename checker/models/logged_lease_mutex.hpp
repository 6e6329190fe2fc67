// logged-lease-mutex: a lease lock in whose history every lapse is recorded, as an expire that names the
// hold (or comes from its process).  A mutex, then, in which expire is a release:
//
// State: the owner, or none.
//   acquire by o           legal if there is no owner
//   release, expire of o   legal if o is the owner; then there is none
//   refresh by o           legal if o is the owner
//
// The sweep of owned_lock.hpp, until an expire comes while its hold has something else under way;
// from then on the search of owner_search.hpp.  Leases that lapse unseen: lease_mutex.hpp.
#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "checker/models/models.hpp"

namespace picklock {

inline constexpr std::array<std::string_view, 4> kLoggedLeaseMutexFunctions = {"acquire", "release", "expire",
                                                                               "refresh"};

std::unique_ptr<Model> make_logged_lease_mutex(const ModelContext& context);

}  // namespace picklock
