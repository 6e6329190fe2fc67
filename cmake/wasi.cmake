# Toolchain file: WebAssembly with the system interface WASI, from Debian's packages alone (clang-16, lld-16, wasi-libc,
# libc++-16-dev-wasm32, libc++abi-16-dev-wasm32, libclang-rt-16-dev-wasm32).
#
# There are no exceptions, no threads and no files. The include path is said in full: the compiler would look into
# /usr/include, which belongs to another machine.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(PICKLOCK_WASI ON)
set(CMAKE_CXX_COMPILER clang++-16)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_C_COMPILER clang-16)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_CXX_FLAGS_INIT "-nostdlibinc -isystem /usr/lib/llvm-16/include/wasm32-wasi/c++/v1 -isystem /usr/include/wasm32-wasi -fno-exceptions")
set(CMAKE_C_FLAGS_INIT "-nostdlibinc -isystem /usr/include/wasm32-wasi")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--sysroot=/usr -L/usr/lib/llvm-16/lib/wasm32-wasi -mexec-model=reactor -fuse-ld=lld")
