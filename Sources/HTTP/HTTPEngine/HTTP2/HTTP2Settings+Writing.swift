internal import CNGHTTP2
internal import LinkspanCore

/// A header section on its way to the library, in memory that is used again for the next one.
extension HTTP2Settings {
  func begin() {
    scratch.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    unindexed.removeAll(keepingCapacity: true)
  }

  /// Adds a field; names are lower-case in HTTP/2 (RFC 9113, 8.2.1).
  func add(_ name: String, _ value: (inout [UInt8]) -> Void) {
    let start = scratch.count
    scratch.append(contentsOf: name.utf8)
    let end = scratch.count
    for place in start..<end { scratch[place] = ASCII.lowercased(scratch[place]) }
    value(&scratch)
    ends.append((end, scratch.count))
  }

  func add(_ name: String, _ value: String) {
    var value = value
    add(name) { scratch in value.withUTF8 { scratch.append(contentsOf: $0) } }
  }

  /// Adds fields that were written before.
  func add(_ section: PreparedHeads.Section) {
    let start = scratch.count
    scratch.append(contentsOf: section.bytes)
    for end in section.ends { ends.append((start + end.name, start + end.value)) }
  }

  /// Shows the section in the library's form, which copies it.
  func withPairs<Result>(_ body: (UnsafeBufferPointer<nghttp2_nv>) -> Result) -> Result {
    pairs.removeAll(keepingCapacity: true)
    return scratch.withUnsafeMutableBufferPointer { bytes in
      var start = 0
      for end in ends {
        let base = bytes.baseAddress
        pairs.append(
          nghttp2_nv(
            name: base.map { $0 + start }, value: base.map { $0 + end.name }, namelen: end.name - start,
            valuelen: end.value - end.name, flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue)))
        start = end.value
      }
      for place in unindexed { pairs[place].flags = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
      return pairs.withUnsafeBufferPointer(body)
    }
  }
}
