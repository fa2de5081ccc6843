/// What a Handoff frame says once it is decrypted: ten bytes (B.3).
package struct ActivityAnnouncement: Hashable, Sendable {
  package static let byteCount = 10

  /// 0 in every published frame.
  package var status: UInt8
  package var hash: ActivityHash
  package var options: ActivityOptions
  package var time: ActivityTime

  package init(status: UInt8 = 0, hash: ActivityHash, options: ActivityOptions, time: ActivityTime) {
    self.status = status
    self.hash = hash
    self.options = options
    self.time = time
  }

  /// - Parameter bytes: ``byteCount`` bytes.
  init(_ bytes: [UInt8]) {
    precondition(bytes.count == Self.byteCount, "an announcement has \(Self.byteCount) bytes")
    status = bytes[0]
    hash = ActivityHash(bytes: Array(bytes[1..<8]))
    options = ActivityOptions(rawValue: bytes[8])
    time = ActivityTime(byte: bytes[9])
  }

  package var bytes: [UInt8] { [status] + hash.bytes + [options.rawValue, time.byte] }

  /// Why the bytes are hardly an announcement although their tag fits; empty when nothing speaks against them.
  ///
  /// The tag has one byte, so that one of 256 random frames passes it (B.2).
  package var doubts: [String] {
    var doubts: [String] = []
    if status != 0 { doubts.append("the status byte of the plaintext is \(status); every known frame has 0") }
    if !time.isPlausible { doubts.append("the time byte counts more ticks than an epoch has") }
    if !hash.isNothing, hash.bytes[0] & 0xC0 == 0, hash.bytes[0] != 0 {
      doubts.append("the hash has no kind bits")
    }
    return doubts
  }
}
