import Glibc
import LinkspanCore
import LinkspanServer
import PushProvider
import PushTerms
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import LinkspanDaemon
@testable import PushSending
@testable import ServiceConfiguration

/// Several keys and teams at one server: which key is for which topic.
@Suite struct SenderKeyTests {
  private static let main = SenderKey(file: "A.p8", identifier: "A1B2C3D4E5", team: "F6G7H8I9J0")

  private func settings(
    _ flags: [String], hasMain: Bool = true, configuration: String? = nil
  ) throws -> SenderSettings? {
    let folder = try ScratchFolder()
    var options = ServeOptions()
    if hasMain {
      (options.authKey, options.authKeyIdentifier, options.team) = ("A.p8", "A1B2C3D4E5", "F6G7H8I9J0")
    }
    options.otherKeys = flags
    options.registry = ServiceAddress("sqlite:" + folder.path("registry.db"))
    if let configuration {
      try folder.write(configuration, to: "linkspan.json5")
      options.configuration = folder.path("linkspan.json5")
    }
    return try ServeSettings(options).sender
  }

  private func topics(_ texts: String...) -> [PushTopic] { texts.compactMap { PushTopic($0) } }

  @Test func aFlagSaysTopicsEnvironmentAndKey() throws {
    let sender = try #require(
      try settings([
        "com.example.b,com.example.c@sandbox=B1B2C3D4E5:K6L7M8N9P0:keys/B:1.p8",
        "com.example.d.voip=C1B2C3D4E5:K6L7M8N9P0:C.p8",
      ]))
    var second = SenderKey(file: "keys/B:1.p8", identifier: "B1B2C3D4E5", team: "K6L7M8N9P0")
    (second.topics, second.environment) = (topics("com.example.b", "com.example.c"), .sandbox)
    var third = SenderKey(file: "C.p8", identifier: "C1B2C3D4E5", team: "K6L7M8N9P0")
    third.topics = topics("com.example.d.voip")
    #expect(sender.keys == [Self.main, second, third])
    #expect(sender.topics(of: Self.main, in: .production) == .except(topics("com.example.d.voip")))
    #expect(sender.topics(of: third, in: .sandbox) == .only(topics("com.example.d.voip")))
    guard case .only(let family) = sender.topics(of: second, in: .sandbox) else {
      Issue.record("a key with topics takes only those")
      return
    }
    #expect(family.contains(topics("com.example.c.push-type.liveactivity")[0]))
    #expect(!second.isFor(.production) && third.isFor(.production))
  }

  /// As for certificates: what was there before is used, and somebody hears that the next start fails.
  @Test func keysThatCannotBeReadAgainAreTold() throws {
    let folder = try ScratchFolder(inMemory: true)
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let log = ServerLog(.info, stampsLines: false) { _ in }
    let senders = Senders(registry, ChannelDesk(), SenderCounters(), log) { _, _, _ throws(LinkspanError) in
      throw LinkspanError("no sender is wanted")
    }
    let problem = senders.reload(try settings([]))
    #expect(problem?.hasPrefix("Pushes are sent with the previous key: ") == true, "\(problem ?? "-")")
    #expect(problem?.contains("A.p8") == true)
    #expect(senders.reload(nil) == nil)
  }

  /// Made by openssl for these tests.
  private static let pem = """
    -----BEGIN PRIVATE KEY-----
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg0qj5lmOzFPBQi42J
    KbMdFdNFne7ujAqlO2Tu0XS3Si6hRANCAAQJM3cVMH3HlwOC3P0d6cPgSrv4/nSq
    i5zhAw1JFxSEfqcaYzVflIqCpZQMdjz1giGcl0LPBT8HSHuk2KE3EYob
    -----END PRIVATE KEY-----
    """

  /// Whoever has replaced a key reads in the log that it is used, and so does whoever has mended one.
  @Test func aReloadNamesAnotherKeyOnce() throws {
    let folder = try ScratchFolder(inMemory: true)
    let file = folder.path("A.p8")
    try folder.write(Self.pem, to: "A.p8")
    #expect(chmod(file, 0o600) == 0)
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let lines = LockedState<[String]>([])
    let log = ServerLog(.info, stampsLines: false) { line in lines.withLock { $0.append(line) } }
    let surroundings = SenderSurroundings(now: { WallTime(milliseconds: 0) }, random: { 0 }, pause: { _ in })
    let senders = Senders(registry, ChannelDesk(), SenderCounters(), log) { settings, environment, account in
      PushSender(registry, environment, settings, account, surroundings) { _ in }
    }
    /// - Returns: What the log has said.
    func reload(_ identifier: String, _ file: String) -> String {
      lines.withLock { $0 = [] }
      _ = senders.reload(
        SenderSettings(keys: [SenderKey(file: file, identifier: identifier, team: "F6G7H8I9J0")]))
      return lines.withLock { $0.joined() }
    }
    #expect(reload("A1B2C3D4E5", file).contains("with key A1B2C3D4E5 of team F6G7H8I9J0"))
    #expect(reload("A1B2C3D4E5", file) == "")
    #expect(reload("B1B2C3D4E5", file).contains("with key B1B2C3D4E5 of team F6G7H8I9J0"))
    #expect(reload("B1B2C3D4E5", folder.path("none.p8")).contains("still sending with the previous key"))
    #expect(reload("B1B2C3D4E5", file).contains("with key B1B2C3D4E5 of team F6G7H8I9J0"))
  }

  /// APNs may refuse a key before the sender of another one has turned once.
  @Test func severalKeysAreKnownBeforeTheFirstSenderIsMade() throws {
    let folder = try ScratchFolder(inMemory: true)
    for name in ["A.p8", "B.p8"] {
      try folder.write(Self.pem, to: name)
      #expect(chmod(folder.path(name), 0o600) == 0)
    }
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let counters = SenderCounters()
    let known = LockedState<[Bool]>([])
    let surroundings = SenderSurroundings(now: { WallTime(milliseconds: 0) }, random: { 0 }, pause: { _ in })
    let log = ServerLog(.info, stampsLines: false) { _ in }
    let senders = Senders(registry, ChannelDesk(), counters, log) { settings, environment, account in
      known.withLock { $0.append(counters.hasSeveralKeys) }
      return PushSender(registry, environment, settings, account, surroundings) { _ in }
    }
    let first = SenderKey(file: folder.path("A.p8"), identifier: "A1B2C3D4E5", team: "F6G7H8I9J0")
    #expect(senders.reload(SenderSettings(keys: [first])) == nil)
    #expect(known.withLock { $0 } == [false, false])
    var second = SenderKey(file: folder.path("B.p8"), identifier: "B1B2C3D4E5", team: "F6G7H8I9J0")
    second.topics = topics("com.example.b")
    #expect(senders.reload(SenderSettings(keys: [first, second])) == nil)
    #expect(known.withLock { $0 } == [false, false, true, true])
  }

  /// What sends a topic's pushes also asks APNs about its channels.
  @Test func theKeyOfATopicIsTheOneWhoseSenderTakesIt() throws {
    let sender = try #require(
      try settings([
        "com.example.b,com.example.c@sandbox=B1B2C3D4E5:K6L7M8N9P0:B.p8",
        "com.example.d=C1B2C3D4E5:K6L7M8N9P0:C.p8",
      ]))
    for environment in PushEnvironment.allCases {
      for text in ["a", "b", "b.voip", "c.push-type.liveactivity", "d", "d.complication", "bb"] {
        let topic = topics("com.example." + text)[0]
        let taking = sender.keys.filter {
          $0.isFor(environment) && sender.topics(of: $0, in: environment).takes(topic.text)
        }
        #expect(taking.count == 1 && sender.key(for: topic, environment) == taking.first, "\(topic.text)")
      }
    }
    let second = sender.keys[1]
    #expect(sender.key(for: topics("com.example.b.voip")[0], .sandbox) == second)
    #expect(sender.key(for: topics("com.example.b.voip")[0], .production) == Self.main)
    let alone = try #require(try settings(["com.example.b=B1B2C3D4E5:K6L7M8N9P0:B.p8"], hasMain: false))
    #expect(alone.key(for: topics("com.example.a")[0], .sandbox) == nil)
  }

  @Test func oneKeyTakesEverything() throws {
    let sender = try #require(try settings([]))
    #expect(sender.topics(of: Self.main, in: .production) == .all)
  }

  @Test func theConfigurationFileSaysTheSame() throws {
    let sender = try #require(
      try settings(
        [], hasMain: false,
        configuration: """
          { server: { auth_keys: [
            { topics: "com.example.b", auth_key: "/B.p8", auth_key_id: "B1B2C3D4E5", team_id: "K6L7M8N9P0",
              environment: "production" },
          ] } }
          """))
    var key = SenderKey(file: "/B.p8", identifier: "B1B2C3D4E5", team: "K6L7M8N9P0")
    (key.topics, key.environment) = (topics("com.example.b"), .production)
    #expect(sender.keys == [key])
  }

  @Test(arguments: [
    ("com.example.b=B1B2C3D4E5:K6L7M8N9P0", "expected TOPIC[,TOPIC…][@ENVIRONMENT]=KEY_ID:TEAM_ID:FILE"),
    ("com example=B1B2C3D4E5:K6L7M8N9P0:B.p8", "'com example' is not a bundle identifier"),
    ("=B1B2C3D4E5:K6L7M8N9P0:B.p8", "'' is not a bundle identifier"),
    ("com.example.b@prod=B1B2C3D4E5:K6L7M8N9P0:B.p8", "expected '@production' or '@sandbox'"),
    ("com.example.b=A1B2C3D4E5:K6L7M8N9P0:B.p8", "the key A1B2C3D4E5 is given twice for production"),
  ])
  func aFlagThatCannotHoldIsRefused(flag: String, message: String) {
    do {
      _ = try settings([flag])
      Issue.record("\(flag) was taken")
    } catch {
      #expect("\(error)".contains(message), "\(error)")
    }
  }

  @Test func aTopicHasOneKeyInEachEnvironment() throws {
    let first = "com.example.b=B1B2C3D4E5:K6L7M8N9P0:B.p8"
    #expect(throws: LinkspanError.self) {
      try settings([first, "com.example.b.voip@sandbox=C1B2C3D4E5:K6L7M8N9P0:C.p8"])
    }
    let apart = try settings([
      "com.example.b,com.example.b.voip@production=B1B2C3D4E5:K6L7M8N9P0:B.p8",
      "com.example.b.voip@sandbox=C1B2C3D4E5:K6L7M8N9P0:C.p8",
    ])
    #expect(apart?.keys.count == 3)
  }

  @Test(arguments: [
    ("[{ topics: [], auth_key: 'B.p8', auth_key_id: 'B', team_id: 'T' }]", "'topics' names no topic"),
    ("[{ topics: ['a b'], auth_key: 'B.p8', auth_key_id: 'B', team_id: 'T' }]", "not a bundle identifier"),
    ("[{ auth_key: 'B.p8', auth_key_id: 'B', team_id: 'T' }]", "A key needs 'topics', 'auth_key'"),
    ("{ }", "'auth_keys' is an object; expected an array"),
  ])
  func aKeyOfTheFileThatCannotHoldIsRefused(value: String, message: String) {
    do {
      _ = try settings([], configuration: "{ server: { auth_keys: \(value) } }")
      Issue.record("\(value) was taken")
    } catch {
      #expect("\(error)".contains(message), "\(error)")
    }
  }
}
