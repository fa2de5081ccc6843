#include "linkspan_library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static linkspan_library *first;
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

void linkspan_library_add(linkspan_library *library) {
  library->next = first;
  first = library;
}

linkspan_library *linkspan_library_first(void) { return first; }

/* Keeps why a library cannot be used. */
static void fail(linkspan_library *library, const char *what, const char *detail) {
  size_t room = 32 + strlen(library->file) + strlen(what) + strlen(detail);
  char *text = malloc(room);
  if (text == NULL) abort();
  snprintf(text, room, "the library %s %s (%s)", library->file, what, detail);
  library->problem = text;
}

static void load(linkspan_library *library) {
  /* As the loader does at a start: functions are bound with their first call, and the names are nobody else's. */
  void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
  if (handle == NULL) {
    const char *why = dlerror();
    fail(library, "cannot be loaded", why == NULL ? "without a reason" : why);
    return;
  }
  void *found[library->count];
  for (size_t index = 0; index < library->count; index++) {
    found[index] = dlsym(handle, library->symbols[index].name);
    if (found[index] != NULL) continue;
    fail(library, "lacks a function", library->symbols[index].name);
    return;
  }
  for (size_t index = 0; index < library->count; index++)
    __atomic_store_n(library->symbols[index].place, found[index], __ATOMIC_RELEASE);
}

const char *linkspan_library_problem(linkspan_library *library) {
  if (!__atomic_load_n(&library->is_tried, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&loading);
    if (!library->is_tried) {
      load(library);
      __atomic_store_n(&library->is_tried, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&loading);
  }
  return library->problem;
}

void linkspan_library_demand(linkspan_library *library) {
  const char *problem = linkspan_library_problem(library);
  if (problem == NULL) return;
  fprintf(stderr, "linkspan: error: %s\n  Install or upgrade the package %s.\n", problem, library->package);
  exit(2);
}

void linkspan_library_demand_all(void) {
  for (linkspan_library *library = first; library != NULL; library = library->next)
    if (!library->is_optional) linkspan_library_demand(library);
}

/* linkspan_library_demand with the library in a register that carries no argument, and with every register that carries
   one as it was: the stub's caller meant them for the library's function. */
#if defined(__x86_64__)
__asm__(
    ".text\n.globl linkspan_library_enter\n.hidden linkspan_library_enter\n"
    ".type linkspan_library_enter, %function\n"
    "linkspan_library_enter:\n.cfi_startproc\n"
    "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\n"
    "movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n"
    "pushq %rax\npushq %rdi\npushq %rsi\npushq %rdx\npushq %rcx\npushq %r8\npushq %r9\npushq %r10\n"
    "subq $136, %rsp\n"
    "movups %xmm0, (%rsp)\nmovups %xmm1, 16(%rsp)\nmovups %xmm2, 32(%rsp)\nmovups %xmm3, 48(%rsp)\n"
    "movups %xmm4, 64(%rsp)\nmovups %xmm5, 80(%rsp)\nmovups %xmm6, 96(%rsp)\nmovups %xmm7, 112(%rsp)\n"
    "movq %r11, %rdi\ncallq linkspan_library_demand\n"
    "movups (%rsp), %xmm0\nmovups 16(%rsp), %xmm1\nmovups 32(%rsp), %xmm2\nmovups 48(%rsp), %xmm3\n"
    "movups 64(%rsp), %xmm4\nmovups 80(%rsp), %xmm5\nmovups 96(%rsp), %xmm6\nmovups 112(%rsp), %xmm7\n"
    "addq $136, %rsp\n"
    "popq %r10\npopq %r9\npopq %r8\npopq %rcx\npopq %rdx\npopq %rsi\npopq %rdi\npopq %rax\n"
    "popq %rbp\n.cfi_def_cfa %rsp, 8\nretq\n"
    ".cfi_endproc\n.size linkspan_library_enter, . - linkspan_library_enter\n");
#elif defined(__aarch64__)
__asm__(
    ".text\n.balign 4\n.globl linkspan_library_enter\n.hidden linkspan_library_enter\n"
    ".type linkspan_library_enter, %function\n"
    "linkspan_library_enter:\n.cfi_startproc\n"
    "stp x29, x30, [sp, #-224]!\n.cfi_def_cfa_offset 224\n.cfi_offset x29, -224\n.cfi_offset x30, -216\n"
    "mov x29, sp\n"
    "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nstr x8, [sp, #80]\n"
    "stp q0, q1, [sp, #96]\nstp q2, q3, [sp, #128]\nstp q4, q5, [sp, #160]\nstp q6, q7, [sp, #192]\n"
    "mov x0, x16\nbl linkspan_library_demand\n"
    "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\nldr x8, [sp, #80]\n"
    "ldp q0, q1, [sp, #96]\nldp q2, q3, [sp, #128]\nldp q4, q5, [sp, #160]\nldp q6, q7, [sp, #192]\n"
    "ldp x29, x30, [sp], #224\n.cfi_def_cfa_offset 0\n.cfi_restore x29\n.cfi_restore x30\nret\n"
    ".cfi_endproc\n.size linkspan_library_enter, . - linkspan_library_enter\n");
#endif
