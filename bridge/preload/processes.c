// Processes that a program would start: none, but the forks by which the package of a language begins a run.
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "virtual.h"

static int may_fork;
// For packages of a language: the next fork is a run of its own.
void picklock_allow_fork(void) { may_fork = 1; }

pid_t fork(void) {
  if (is_virtual() && !may_fork) return refuse("it forks");
  may_fork = 0;
  return NEXT(fork)();
}
pid_t vfork(void) {
  if (is_virtual()) return refuse("it starts a process");
  return fork();
}
static int refuse_start(const char* path) {
  refuse("it starts the process %s", path);
  return EACCES;
}
int posix_spawn(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                char* const argv[], char* const envp[]) {
  return is_virtual() ? refuse_start(path) : NEXT(posix_spawn)(pid, path, actions, attributes, argv, envp);
}
int posix_spawnp(pid_t* pid, const char* path, const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
                 char* const argv[], char* const envp[]) {
  return is_virtual() ? refuse_start(path) : NEXT(posix_spawnp)(pid, path, actions, attributes, argv, envp);
}
int system(const char* command) {
  if (is_virtual() && command) return refuse("it starts the command %s", command);
  return NEXT(system)(command);
}
FILE* popen(const char* command, const char* mode) {
  if (!is_virtual()) return NEXT(popen)(command, mode);
  refuse("it starts the command %s", command);
  return NULL;
}
