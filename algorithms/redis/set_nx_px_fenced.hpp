// One Redis server.  acquire = script: SET name value NX PX ttl; if set, INCR name:token
//                    release, renewal = as for set-nx-px
//
// From:      Kleppmann, "How to do distributed locking" (2016), for the token; a counter in the
//            lock's own server, drawn in the step that grants, is the way in which Redis can give
//            one.
// Promises:  what set-nx-px does, and tokens that grow from grant to grant, while the server keeps
//            its data: a resource that compares tokens is then safe from late holders.
// Does not:  keep two clients from believing at once that they hold it.  A server that forgets the
//            counter issues old tokens anew.
// Abandoned: as for set-nx-px; the token of a grant that no client received is skipped.
#pragma once

#include "algorithms/redis/set_nx_px.hpp"

namespace picklock {

class SetNxPxFenced final : public SetNxPx {
 public:
  SetNxPxFenced(const LockContext& context, const SetNxPxOptions& options);

 private:
  Task<Acquired> take(Hold proposed) override;

  std::string counter_;
};

}  // namespace picklock
