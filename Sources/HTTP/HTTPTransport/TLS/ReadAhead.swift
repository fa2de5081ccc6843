/// Memory that all TLS connections of a loop read the socket into, one after the other.
///
/// The library asks for a record's five bytes of header and then for its content; from here it gets both out of
/// one system call. A connection that leaves something unread takes it away in ``Transport/endTurn()``, so
/// between two turns the memory belongs to nobody and an idle connection holds none.
package final class ReadAhead {
  static let sizeBytes = 65_536

  let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: sizeBytes, alignment: 16)
  var unread = 0..<0
  /// What a handshake wants sent, joined: the library hands a flight over in pieces, each of which would cost a
  /// system call and a segment. Empty between two calls of ``TLSTransport/handshake()``.
  var flight: [UInt8] = []

  package init() {}

  deinit { memory.deallocate() }
}
