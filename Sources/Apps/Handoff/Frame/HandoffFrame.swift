internal import LinkspanCrypto

/// A Handoff element as it goes over Bluetooth LE: fourteen bytes, of which ten are encrypted.
///
/// AES-256-GCM with the two bytes of the counter as nonce, the status byte authenticated beside it, and one byte of the
/// tag.
///
/// - Source: rules B.1 and B.2; verified on three published frames and their key.
package struct HandoffFrame: Hashable, Sendable {
  package static let byteCount = 14

  /// 0x00, or 0x08 with the pasteboard.
  package var status: UInt8
  /// Little-endian on the air, where its bytes are the nonce.
  package var counter: UInt16
  /// The first byte of the tag.
  package var tag: UInt8
  package var ciphertext: [UInt8]

  /// - Parameter bytes: ``byteCount`` bytes.
  package init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "a Handoff frame has \(Self.byteCount) bytes")
    status = bytes[0]
    counter = UInt16(bytes[1]) | UInt16(bytes[2]) << 8
    tag = bytes[3]
    ciphertext = Array(bytes[4...])
  }

  /// Seals an announcement.
  ///
  /// - Parameters:
  ///   - key: ``AES256GCM/keyBytes`` (32) bytes.
  ///   - counter: Never used twice with a key.
  package init(_ announcement: ActivityAnnouncement, key: [UInt8], counter: UInt16) {
    status = announcement.options.contains(.pasteboard) ? 0x08 : 0x00
    self.counter = counter
    let sealed = AES256GCM.seal(
      announcement.bytes, key: key, nonce: Self.nonce(counter), authenticated: [status], tagBytes: 1)
    ciphertext = Array(sealed.dropLast())
    tag = sealed[sealed.count - 1]
  }

  package var bytes: [UInt8] { [status] + Self.nonce(counter) + [tag] + ciphertext }

  /// The announcement inside; nil when the tag does not fit the key.
  ///
  /// - Parameter key: 32 bytes.
  package func announcement(key: [UInt8]) -> ActivityAnnouncement? {
    AES256GCM.open(
      ciphertext + [tag], key: key, nonce: Self.nonce(counter), authenticated: [status], tagBytes: 1
    ).map(ActivityAnnouncement.init)
  }

  package static let keyBytes = AES256GCM.keyBytes

  private static func nonce(_ counter: UInt16) -> [UInt8] { [UInt8(counter & 0xFF), UInt8(counter >> 8)] }
}
