/// The manufacturer-specific data of a Bluetooth LE advertisement of Apple's: the company, then elements.
///
/// - Source: rules B.1 and B.6, observed.
package struct ManufacturerData: Hashable, Sendable {
  /// Apple's company identifier, little-endian on the air.
  package static let company: [UInt8] = [0x4C, 0x00]
  /// Ours, with room to spare: an extended advertisement carries 254 bytes in one part.
  package static let sizeLimitBytes = 4096

  package var elements: [ContinuityElement]
  /// What is wrong with the end of the data; the elements before it were read.
  package var problem: AdvertisementError?

  package init(_ elements: [ContinuityElement]) { self.elements = elements }

  /// Reads elements up to the end, or up to the one that is cut short, which is told in ``problem``.
  ///
  /// - Throws: ``AdvertisementError`` for data that isn't Apple's, is empty, or is too large.
  package init(_ bytes: [UInt8]) throws(AdvertisementError) {
    guard bytes.count <= Self.sizeLimitBytes else {
      throw AdvertisementError(
        offset: Self.sizeLimitBytes,
        message: "the data has \(bytes.count) bytes; at most \(Self.sizeLimitBytes) are read")
    }
    guard bytes.starts(with: Self.company) else {
      let found = bytes.prefix(2).reversed().map { Self.hex($0) }.joined()
      throw AdvertisementError(
        offset: 0,
        message: bytes.count < 2
          ? "the data has \(bytes.count) bytes; expected a company identifier of 2"
          : "the company identifier is 0x\(found); Apple's is 0x004c, on the air 4c 00")
    }
    var elements: [ContinuityElement] = []
    var offset = Self.company.count
    while offset < bytes.count {
      guard offset + 1 < bytes.count else {
        problem = AdvertisementError(
          offset: offset, message: "the element of type 0x\(Self.hex(bytes[offset])) ends before its length")
        break
      }
      let length = Int(bytes[offset + 1])
      let rest = bytes.count - offset - 2
      guard length <= rest else {
        problem = AdvertisementError(
          offset: offset,
          message:
            "the element of type 0x\(Self.hex(bytes[offset])) should have \(length) bytes; \(rest) are left")
        break
      }
      elements.append(
        ContinuityElement(type: bytes[offset], value: Array(bytes[offset + 2..<offset + 2 + length])))
      offset += 2 + length
    }
    self.elements = elements
  }

  package var bytes: [UInt8] {
    Self.company + elements.flatMap { [$0.type, UInt8($0.value.count)] + $0.value }
  }

  /// The first Handoff element of the right length.
  package var handoff: HandoffFrame? {
    elements.first { $0.type == ContinuityElement.handoffType && $0.value.count == HandoffFrame.byteCount }
      .map { HandoffFrame($0.value) }
  }

  private static func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count < 2 ? "0" + digits : digits
  }
}

/// Why bytes are no advertisement of Apple's, or from where on they cannot be read.
package struct AdvertisementError: Error, Hashable, Sendable, CustomStringConvertible {
  /// From the first byte of the company identifier.
  package let offset: Int
  package let message: String

  package var description: String { "at byte \(offset): \(message)" }
}
