#include <zlib.h>

/* Deflate without a header of its own, as zip archives hold it; deflateInit2 is a macro. */
static inline int linkspan_deflate_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}
