internal import CNGHTTP2

/// One side of an HTTP/2 connection, as the library's callbacks know it: ``HTTP2Server`` and ``HTTP2ClientSession``.
///
/// The library calls back only from within calls that this object makes, so it need not be retained for them.
package class HTTP2Session {
  /// What the library asks for of a body.
  enum BodyPiece {
    case bytes(Int, isLast: Bool)
    /// Nothing now; sending goes on when the stream is resumed.
    case awaited
    /// The stream is gone, or its body has failed.
    case failed
  }

  /// Nil when the library was out of memory.
  final var session: OpaquePointer?

  init() {}

  deinit { nghttp2_session_del(session) }

  /// What the library hands back to its callbacks.
  final var user: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

  /// A frame has begun.
  ///
  /// - Returns: False to read no further.
  func begins(_ frame: nghttp2_frame_hd) -> Bool { true }

  /// A header section has begun.
  func beginsHeader(_ frame: nghttp2_headers) {}

  /// One field of a header section.
  ///
  /// - Returns: False to give the stream up.
  func receives(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, in frame: nghttp2_headers
  ) -> Bool { true }

  /// A field that RFC 9113, 8.2.1 forbids.
  ///
  /// - Returns: False to give the stream up.
  func receivesInvalid(
    _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, in frame: nghttp2_headers
  ) -> Bool { false }

  /// A piece of a body.
  func receives(_ bytes: UnsafeBufferPointer<UInt8>, on id: Int32) {}

  /// A frame has come whole and is right.
  func received(_ frame: nghttp2_frame) {}

  /// A frame was handed over to be sent.
  func sent(_ frame: nghttp2_frame) {}

  /// A stream is over, whatever the reason.
  func closed(_ id: Int32, code: UInt32) {}

  /// Copies the next piece of a body that is sent.
  func read(into buffer: UnsafeMutableRawBufferPointer, on id: Int32) -> BodyPiece { .failed }
}
