import Handoff
import LinkspanCore
import Testing

func bytes(_ hex: String) -> [UInt8] {
  let digits = Array(hex.utf8)
  return stride(from: 0, to: digits.count, by: 2).map {
    UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
  }
}

/// Frames as they go over the air (B.1 to B.3).
@Suite struct HandoffFrameTests {
  static let publishedKey = bytes("9cdbb22f8dfc0198bbf9b31e7d64438e1755094bad224d32d897c634e71ffb9c")
  static let ownKey = (0..<32).map { UInt8($0) }

  /// B.2: the published vectors.
  static let published: [(nonce: String, ciphertext: String, tag: String, plain: String)] = [
    ("f2cd", "3dcea5d217210fec203b", "fb", "00000000000000000000"),
    ("a9cd", "c546bb0079902fbf0937", "77", "0088085c342dc9ed408e"),
    ("57cd", "3cbd48f29e6bf563f092", "3b", "0088085c342dc9ed00bf"),
  ]

  @Test(arguments: published)
  func opensPublishedFrames(nonce: String, ciphertext: String, tag: String, plain: String) throws {
    let frame = HandoffFrame(bytes("00" + nonce + tag + ciphertext))
    let announcement = try #require(frame.announcement(key: Self.publishedKey))
    #expect(announcement.bytes == bytes(plain))
    #expect(announcement.doubts == [])
    #expect(HandoffFrame(announcement, key: Self.publishedKey, counter: frame.counter) == frame)
  }

  /// B.2: whole advertisements, with Nearby Info behind.
  @Test(arguments: [
    ("4c000c0e0057cd3b3cbd48f29e6bf563f09210065b1e1d49e249", UInt16(52567)),
    ("4c000c0e00a9cd77c546bb0079902fbf093710065b1ec3350d71", UInt16(52649)),
  ])
  func readsWholeAdvertisements(hex: String, counter: UInt16) throws {
    let data = try ManufacturerData(bytes(hex))
    #expect(data.problem == nil)
    #expect(data.elements.map(\.name) == ["Handoff", "Nearby Info"])
    #expect(data.handoff?.counter == counter)
    #expect(data.bytes == bytes(hex))
  }

  /// B.2: this project's own vectors.
  @Test(arguments: [
    (UInt16(1), UInt8(0x01), UInt8(0x80), "008dff2f595867e50180", "4c000c0e000100486402ebbf7995f70751b6"),
    (UInt16(256), UInt8(0x00), UInt8(0x8E), "008dff2f595867e5008e", "4c000c0e000001306b9d2dc9e4fd3d78599a"),
    (UInt16(65535), UInt8(0x40), UInt8(0x7C), "008dff2f595867e5407c", "4c000c0e00ffff9ce73cbcec19439755e726"),
  ])
  func sealsOwnVectors(counter: UInt16, options: UInt8, time: UInt8, plain: String, data: String) throws {
    let announcement = ActivityAnnouncement(
      hash: ActivityHash(team: "ABCDE12345", activityType: "com.example.myapp.editing"),
      options: ActivityOptions(rawValue: options), time: ActivityTime(byte: time))
    #expect(announcement.bytes == bytes(plain))
    let frame = HandoffFrame(announcement, key: Self.ownKey, counter: counter)
    let element = ContinuityElement(type: ContinuityElement.handoffType, value: frame.bytes)
    #expect(ManufacturerData([element]).bytes == bytes(data))
    #expect(frame.announcement(key: Self.ownKey) == announcement)
  }

  /// B.1: the log's frame has the status byte of the pasteboard.
  @Test func thePasteboardSetsTheStatusByte() throws {
    let frame = HandoffFrame(bytes("08915409f541712ad630460d1a2c"))
    #expect(frame.status == 8)
    #expect(frame.counter == 0x5491)
    #expect(frame.tag == 9)
    let pasteboard = ActivityAnnouncement(
      hash: ActivityHash(team: "", activityType: "com.apple.continuitypasteboard"),
      options: [.pasteboard, .pasteboardVersion, .moreActivities], time: ActivityTime(byte: 0xF7))
    #expect(pasteboard.bytes == bytes("00a1072cb8bf1d9858f7"))
    #expect(HandoffFrame(pasteboard, key: Self.ownKey, counter: 0x5491).status == 8)
  }

  /// One tag byte lets one of 256 changed frames pass, and then the plaintext is told to be doubtful or differs.
  @Test func aFlippedBitIsRefusedOrSeen() throws {
    let whole = bytes("00" + "57cd" + "3b" + "3cbd48f29e6bf563f092")
    let plain = try #require(HandoffFrame(whole).announcement(key: Self.publishedKey))
    var refused = 0
    for bit in 0..<whole.count * 8 {
      var changed = whole
      changed[bit / 8] ^= 1 << (bit % 8)
      guard let announcement = HandoffFrame(changed).announcement(key: Self.publishedKey) else {
        refused += 1
        continue
      }
      #expect(announcement != plain, "bit \(bit)")
    }
    #expect(refused >= whole.count * 8 - 3)
  }

  @Test(arguments: [
    ("4c000c0e0001", "at byte 2: the element of type 0x0c should have 14 bytes; 2 are left"),
    ("4c000c", "at byte 2: the element of type 0x0c ends before its length"),
  ])
  func aCutElementIsTold(hex: String, problem: String) throws {
    let data = try ManufacturerData(bytes(hex))
    #expect(data.problem?.description == problem)
    #expect(data.handoff == nil)
  }

  /// 4,096 bytes, and one more.
  static let longest = "4c00" + String(repeating: "00", count: 4_094)
  static let tooLong = "4c00" + String(repeating: "00", count: 4_095)

  @Test(arguments: [
    ("", "at byte 0: the data has 0 bytes; expected a company identifier of 2"),
    (
      tooLong,
      "at byte 4096: the data has 4097 bytes; at most 4096 are read"
    ), ("4c", "at byte 0: the data has 1 bytes; expected a company identifier of 2"),
    ("06000c0e", "at byte 0: the company identifier is 0x0006; Apple's is 0x004c, on the air 4c 00"),
  ])
  func otherDataIsRefused(hex: String, message: String) throws {
    let error = try #require(throws: AdvertisementError.self) { try ManufacturerData(bytes(hex)) }
    #expect(error.description == message)
  }

  @Test(
    arguments: [
      ("4c00", 0, nil), ("4c000500", 1, nil), ("4c000501aa", 1, nil),
      (longest, 2_047, nil),
      ("4c0005", 0, "at byte 2: the element of type 0x05 ends before its length"),
      ("4c000500060203", 1, "at byte 4: the element of type 0x06 should have 2 bytes; 1 are left"),
    ] as [(String, Int, String?)])
  func elementsAreReadUpToTheEnd(hex: String, count: Int, problem: String?) throws {
    let data = try ManufacturerData(bytes(hex))
    #expect(data.elements.count == count)
    #expect(data.problem?.description == problem)
  }
}
