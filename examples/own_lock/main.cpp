// The whole command, with this lock: own_lock run paused_holder --lock own-lock
#include "app/main.hpp"
#include "own_lock.hpp"

int main(int argc, char** argv) {
  add_own_lock();
  return picklock::main(argc, argv, "build/own_lock");
}
