import Foundation
import LinkspanCore
import RegistryRequests
import TestSupport
import Testing

@testable import DeviceRegistry
@testable import RegistryDatabases

/// What only a file can do.
@Suite("SQLite registry", .timeLimit(.minutes(15)))
struct SQLiteRegistryTests {
  @Test func erasedBytesAreNowhereInTheFiles() async throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    for index in 0..<50 {
      _ = try await registry.registered(
        registration(String(repeating: "\(10 + index)", count: 32)) {
          $0.attributes.alias = index == 20 ? "erase-me@example.com" : "keep-me@example.com"
          $0.given = [.alias]
        })
    }
    func places(of text: String) throws -> Int {
      try FileManager.default.contentsOfDirectory(at: folder.url, includingPropertiesForKeys: nil).count {
        try Data(contentsOf: $0).firstRange(of: Data(text.utf8)) != nil
      }
    }
    #expect(try places(of: "erase-me@example.com") > 0)
    #expect(try await registry.erased(alias: "erase-me@example.com") == 1)
    #expect(try places(of: "erase-me@example.com") == 0)
    #expect(try places(of: String(repeating: "30", count: 32)) == 0)
    #expect(try places(of: "keep-me@example.com") > 0)
  }

  @Test func anErasureWhoseLogIsReadFailsAlone() async throws {
    let folder = try ScratchFolder()
    let path = folder.path("registry.db")
    let registry = try Registry(.sqlite(path: path))
    defer { registry.stop() }
    _ = try await registry.registered(registration(tokenA) { $0.attributes.alias = "ann" })
    let reader = try SQLiteDatabase(path, isReader: true)
    try reader.runScript("BEGIN")
    try reader.run("SELECT count(*) FROM devices")
    let mayGoOn = LockedState(false)
    let begun = LockedState(false)
    // While this one is made, the others come to wait and become one transaction.
    registry.change(
      { store throws(RegistryError) in
        // It would wait for 10 seconds.
        try store.database.runScript("PRAGMA busy_timeout = 0")
        begun.withLock { $0 = true }
        begun.signal(all: true)
        mayGoOn.wait { $0 ? () : nil }
      }, { _ in })
    begun.wait { $0 ? () : nil }
    let results = LockedState((erased: [RegistryError?](), registered: [Bool]()))
    for alias in ["ann", "bob"] {
      let entry = AuditEntry(time: WallTime(milliseconds: 9), actor: "test", action: "alias.erase")
      registry.erase(alias: alias, topics: nil, entry) { result in
        results.withLock { results in
          switch result {
          case .success: results.erased.append(nil)
          case .failure(let error): results.erased.append(error)
          }
        }
        results.signal(all: true)
      }
    }
    registry.register(try registration(tokenB), actor: "test") { result in
      results.withLock { $0.registered.append((try? result.get()) != nil) }
      results.signal(all: true)
    }
    mayGoOn.withLock { $0 = true }
    mayGoOn.signal(all: true)
    let (erased, registered) = results.wait { results in
      results.erased.count == 2 && results.registered.count == 1 ? results : nil
    }
    #expect(registered == [true])
    #expect(erased.map(\.?.kind) == [.unfinishedErasure, .unfinishedErasure])
    #expect(try await registry.count(DeviceFilter()) == 1)
    try reader.runScript("COMMIT")
    #expect(try await registry.erased(alias: "ann") == 0)
    let log = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size]
    #expect(log as? Int == 0)
  }

  @Test func refusesAFileThatIsNoDatabase() throws {
    let folder = try ScratchFolder()
    try folder.write(String(repeating: "not a database ", count: 100), to: "registry.db")
    let path = folder.path("registry.db")
    let error = #expect(throws: RegistryError.self) { try Registry(.sqlite(path: path)) }
    #expect(
      error?.description == """
        '\(path)' is not an SQLite database, or it is damaged.
          Name another file with --registry sqlite:PATH. 'linkspan serve', 'token create' and 'registry import' make a new registry.
        """)
  }

  @Test func aFolderIsNoRegistryAndMayHoldOne() throws {
    let folder = try ScratchFolder()
    let path = folder.path("")
    let name = path.hasSuffix("/") ? String(path.dropLast()) : path
    let error = #expect(throws: RegistryError.self) { try Registry(.sqlite(path: name)) }
    #expect(
      error?.description == """
        '\(name)' is a directory; expected an SQLite registry.
          Name a file in it: --registry sqlite:\(name)/registry.db
        """)
  }

  @Test func onlyItsUserMayReadTheFiles() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    try registry.askAndWait { store throws(RegistryError) in
      try store.backUp(to: RegistryPlace(folder.path("copy.db")))
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(Set(files).isSuperset(of: ["registry.db", "registry.db-wal", "copy.db"]))
    for file in files {
      let mode = try FileManager.default.attributesOfItem(atPath: folder.path(file))[.posixPermissions]
      #expect(mode as? Int == 0o600, "\(file)")
    }
  }

  @Test func readsOnlyWhatIsThere() throws {
    let folder = try ScratchFolder()
    let path = folder.path("mistyped.db")
    let error = #expect(throws: RegistryError.self) { try Registry(.sqlite(path: path), makesFile: false) }
    #expect(error?.kind == .cannotOpen)
    #expect(error?.message == "There is no registry '\(path)'.")
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [true, false]) func readingNeverMakesARegistry(onlyReads: Bool) throws {
    let folder = try ScratchFolder()
    try folder.write("", to: "empty.db")
    let path = folder.path("empty.db")
    let error = #expect(throws: RegistryError.self) {
      try Registry(.sqlite(path: path), makesFile: false, for: onlyReads ? .questions : .changes)
    }
    #expect(
      error?.description == """
        There is no registry in '\(path)'; the file is empty or another program's.
          Check the path. 'linkspan serve', 'token create' and 'registry import' make a new registry.
        """)
    #expect(try Data(contentsOf: folder.url.appending(path: "empty.db")).isEmpty)
    let missing = folder.path("missing.db")
    #expect(throws: RegistryError.self) { try Registry(.sqlite(path: missing), for: .questions) }
    #expect(!FileManager.default.fileExists(atPath: missing))
  }

  @Test func readsACopyWithoutChangingIt() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    try registry.askAndWait { store throws(RegistryError) in
      try store.backUp(to: RegistryPlace(folder.path("copy.db")))
    }
    let copy = folder.url.appending(path: "copy.db")
    let before = try Data(contentsOf: copy)
    let read = try Registry(.sqlite(path: copy.path), for: .questions)
    let health = try read.askAndWait { store throws(RegistryError) in
      try store.health(at: WallTime(milliseconds: 0))
    }
    read.stop()
    #expect(health.problems.isEmpty)
    #expect(try Data(contentsOf: copy) == before)
  }

  /// A copy that fails leaves nothing that could pass for one.
  @Test func aFailedCopyLeavesNoFile() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    try folder.write("mine", to: "taken.db")
    let path = folder.path("taken.db")
    let error = #expect(throws: RegistryError.self) {
      try registry.askAndWait { store throws(RegistryError) in try store.backUp(to: RegistryPlace(path)) }
    }
    #expect(error?.message == "The copy '\(path)' cannot be written: it exists already.")
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    // A folder is where the finished copy would go.
    try FileManager.default.createDirectory(atPath: folder.path("folder"), withIntermediateDirectories: false)
    #expect(throws: RegistryError.self) {
      try registry.askAndWait { store throws(RegistryError) in
        try store.backUp(to: RegistryPlace(folder.path("folder")))
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path)
    #expect(!files.contains { $0.hasSuffix(".partial") })
  }

  /// Of the registry's own name nothing is left in the message, also where it holds ': '.
  @Test func aCopyThatCannotBeWrittenSaysWhy() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("a: b.db")))
    defer { registry.stop() }
    try FileManager.default.createDirectory(atPath: folder.path("gone"), withIntermediateDirectories: false)
    let place = try RegistryPlace(folder.path("gone/copy.db"))
    try FileManager.default.removeItem(atPath: folder.path("gone"))
    let error = #expect(throws: RegistryError.self) {
      try registry.askAndWait { store throws(RegistryError) in try store.backUp(to: place) }
    }
    let message = try #require(error?.message)
    #expect(
      message.hasPrefix("The copy '\(place.name)' cannot be written: unable to open database"), "\(message)")
  }

  @Test func refusesAFolderThatDoesNotExist() throws {
    let folder = try ScratchFolder()
    let error = #expect(throws: RegistryError.self) {
      try Registry(.sqlite(path: folder.path("no/registry.db")))
    }
    #expect(error?.kind == .cannotOpen)
  }
}

/// What follows `--registry`.
@Suite("Registry address", .timeLimit(.minutes(15)))
struct RegistryAddressTests {
  @Test(arguments: [
    ("sqlite:registry.db", "sqlite:registry.db"), ("sqlite:///var/lib/r.db", "sqlite:/var/lib/r.db"),
    ("postgres://ann:secret@db.example/reg?sslmode=require", "postgres://…@db.example/reg"),
    ("postgresql:///reg", "postgresql:///reg"),
  ])
  func showsNoPassword(_ text: String, _ words: String) throws {
    #expect(try RegistryAddress(ServiceAddress(text)).words == words)
  }

  @Test(arguments: ["registry.db", "sqlite:", "mysql://x", ""])
  func refusesWhatNamesNoStore(_ text: String) {
    let error = #expect(throws: RegistryError.self) { try RegistryAddress(ServiceAddress(text)) }
    #expect(error?.kind == .unusableAddress)
  }

  /// libpq would quote these, or look up a part of the password as a host.
  @Test(arguments: [
    "postgres://u:QZQZ@[::1/x", "postgres://u:QZ@QZ@host/x", "postgres://u:QZ/QZ@host/x",
    "postgres://u:QZQZ@host:port/x", "postgres://u:QZQZ", "postgres://u:QZQZ%zz@host/x",
    "postgres://u:QZQZ%00@host/x", "postgres://u:QZ#QZ@host/x", "postgresql://u:QZ QZ@host/x",
    "postgres://host/x?password=QZ@QZ", "sqlite:postgres://u:QZQZ@host/x",
    "sqlite://u:QZQZ@host/x",
    "host=db password=QZQZ", "mysql://u:QZQZ@host/x", "postgres:u:QZQZ@host",
  ])
  func quotesNoPasswordOfAnAddressThatCannotBeParsed(_ text: String) throws {
    let error = #expect(throws: RegistryError.self) { try RegistryAddress(ServiceAddress(text)) }
    #expect(error?.kind == .unusableAddress)
    let words = try #require(error).description
    #expect(!words.contains("QZ"))
  }
}

/// The text of a credential.
@Suite("Access token", .timeLimit(.minutes(15)))
struct AccessTokenTests {
  static let text = AccessTokenText(random: Array(0..<40))

  @Test func readsWhatItWrites() throws {
    let read = try #require(AccessTokenText(Self.text.text))
    #expect(read.text == Self.text.text)
    #expect(read.text.hasPrefix("lsp_0001020304050607_"))
  }

  @Test(arguments: ["", "lsp_", "lsp_00_00", "bearer x", "lsp_0001020304050607_zz"])
  func refusesOtherTexts(_ text: String) { #expect(AccessTokenText(text) == nil) }

  @Test func everyByteOfTheSecretCounts() throws {
    let token = AccessToken(
      identifier: Self.text.identifier, secretHash: Self.text.secretHash, scopes: [], topics: [],
      createdAt: WallTime(milliseconds: 0))
    #expect(Self.text.proves(token))
    #expect(!Self.text.proves(nil))
    for index in 8..<40 {
      var random = Array(UInt8(0)..<40)
      random[index] ^= 1
      #expect(!AccessTokenText(random: random).proves(token))
    }
  }
}

/// Versions as texts that sort.
@Suite("Version key", .timeLimit(.minutes(15)))
struct VersionKeyTests {
  @Test func sortsLikeVersions() {
    let versions = ["", "0.9", "1", "1.0.1", "1.2", "1.9", "1.10", "1.10.1", "2.0b3", "10"]
    #expect(versions.map(VersionKey.key) == versions.map(VersionKey.key).sorted())
    #expect(Set(versions.map(VersionKey.key)).count == versions.count)
    #expect(VersionKey.key(of: "1.10.0") == VersionKey.key(of: "1.10"))
    // It is stored: another form would sort wrongly among those of before.
    #expect(VersionKey.key(of: "17.04.0") == "000000017.000000004")
  }
}
