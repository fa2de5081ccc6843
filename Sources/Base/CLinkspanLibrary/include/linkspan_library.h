#ifndef LINKSPAN_LIBRARY_H
#define LINKSPAN_LIBRARY_H

#include <stddef.h>

/* A shared library of the system, loaded with the first call of one of its functions. Loading those that a command never
   calls cost every start two thirds of its instructions.

   LINKSPAN_LIBRARY defines a function of the same name for each function of the library that the program calls, so callers
   include the library's own header and notice nothing. Such a function has no parameters to repeat: it jumps to the
   library's with registers and stack as they were. Without the library it ends the program with status 2 and says what to
   install; linkspan_library_problem asks beforehand. */

typedef struct {
  const char *name;
  /* Where its address is put. */
  void **place;
} linkspan_symbol;

typedef struct linkspan_library {
  /* The name that the loader looks for, without a folder. */
  const char *file;
  /* Debian's name of the package. */
  const char *package;
  /* Whether its callers ask for problems and go on without it. */
  int is_optional;
  const linkspan_symbol *symbols;
  size_t count;
  /* What follows is the loader's. */
  int is_tried;
  const char *problem;
  struct linkspan_library *next;
} linkspan_library;

/* Loads a library, unless an earlier call did, on any thread. Returns why it cannot be used, or NULL. */
const char *linkspan_library_problem(linkspan_library *library);

/* Loads a library; ends the program when it cannot be used. */
void linkspan_library_demand(linkspan_library *library);

/* Every library of the program; the next one is in 'next'. */
linkspan_library *linkspan_library_first(void);

/* The same for every library that is not optional: for a process that runs long, or gives up the right to open files. */
void linkspan_library_demand_all(void);

/* Called before main. */
void linkspan_library_add(linkspan_library *library);

/* What a function of ours does: jump to the library's, and before that, the first time, have it loaded. The address is
   read so that what loading wrote is seen with it. */
#if defined(__x86_64__)
#define LINKSPAN_LIBRARY_JUMP(name) \
  "movq linkspan_place_" #name "(%rip), %r11\n testq %r11, %r11\n jz 1f\n jmpq *%r11\n" \
  "1: leaq linkspan_this_library(%rip), %r11\n callq linkspan_library_enter\n jmp " #name "\n"
#elif defined(__aarch64__)
#define LINKSPAN_LIBRARY_JUMP(name) \
  "adrp x16, linkspan_place_" #name "\n add x16, x16, :lo12:linkspan_place_" #name "\n" \
  "ldar x17, [x16]\n cbz x17, 1f\n br x17\n" \
  "1: stp x29, x30, [sp, #-16]!\n .cfi_def_cfa_offset 16\n .cfi_offset x29, -16\n .cfi_offset x30, -8\n" \
  "adrp x16, linkspan_this_library\n add x16, x16, :lo12:linkspan_this_library\n bl linkspan_library_enter\n" \
  "ldp x29, x30, [sp], #16\n .cfi_def_cfa_offset 0\n .cfi_restore x29\n .cfi_restore x30\n b " #name "\n"
#else
#error "linkspan_library.h has no jump for this processor: add one here and an entry in library.c"
#endif

#define LINKSPAN_LIBRARY_PLACE(name) static void *linkspan_place_##name __attribute__((used));
#define LINKSPAN_LIBRARY_SYMBOL(name) {#name, &linkspan_place_##name},
#define LINKSPAN_LIBRARY_FUNCTION(name) \
  __asm__(".text\n.balign 16\n.globl " #name "\n.hidden " #name "\n.type " #name ", %function\n" #name ":\n" \
          ".cfi_startproc\n" LINKSPAN_LIBRARY_JUMP(name) ".cfi_endproc\n.size " #name ", . - " #name "\n");

/* The library in a note of the binary, as https://uapi-group.org/specifications/specs/elf_dlopen_metadata/ describes it.
   Packages, images and wheels find there what the loader does not list. */
#define LINKSPAN_LIBRARY_NOTE(file, priority) \
  __asm__(".pushsection .note.dlopen, \"a\", %note\n.balign 4\n.long 4, 2f - 1f, 0x407c0c0a\n.asciz \"FDO\"\n" \
          "1: .asciz \"[{\\\"soname\\\":[\\\"" file "\\\"],\\\"priority\\\":\\\"" priority "\\\"}]\"\n2:\n" \
          ".balign 4\n.popsection\n");

/* Defines the functions of one library; once in a file. FUNCTIONS(F) and VARIABLES(F) are F(name) for each name. */
#define LINKSPAN_LIBRARY(file, package, is_optional, FUNCTIONS, VARIABLES) \
  FUNCTIONS(LINKSPAN_LIBRARY_PLACE) \
  VARIABLES(LINKSPAN_LIBRARY_PLACE) \
  static const linkspan_symbol linkspan_symbols[] = { \
      FUNCTIONS(LINKSPAN_LIBRARY_SYMBOL) VARIABLES(LINKSPAN_LIBRARY_SYMBOL)}; \
  static linkspan_library linkspan_this_library __attribute__((used)) = { \
      file, package, is_optional, linkspan_symbols, sizeof linkspan_symbols / sizeof *linkspan_symbols, 0, NULL, NULL}; \
  __attribute__((constructor)) static void linkspan_add(void) { linkspan_library_add(&linkspan_this_library); } \
  FUNCTIONS(LINKSPAN_LIBRARY_FUNCTION) \
  LINKSPAN_LIBRARY_NOTE(file, LINKSPAN_LIBRARY_PRIORITY_##is_optional)
#define LINKSPAN_LIBRARY_PRIORITY_0 "required"
#define LINKSPAN_LIBRARY_PRIORITY_1 "recommended"
#define LINKSPAN_LIBRARY_NO_VARIABLES(F)

#endif
