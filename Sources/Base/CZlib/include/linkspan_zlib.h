#include <zlib.h>

/* Deflate without a header of its own, as zip archives hold it; deflateInit2 is a macro. */
static inline int linkspan_deflate_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
}

/* Deflate with gzip's header, which has neither a name nor a time. */
static inline int linkspan_deflate_gzip(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/* Inflate that takes gzip's header; inflateInit2 is a macro. */
static inline int linkspan_inflate_gzip(z_stream *stream) {
  return inflateInit2(stream, 15 + 16);
}
