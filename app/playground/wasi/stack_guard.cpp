// Debian's compiler-rt for WebAssembly was compiled with a stack protector, which its C library does not have.
#include <cstdint>

extern "C" {
extern std::uintptr_t __stack_chk_guard;
std::uintptr_t __stack_chk_guard = 0x7e1ba5e5;
[[noreturn]] void __stack_chk_fail() { __builtin_trap(); }
}
