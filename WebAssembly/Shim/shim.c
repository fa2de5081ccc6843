// The C side of the module: memory, and the few functions that Embedded Swift's runtime calls.
#include <stddef.h>
#include <stdint.h>

extern unsigned char __heap_base;

// Blocks come in sizes of four steps a power of two; freed ones wait in the list of their size. A module lives for one
// command, so nothing is ever given back to the engine.
typedef struct Block { struct Block *next; } Block;
enum { step_count = 30 * 4, head_bytes = 16, page_bytes = 65536 };
static Block *freed[step_count];
static uintptr_t top, end;

static size_t size_of_step(int step) { return ((size_t)(4 + step % 4) << (step / 4)) * 4; }

static int step_for(size_t size) {
  int step = 0;
  if (size > 64) step = 4 * (31 - __builtin_clz((unsigned)((size - 1) / 16)));
  while (size_of_step(step) < size) step++;
  return step;
}

static uintptr_t grown(size_t size, size_t alignment) {
  if (!top) top = end = (uintptr_t)&__heap_base, end = (uintptr_t)__builtin_wasm_memory_size(0) * page_bytes;
  uintptr_t start = (top + head_bytes + alignment - 1) & ~(uintptr_t)(alignment - 1);
  if (start + size < start) __builtin_trap();
  if (start + size > end) {
    size_t pages = (start + size - end + page_bytes - 1) / page_bytes;
    if (pages < 16) pages = 16;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) __builtin_trap();
    end += pages * page_bytes;
  }
  top = start + size;
  return start;
}

void *linkspan_allocate(size_t size, size_t alignment) {
  int step = step_for(size);
  if (alignment <= 16 && freed[step]) {
    Block *block = freed[step];
    freed[step] = block->next;
    return block;
  }
  uintptr_t start = grown(size_of_step(step), alignment < 16 ? 16 : alignment);
  ((int *)start)[-1] = step;
  return (void *)start;
}

void *malloc(size_t size) { return linkspan_allocate(size, 16); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  *result = linkspan_allocate(size, alignment);
  return 0;
}

void free(void *block) {
  if (!block) return;
  int step = ((int *)block)[-1];
  ((Block *)block)->next = freed[step];
  freed[step] = block;
}

void *memmove(void *to, const void *from, size_t count) {
  unsigned char *t = to;
  const unsigned char *f = from;
  if (t == f) return to;
  if (t < f || t >= f + count) {
    while (count && ((uintptr_t)t & 3) != 0) *t++ = *f++, count--;
    if (((uintptr_t)f & 3) == 0) for (; count >= 4; count -= 4, t += 4, f += 4) *(uint32_t *)t = *(const uint32_t *)f;
    while (count--) *t++ = *f++;
  } else {
    while (count--) t[count] = f[count];
  }
  return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t count) { return memmove(to, from, count); }

void *memset(void *to, int value, size_t count) {
  unsigned char *t = to;
  while (count--) *t++ = (unsigned char)value;
  return to;
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *l = left, *r = right;
  for (; count--; l++, r++) if (*l != *r) return *l - *r;
  return 0;
}

size_t strlen(const char *text) {
  size_t count = 0;
  while (text[count]) count++;
  return count;
}

// Only the order of hash tables depends on it, and no answer does.
void arc4random_buf(void *to, size_t count) { memset(to, 0x5A, count); }

typedef struct { uint64_t low, high; } Wide;

// The product of two numbers of 128 bits, by halves of 64.
Wide __multi3(uint64_t left_low, uint64_t left_high, uint64_t right_low, uint64_t right_high) {
  uint64_t a = left_low >> 32, b = left_low & 0xFFFFFFFF, c = right_low >> 32, d = right_low & 0xFFFFFFFF;
  uint64_t low = b * d, middle = a * d + (low >> 32), other = b * c + (middle & 0xFFFFFFFF);
  Wide product = {(other << 32) | (low & 0xFFFFFFFF), a * c + (middle >> 32) + (other >> 32)};
  product.high += left_high * right_low + left_low * right_high;
  return product;
}

uintptr_t __stack_chk_guard = 0x5AFE5AFE;

_Noreturn void __stack_chk_fail(void) { __builtin_trap(); }
_Noreturn void abort(void) { __builtin_trap(); }

int putchar(int character) { return character; }

double round(double number) {
  double whole = __builtin_trunc(number);
  return __builtin_fabs(number - whole) >= 0.5 ? whole + __builtin_copysign(1, number) : whole;
}

__attribute__((import_module("linkspan"), import_name("number")))
double linkspan_number(const void *bytes, int count);

static const char *digits(const char *text) {
  while (*text >= '0' && *text <= '9') text++;
  return text;
}

// A decimal number, whose value the host knows exactly; returns its end, or null where there is none.
const char *_swift_stdlib_strtod_clocale(const char *text, double *result) {
  const char *start = text;
  if (*text == '-' || *text == '+') text++;
  const char *whole = text;
  text = digits(text);
  int count = (int)(text - whole);
  if (*text == '.') {
    const char *fraction = text + 1;
    text = digits(fraction);
    count += (int)(text - fraction);
  }
  if (count == 0) return 0;
  if (*text == 'e' || *text == 'E') {
    const char *exponent = text + 1;
    if (*exponent == '-' || *exponent == '+') exponent++;
    const char *end = digits(exponent);
    if (end > exponent) text = end;
  }
  *result = linkspan_number(start, (int)(text - start));
  return text;
}
