import AppBundle
import LinkspanCore
import Testing

@Suite struct MachOTests {
  private func read(_ bytes: [UInt8]) throws(BundleError) -> MachOFile {
    try MachOFile(MemoryBytes(bytes), file: "App")
  }

  private func error(_ bytes: [UInt8]) -> BundleError? {
    do throws(BundleError) {
      let file = try read(bytes)
      return file.slices.lazy.compactMap(\.signatureProblem).first
    } catch {
      return error
    }
  }

  @Test func readsAThinProgram() throws {
    let bytes = MachOFixture.thin(
      libraries: ["/usr/lib/libSystem.B.dylib", "@rpath/A.framework/A"],
      signature: MachOFixture.signature("com.example.app", flags: 0x1_0000))
    let slice = try #require(try read(bytes).slices.first)
    #expect(slice.architecture.description == "arm64")
    #expect(slice.fileType == .executable)
    #expect(slice.libraries.map(\.name) == ["/usr/lib/libSystem.B.dylib", "@rpath/A.framework/A"])
    #expect(slice.platform == 2)
    #expect(slice.minimumOS == "14.2.1")
    #expect(slice.signature?.identifier == "com.example.app")
    #expect(slice.signature?.teamIdentifier == "TEAM123456")
    #expect(slice.signature?.flags.names == ["runtime"])
  }

  @Test func readsAFatProgramInItsOrder() throws {
    let bytes = MachOFixture.fat([
      (12, MachOFixture.thin(cpu: 12)), (0x0100_000C, MachOFixture.thin()),
      (0x0100_0007, MachOFixture.thin(cpu: 0x0100_0007)),
    ])
    let file = try read(bytes)
    #expect(file.isFat)
    #expect(file.slices.map(\.architecture.description) == ["arm", "arm64", "x86_64"])
    #expect(file.mainSlice.architecture.isArm64)
  }

  /// LC_ENCRYPTION_INFO and LC_ENCRYPTION_INFO_64; system 0 says that nothing is encrypted yet.
  @Test(arguments: [0x21, 0x2C])
  func knowsAnEncryptedProgram(command: Int) throws {
    for system in [0, 1] {
      let bytes = MachOFixture.thin(encryption: (command, system))
      #expect(try read(bytes).mainSlice.isEncrypted == (system == 1))
    }
    #expect(try !read(MachOFixture.thin()).mainSlice.isEncrypted)
  }

  @Test func flagsWithoutANameAreANumber() {
    #expect(CodeSignatureFlags(rawValue: 0x2_0002).names == ["adhoc", "linker-signed"])
    #expect(CodeSignatureFlags(rawValue: 0x8000_0001).names == ["host", "0x80000000"])
  }

  @Test func aHeaderOfManySlicesIsRefusedAtOnce() {
    let bytes =
      MachOFixture.big(0xCAFE_BABE) + MachOFixture.big(0xFFFF_FFFF) + [UInt8](repeating: 0, count: 64)
    #expect(error(bytes)?.message.contains("4294967295 slices") == true)
    #expect(MachOFile.looksLike(Array(bytes.prefix(8))))
    #expect(!MachOFile.looksLike(MachOFixture.big(0xCAFE_BABE) + MachOFixture.big(61)))
  }

  /// The fifth to eighth bytes of Java's class files are a version from 45 on; a head that ends before them may be a program's.
  @Test(arguments: [(0, true), (44, true), (45, false), (255, false), (256, true)])
  func javaIsNoProgram(number: Int, isProgram: Bool) {
    let head = MachOFixture.big(0xCAFE_BABE) + MachOFixture.big(number)
    #expect(MachOFile.looksLike(head) == isProgram)
    #expect(MachOFile.looksLike(head + [0]) == isProgram)
    #expect(MachOFile.looksLike(Array(head.prefix(7))))
    #expect(MachOFile.looksLike(Array(head.prefix(4))) && !MachOFile.looksLike(Array(head.prefix(3))))
  }

  @Test func limitsHoldAtTheirEdges() throws {
    let signature = MachOFixture.signature("com.example.app", flags: 0)
    let slices = [12, 0x0100_000C, 0x0100_0007].map { cpu in
      (cpu, MachOFixture.thin(cpu: cpu, libraries: ["/a", "/b"], signature: signature))
    }
    let bytes = MachOFixture.fat(slices)
    let slice = slices[0].1
    func isRead(_ change: (inout MachOLimits) -> Void) -> Bool {
      var limits = MachOLimits()
      change(&limits)
      return (try? MachOFile(MemoryBytes(bytes), file: "App", limits: limits)) != nil
    }
    let commandBytes = Int(slice[20]) | Int(slice[21]) << 8
    let edges: [(WritableKeyPath<MachOLimits, Int>, Int)] = [
      (\.sliceCount, 3), (\.commandCount, 4), (\.commandBytes, commandBytes),
      (\.signatureBytes, signature.count),
    ]
    for (limit, edge) in edges {
      #expect(isRead { $0[keyPath: limit] = edge }, "\(limit)")
      #expect(!isRead { $0[keyPath: limit] = edge - 1 }, "\(limit)")
    }
  }

  @Test func slicesThatShareBytesAreRefused() {
    let slice = MachOFixture.thin()
    var bytes = MachOFixture.fat([(12, slice), (0x0100_000C, slice)])
    // The second slice's offset becomes the first one's.
    bytes.replaceSubrange(36..<40, with: bytes[16..<20])
    #expect(error(bytes)?.message.contains("share bytes") == true)
  }

  /// Wherever a program is cut off, or a byte of it is another, reading ends with an answer or an error.
  @Test func everyTruncationAndEveryByteIsTaken() {
    let bytes = MachOFixture.fat([
      (
        0x0100_000C,
        MachOFixture.thin(
          libraries: ["/a"], signature: MachOFixture.signature("a", entitlements: "x", der: [1]),
          symbols: [UInt8](repeating: 1, count: 32), names: [0, 65, 0])
      )
    ])
    for count in bytes.indices { #expect(error(Array(bytes.prefix(count))) != nil, "after \(count) bytes") }
    for place in bytes.indices {
      for value in [0, 1, 0x7F, 0x80, 0xFF] as [UInt8] {
        var changed = bytes
        changed[place] = value
        _ = error(changed)
      }
    }
  }

  @Test func aBrokenSignatureIsNotABrokenProgram() throws {
    var signature = MachOFixture.signature("a")
    signature[0] = 0
    let slice = try #require(try read(MachOFixture.thin(signature: signature)).slices.first)
    #expect(slice.signature == nil)
    #expect(slice.signatureProblem?.kind == .brokenSignature)
  }

  @Test func directoriesThatDisagreeAreTold() throws {
    let signature = MachOFixture.superblob([
      (0, MachOFixture.directory("a", team: "ONE")), (0x1000, MachOFixture.directory("b", team: nil)),
    ])
    let slice = try #require(try read(MachOFixture.thin(signature: signature)).slices.first)
    #expect(
      slice.signature?.contradictions == ["the identifiers 'a' and 'b'", "the teams 'ONE' and 'none'"])
  }

  // MARK: - Stripping

  @Test func localSymbolsAndTheirNamesAreCounted() throws {
    func symbol(_ name: Int, _ kind: UInt8) -> [UInt8] {
      MachOFixture.little(name) + [kind, 1, 0, 0] + MachOFixture.little(0, 8)
    }
    let names = Array(" \0_main\0_local_with_a_long_name\0\0\0\0\0\0\0".utf8)
    // A local, a debugging and an external symbol.
    let symbols = symbol(8, 0x0E) + symbol(8, 0x24) + symbol(2, 0x0F)
    let bytes = MemoryBytes(MachOFixture.thin(symbols: symbols, names: names))
    let file = try MachOFile(bytes, file: "App")
    // Names that stay: two bytes, "_main" with its zero, filled up to 8.
    #expect(try file.strippableBytes(bytes, file: "App") == 2 * 16 + names.count - 8)
    let stripped = MemoryBytes(MachOFixture.thin(symbols: symbol(2, 0x0F), names: Array(" \0_main\0".utf8)))
    #expect(try MachOFile(stripped, file: "App").strippableBytes(stripped, file: "App") == 0)
  }

  // MARK: - DER entitlements

  private func der(_ bytes: [UInt8]) throws(BundleError) -> PropertyListNode {
    try EntitlementsDER.node(bytes, file: "App")
  }

  @Test func readsDEREntitlements() throws {
    let bytes = MachOFixture.entitlements([
      MachOFixture.pair("a", MachOFixture.text("ä")), MachOFixture.pair("b", [1, 1, 0xFF]),
      MachOFixture.pair("c", MachOFixture.element(0x30, MachOFixture.text("x") + MachOFixture.text("y"))),
      MachOFixture.pair("d", [2, 2, 0xFF, 0x00]),
      MachOFixture.pair("e", MachOFixture.element(0xB0, MachOFixture.pair("f", [1, 1, 0]))),
    ])
    #expect(try der(bytes).json.text == #"{"a":"ä","b":true,"c":["x","y"],"d":-256,"e":{"f":false}}"#)
    let old = MachOFixture.element(0x31, MachOFixture.pair("a", MachOFixture.text("b")))
    #expect(try der(old).json.text == #"{"a":"b"}"#)
  }

  @Test(
    arguments: [
      ("nothing", []), ("a long length", [0x70, 0x81, 0x07, 2, 1, 1, 0xB0, 0x80, 0, 0]),
      ("version 2", MachOFixture.element(0x70, [2, 1, 2, 0xB0, 0])),
      ("something behind", MachOFixture.entitlements([]) + [0]),
      ("no text as key", MachOFixture.entitlements([MachOFixture.element(0x30, [2, 1, 1, 1, 1, 0])])),
      (
        "a key twice",
        MachOFixture.entitlements([MachOFixture.pair("a", [1, 1, 0]), MachOFixture.pair("a", [1, 1, 0])])
      ),
      ("unknown value", MachOFixture.entitlements([MachOFixture.pair("a", [5, 0])])),
      ("no value", MachOFixture.entitlements([MachOFixture.element(0x30, MachOFixture.text("a"))])),
    ] as [(String, [UInt8])])
  func refusesDER(_ name: String, _ bytes: [UInt8]) {
    #expect(throws: BundleError.self, "\(name)") { try der(bytes) }
  }

  /// What stands at a key of the top has the depth 1; each list around it is one more.
  @Test func theDepthOfDERIsBounded() throws {
    func nested(_ lists: Int) -> [UInt8] {
      let value = (0..<lists).reduce(MachOFixture.text("x")) { value, _ in MachOFixture.element(0x30, value) }
      return MachOFixture.entitlements([MachOFixture.pair("a", value)])
    }
    let deepest = (0..<40).last { (try? der(nested($0))) != nil }
    #expect(deepest == 14)
    #expect((0...14).allSatisfy { (try? der(nested($0))) != nil })
  }

  @Test func everyByteOfDERIsTaken() {
    let bytes = MachOFixture.entitlements([
      MachOFixture.pair("a", MachOFixture.element(0x30, MachOFixture.text("x"))),
      MachOFixture.pair("b", MachOFixture.element(0xB0, MachOFixture.pair("c", [2, 1, 5]))),
    ])
    for place in bytes.indices {
      for value in UInt8.min...UInt8.max {
        var changed = bytes
        changed[place] = value
        do throws(BundleError) {
          #expect(try der(changed).dictionary != nil)
        } catch {
          #expect(error.kind == .brokenEntitlements)
        }
      }
    }
  }

  @Test func everyTruncationOfDERIsRefused() {
    let bytes = MachOFixture.entitlements([MachOFixture.pair("a", MachOFixture.text("b"))])
    for count in bytes.indices { #expect(throws: BundleError.self) { try der(Array(bytes.prefix(count))) } }
  }
}
