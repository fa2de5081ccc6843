internal import CNGHTTP2
internal import Glibc
internal import LinkspanCore

/// Writes the header sections of requests in the library's form, one after the other in the same memory.
final class HTTP2RequestSection {
  /// The digits of the largest length.
  private static let lengthLimitBytes = 20

  private var bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4_096)
  private var pairs = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: 32)
  private var byteCount = 0
  private var pairCount = 0

  deinit {
    bytes.deallocate()
    pairs.deallocate()
  }

  /// - Parameters:
  ///   - indexedOnce: Names of fields that go into the peer's table of fields once on a connection.
  ///   - indexed: Those of them that have, one bit each.
  /// - Returns: Memory that holds the section until the next call.
  func write(
    _ request: HTTPRequest, indexedOnce: [String], indexed: inout UInt32
  ) -> UnsafeBufferPointer<nghttp2_nv> {
    let list = request.fields.list
    // As much as it can be, so that nothing moves while pairs point at it.
    var size = request.method.utf8.count + request.scheme.utf8.count + request.authority.utf8.count
    size += request.target.utf8.count + Self.lengthLimitBytes
    for field in list { size += field.name.utf8.count + field.value.utf8.count }
    reserve(size, pairCount: list.count + 5)
    (byteCount, pairCount) = (0, 0)
    add(":method", copy(request.method))
    add(":scheme", copy(request.scheme))
    add(":authority", copy(request.authority))
    add(":path", copy(request.target))
    for field in list where !HTTP1RequestWriter.isFraming(field.name) {
      let name = copy(field.name)
      // Names are lower-case in HTTP/2 (RFC 9113, 8.2.1).
      for index in name.indices { name[index] = ASCII.lowercased(name[index]) }
      add(UnsafeBufferPointer(name), copy(field.value))
      for (index, once) in indexedOnce.enumerated() where field.name == once {
        if indexed >> UInt32(index) & 1 == 1 {
          pairs[pairCount - 1].flags = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue)
        }
        indexed |= 1 << UInt32(index)
      }
    }
    if HTTP1RequestWriter.saysLength(request) { add("content-length", copy(String(request.body.count))) }
    return UnsafeBufferPointer(rebasing: pairs[..<pairCount])
  }

  private func reserve(_ size: Int, pairCount: Int) {
    if bytes.count < size {
      bytes.deallocate()
      bytes = .allocate(capacity: 2 * size)
    }
    if pairs.count < pairCount {
      pairs.deallocate()
      pairs = .allocate(capacity: 2 * pairCount)
    }
  }

  private func copy(_ text: String) -> UnsafeMutableBufferPointer<UInt8> {
    let start = byteCount
    // Without a copy of the string, which `withUTF8` would want.
    let isShown: Void? = text.utf8.withContiguousStorageIfAvailable { source in
      if let base = source.baseAddress { memcpy(bytes.baseAddress! + start, base, source.count) }
      byteCount += source.count
    }
    if isShown == nil {
      for byte in text.utf8 {
        bytes[byteCount] = byte
        byteCount += 1
      }
    }
    return UnsafeMutableBufferPointer(rebasing: bytes[start..<byteCount])
  }

  private func add(_ name: StaticString, _ value: UnsafeMutableBufferPointer<UInt8>) {
    add(UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount), value)
  }

  private func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeMutableBufferPointer<UInt8>) {
    // The library only reads what it is given here.
    (pairs.baseAddress! + pairCount).initialize(
      to: nghttp2_nv(
        name: UnsafeMutablePointer(mutating: name.baseAddress), value: value.baseAddress,
        namelen: name.count, valuelen: value.count, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
    pairCount += 1
  }
}
