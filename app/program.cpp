#include "app/main.hpp"

int main(int argc, char** argv) { return picklock::main(argc, argv); }
