#include "sim/zookeeper/ensemble_lab.hpp"

#include <algorithm>
#include <string>

namespace picklock::testing {

void EnsembleLab::begin(const EnsembleLabOptions& options, std::uint64_t seed) {
  reset(seed);
  world.network.set_latency(Law::uniform(us(50), ms(3)));
  judge.reset();
  judge.keep_transactions(options.keep_transactions);
  history.clear();
  count_ = options.servers + options.observers;
  while (servers.size() < count_) servers.push_back(std::make_unique<ZooServer>());
  while (clients.size() < options.clients) clients.push_back(std::make_unique<StoreClient>());
  ZooServerSetup setup{options.zoo, {}, {}, &judge, options.flaw, options.zab_flaw, options.snapshot_every};
  nodes.clear();
  for (std::size_t i = 0; i < count_; ++i) {
    nodes.push_back(world.nodes.add("zk" + std::to_string(i + 1)));
    (i < options.servers ? setup.servers : setup.observers).push_back(nodes.back());
  }
  for (std::size_t i = 0; i < count_; ++i) {
    servers[i]->set_up(setup);
    world.install(nodes[i], *servers[i]);
  }
  client_nodes.clear();
  for (std::size_t i = 0; i < options.clients; ++i) {
    clients[i]->set_up(
        {nodes, milliseconds(100 + 150 * static_cast<std::int64_t>(i % 3)), options.load, &history, i % 2 == 1});
    client_nodes.push_back(world.nodes.add("c" + std::to_string(i + 1)));
    world.install(client_nodes.back(), *clients[i]);
  }
}

std::size_t EnsembleLab::leader() const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (world.nodes.alive(nodes[i]) && servers[i]->leads()) return i;
  }
  return count_;
}

bool EnsembleLab::converged() const {
  std::size_t leaders = 0;
  for (std::size_t i = 0; i < count_; ++i) {
    if (!world.nodes.alive(nodes[i]) || !servers[i]->serves()) return false;
    leaders += servers[i]->leads() ? 1 : 0;
    if (servers[i]->tree().last_zxid() != servers[0]->tree().last_zxid()) return false;
  }
  return leaders == 1;
}

void EnsembleLab::plan_faults(std::uint64_t seed, Duration until) {
  Dice dice(seed ^ 0x5eed);
  const std::int64_t kinds = dice.between(1, 1023);
  const std::int64_t faults = dice.between(0, 6);
  for (std::int64_t i = 0; i < faults; ++i) {
    const std::int64_t kind = dice.between(0, 9);
    const Duration at = ms(dice.between(300, until.ms() - 100));
    const Duration lasts = ms(dice.one_in(2) ? dice.between(1, 80) : dice.between(80, 1200));
    const std::int64_t who = dice.between(0, 6);
    const std::int64_t extra = dice.between(-100'000, 100'000);
    if (((kinds >> kind) & 1) != 0) inject(kind, at, std::min(lasts, until - at), who, extra);
  }
}

void EnsembleLab::inject(std::int64_t kind, Duration when, Duration lasts, std::int64_t who, std::int64_t extra) {
  at(when, [=, this](World& w) {
    // The server that leads now, or any.
    const std::size_t victim = who >= 5 && leader() < count_ ? leader() : static_cast<std::size_t>(who) % count_;
    const NodeId n = nodes[victim];
    const auto later = [&w, this](Duration d, Act act) { w.actions.at(w.now() + d, action(std::move(act))); };
    switch (kind) {
      case 0: {
        const auto incarnation = w.faults.pause(n);
        return later(lasts, [n, incarnation](World& x) { x.faults.resume(n, incarnation); });
      }
      case 1: {
        const auto boot = w.faults.freeze(n);
        return later(lasts, [n, boot](World& x) { x.faults.thaw(n, Thaw::lags, boot); });
      }
      case 2:
        w.faults.kill(n);
        return later(lasts, [n](World& x) { x.faults.restart(n); });
      case 3:
        w.faults.lose_power(n);
        return later(lasts, [n](World& x) { x.faults.restart(n); });
      case 4:  // everywhere at once
        for (std::size_t i = 0; i < count_; ++i) {
          const NodeId each = nodes[i];
          w.faults.lose_power(each);
          later(Duration{lasts.ns * static_cast<std::int64_t>(i + 1) / 2},
                [each](World& x) { x.faults.restart(each); });
        }
        return;
      case 5:
      case 6: {  // the victim alone, or with the clients on its side
        NetworkRule out, in;
        for (NodeId each = 1; each <= w.nodes.count(); ++each) {
          const bool is_server = std::find(nodes.begin(), nodes.end(), each) != nodes.end();
          if (each == n || (!is_server && kind == 6)) {
            out.from.set(each);
            if (each != n) out.from.reset(each);
          } else {
            out.to.set(each);
          }
        }
        in.from = out.to;
        in.to = out.from;
        const std::uint32_t a = w.network.install(out), b = w.network.install(in);
        return later(lasts, [a, b](World& x) { x.network.uninstall(a), x.network.uninstall(b); });
      }
      case 7:
        w.faults.set_rate(n, static_cast<std::int32_t>(extra));
        return;
      case 8:  // one disk, or all: they may share one
        for (const NodeId each : nodes) {
          if (each != n && extra < 0) continue;
          w.nodes.disk(each).slowdown = Law::uniform(ms(5), ms(120));
          later(lasts, [each](World& x) { x.nodes.disk(each).slowdown = Law(); });
        }
        return;
      default: {
        NetworkRule slow;
        slow.from.set(n);
        slow.to.set();
        slow.fate = Fate::delay;
        slow.delay = Law::uniform(ms(5), ms(90));
        const std::uint32_t a = w.network.install(slow);
        return later(lasts, [a](World& x) { x.network.uninstall(a); });
      }
    }
  });
}

}  // namespace picklock::testing
