internal import CNGHTTP2
internal import LinkspanCore

/// Writes the header sections of requests in the library's form, one after the other in the same memory.
final class HTTP2RequestSection {
  /// The digits of the largest length.
  private static let lengthLimitBytes = 20

  private var bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 4_096)
  private var pairs = UnsafeMutableBufferPointer<nghttp2_nv>.allocate(capacity: 32)
  private var byteCount = 0
  private var pairCount = 0

  /// What the section in memory has been written for, where each of its fields has a pair.
  private var written: (method: String, names: [String], hasBody: Bool)?
  /// The pairs whose fields go into the peer's table once, and which of those fields each is.
  private var once: [(pair: Int, index: Int)] = []

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
    if !replaceValues(by: request) { writeAll(request, indexedOnce) }
    for (pair, index) in once {
      let isIndexed = indexed >> UInt32(index) & 1 == 1
      pairs[pair].flags = UInt8((isIndexed ? NGHTTP2_NV_FLAG_NO_INDEX : NGHTTP2_NV_FLAG_NONE).rawValue)
      indexed |= 1 << UInt32(index)
    }
    return UnsafeBufferPointer(rebasing: pairs[..<pairCount])
  }

  /// Writes a request whose section is that of the one before but for values of the same lengths, as pushes in a row are.
  ///
  /// - Returns: False where it is another one; the section is of no use then.
  private func replaceValues(by request: HTTPRequest) -> Bool {
    let list = request.fields.list
    guard let written, written.names.count == list.count, written.hasBody == !request.body.isEmpty,
      written.method == request.method, replaceValue(1, by: request.scheme),
      replaceValue(2, by: request.authority), replaceValue(3, by: request.target)
    else { return false }
    for place in list.indices {
      guard list[place].name == written.names[place], replaceValue(4 + place, by: list[place].value)
      else { return false }
    }
    guard HTTP1RequestWriter.saysLength(request) else { return true }
    return replaceValue(pairCount - 1, by: String(request.body.count))
  }

  private func replaceValue(_ pair: Int, by value: String) -> Bool {
    let place = UnsafeMutableBufferPointer(start: pairs[pair].value, count: pairs[pair].valuelen)
    guard value.utf8.count == place.count else { return false }
    _ = place.update(fromContentsOf: value.utf8)
    return true
  }

  private func writeAll(_ request: HTTPRequest, _ indexedOnce: [String]) {
    let list = request.fields.list
    once.removeAll(keepingCapacity: true)
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
      if let index = indexedOnce.firstIndex(of: field.name) { once.append((pairCount - 1, index)) }
    }
    written = pairCount - 4 < list.count ? nil : (request.method, list.map(\.name), !request.body.isEmpty)
    if HTTP1RequestWriter.saysLength(request) { add("content-length", copy(String(request.body.count))) }
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
    let rest = UnsafeMutableBufferPointer(rebasing: bytes[byteCount...])
    let count = rest.update(fromContentsOf: text.utf8)
    byteCount += count
    return UnsafeMutableBufferPointer(rebasing: rest[..<count])
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
