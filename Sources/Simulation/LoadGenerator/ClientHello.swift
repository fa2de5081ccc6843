/// The first message of a TLS 1.3 client (RFC 8446, 4.1.2).
enum ClientHello {
  /// A record with the hello; its random bytes are zero.
  ///
  /// - Parameters:
  ///   - host: Left out when it is an address (RFC 6066, 3), and when it is longer than names of hosts are.
  ///   - share: 32 bytes, of X25519.
  static func record(host: String, share: [UInt8]) -> [UInt8] {
    var extensions: [UInt8] = []
    func add(_ kind: UInt16, _ body: [UInt8]) { extensions += word(kind) + sized(body) }
    if isName(host) { add(0, sized([0] + sized(Array(host.utf8)))) }
    // X25519.
    add(10, sized(word(0x001D)))
    // ECDSA with P-256, P-384 and P-521, RSA-PSS, Ed25519, and RSA with PKCS #1 for certificates: none is verified.
    let signatures: [UInt16] = [
      0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601, 0x0603, 0x0807,
    ]
    add(13, sized(signatures.flatMap(word)))
    add(16, sized([8] + Array("http/1.1".utf8)))
    // TLS 1.3 alone.
    add(43, [2, 3, 4])
    // Tickets may come, as they do to a phone.
    add(45, [1, 1])
    add(51, sized(word(0x001D) + sized(share)))
    let random = [UInt8](repeating: 0, count: 32)
    // No session to resume, TLS_AES_128_GCM_SHA256, no compression.
    let body = [3, 3] + random + [0] + sized(word(0x1301)) + [1, 0] + sized(extensions)
    let message = [1, 0] + sized(body)
    return [22, 3, 1] + sized(message)
  }

  private static func isName(_ host: String) -> Bool {
    host.utf8.count < 256 && !host.contains(":")
      && !host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (0x30...0x39).contains($0) }
  }

  private static func word(_ value: UInt16) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 0xFF)] }

  /// With its length in two bytes before it.
  private static func sized(_ bytes: [UInt8]) -> [UInt8] { word(UInt16(bytes.count)) + bytes }
}

/// What a server's first message says (RFC 8446, 4.1.3).
struct ServerHello {
  /// Its share of X25519, as a place in the message.
  let share: Range<Int>

  /// SHA-256 of "HelloRetryRequest": the random bytes of a server that wants another hello begin like this.
  private static let retry: [UInt8] = [0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11]

  /// - Parameter message: Behind its head of four bytes.
  /// - Returns: nil for one that chose what was not offered.
  init?(_ message: ArraySlice<UInt8>) {
    var share: Range<Int>?
    var isTLS13 = false
    func word(_ place: Int) -> Int? {
      guard place >= message.startIndex, place + 2 <= message.endIndex else { return nil }
      return Int(message[place]) << 8 | Int(message[place + 1])
    }
    let start = message.startIndex
    guard message.count > 34, !message[(start + 2)...].starts(with: Self.retry) else { return nil }
    // Behind version and random: the session's echo, the suite, the compression.
    var place = start + 35 + Int(message[start + 34])
    guard word(place) == 0x1301, let length = word(place + 3), place + 5 + length == message.endIndex else {
      return nil
    }
    place += 5
    while place < message.endIndex {
      guard let kind = word(place), let length = word(place + 2), place + 4 + length <= message.endIndex
      else {
        return nil
      }
      let body = place + 4
      if kind == 43 { isTLS13 = length == 2 && word(body) == 0x0304 }
      if kind == 51, length == 36, word(body) == 0x001D, word(body + 2) == 32 { share = body + 4..<body + 36 }
      place = body + length
    }
    guard isTLS13, let share else { return nil }
    self.share = share
  }
}
