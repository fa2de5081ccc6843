import LinkspanCrypto
import Testing

/// The vectors of "The Galois/Counter Mode of Operation" (McGrew and Viega), appendix B, for keys of 256 bits.
@Suite struct AES256GCMTests {
  static func bytes(_ hexadecimal: String) -> [UInt8] { TokenSignatureTests.bytes(hexadecimal) }

  static let key = bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
  static let plain = bytes(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
      + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
  static let authenticated = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")

  static let vectors: [(nonce: String, sealed: String)] = [
    (
      "cafebabefacedbaddecaf888",
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"
    ),
    (
      "cafebabefacedbad",
      "c3762df1ca787d32ae47c13bf19844cbaf1ae14d0b976afac52ff7d79bba9de0"
        + "feb582d33934a4f0954cc2363bc73f7862ac430e64abe499f47c9b1f3a337dbf46a792c45e454913fe2ea8f2"
    ),
    (
      "9313225df88406e555909c5aff5269aa6a7a9538534f7da1e4c303d2a318a728"
        + "c3c0c95156809539fcf0e2429a6b525416aedbf5a0de6a57a637b39b",
      "5a8def2f0c9e53f1f75d7853659e2a20eeb2b22aafde6419a058ab4f6f746bf4"
        + "0fc0c3b780f244452da3ebf1c5d82cdea2418997200ef82e44ae7e3fa44a8266ee1c8eb0c8b5d4cf5ae9f19a"
    ),
  ]

  @Test(arguments: vectors)
  func givesTheBytesOfTheStandard(nonce: String, sealed: String) {
    let (nonce, sealed) = (Self.bytes(nonce), Self.bytes(sealed))
    #expect(
      AES256GCM.seal(Self.plain, key: Self.key, nonce: nonce, authenticated: Self.authenticated) == sealed)
    #expect(
      AES256GCM.open(sealed, key: Self.key, nonce: nonce, authenticated: Self.authenticated) == Self.plain)
  }

  @Test(arguments: [1, 2, 12, 16, 128], [0, 1, 15, 16, 17, 1_000])
  func whatWasSealedOpens(nonceCount: Int, count: Int) {
    let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let nonce = [UInt8](repeating: 7, count: nonceCount)
    let sealed = AES256GCM.seal(plain, key: Self.key, nonce: nonce)
    #expect(sealed.count == count + 16)
    #expect(AES256GCM.open(sealed, key: Self.key, nonce: nonce) == plain)
  }

  /// A tag may be shortened to its first bytes (SP 800-38D, 5.2.1.2).
  @Test(arguments: 4...16)
  func aShortTagIsTheBeginningOfTheLongOne(_ count: Int) {
    let whole = AES256GCM.seal(Self.plain, key: Self.key, nonce: [1])
    let short = AES256GCM.seal(Self.plain, key: Self.key, nonce: [1], tagBytes: count)
    #expect(short == Array(whole.prefix(Self.plain.count + count)))
    #expect(AES256GCM.open(short, key: Self.key, nonce: [1], tagBytes: count) == Self.plain)
  }

  @Test func aChangedByteDoesNotOpen() {
    let sealed = AES256GCM.seal(Self.plain, key: Self.key, nonce: [1, 2], authenticated: [3])
    for place in sealed.indices {
      var changed = sealed
      changed[place] ^= 1
      #expect(AES256GCM.open(changed, key: Self.key, nonce: [1, 2], authenticated: [3]) == nil)
    }
    #expect(AES256GCM.open(sealed, key: Self.key, nonce: [1, 3], authenticated: [3]) == nil)
    #expect(AES256GCM.open(sealed, key: Self.key, nonce: [1, 2], authenticated: [4]) == nil)
    #expect(
      AES256GCM.open(Array(sealed.dropLast()), key: Self.key, nonce: [1, 2], authenticated: [3]) == nil)
    #expect(AES256GCM.open([UInt8](repeating: 0, count: 15), key: Self.key, nonce: [1]) == nil)
  }
}
