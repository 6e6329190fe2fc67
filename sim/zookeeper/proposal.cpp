#include "sim/zookeeper/proposal.hpp"

#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/packing.hpp"

namespace picklock {
namespace {

bool decode(std::string_view entry, ZooProposal& p) {
  Unpacker u(entry);
  p.origin = static_cast<ZabSid>(u.number());
  p.ticket = u.number();
  p.session = u.integer();
  p.xid = static_cast<std::int32_t>(u.integer());
  return u.good() && decode(u.rest(), p.txn);
}

}  // namespace

void encode(const ZooProposal& proposal, std::string& to) {
  PackedHead<4> head;
  head.number(proposal.origin);
  head.number(proposal.ticket);
  head.integer(proposal.session);
  head.integer(proposal.xid);
  to.append(head.view());
  encode(proposal.txn, to);
}

const ZooProposalReader::Read& ZooProposalReader::read(const ZabEntry& entry) {
  Read& place = place_of(entry.zxid);
  if (place.entry == entry) return place;
  place.entry = entry;
  place.hash = hash_bytes(entry.txn);
  PICKLOCK_CHECK(decode(entry.txn, place.proposal));
  return place;
}

void ZooProposalReader::note(ZabZxid zxid, const SharedBytes& bytes, ZooProposal&& proposal) {
  Read& place = place_of(zxid);
  place.entry.zxid = zxid;
  place.entry.txn = bytes;
  place.hash = hash_bytes(bytes);
  place.proposal = std::move(proposal);
}

}  // namespace picklock
