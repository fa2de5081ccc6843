/// Small Mach-O files and signatures, written by hand from Apple's headers.
enum MachOFixture {
  static func little(_ value: Int, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func big(_ value: Int, _ count: Int = 4) -> [UInt8] { little(value, count).reversed() }

  private static func command(_ number: Int, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (8 - body.count % 8) % 8)
    return little(number) + little(padded.count + 8) + padded
  }

  static func library(_ name: String, number: Int = 0x0C) -> [UInt8] {
    command(number, little(24) + little(0, 12) + Array(name.utf8) + [0])
  }

  /// A 64-bit executable for arm64 with its signature at the end.
  static func thin(
    cpu: Int = 0x0100_000C, libraries: [String] = [], signature: [UInt8] = [], symbols: [UInt8]? = nil,
    names: [UInt8] = [], padding: Int = 0, encryption: (command: Int, system: Int)? = nil
  ) -> [UInt8] {
    var commands = libraries.map { library($0) }
    if let encryption {
      commands.append(command(encryption.command, little(0) + little(64) + little(encryption.system)))
    }
    // Platform iOS, minimum 14.2.1.
    commands.append(command(0x32, little(2) + little(0x000E_0201) + little(0x0010_0000) + little(0)))
    var tail = [UInt8](repeating: 0x55, count: padding)
    let symbolsCommand = symbols == nil ? 0 : 24
    let signatureCommand = signature.isEmpty ? 0 : 16
    let start = 32 + commands.reduce(0) { $0 + $1.count } + symbolsCommand + signatureCommand
    if let symbols {
      let offset = start + tail.count
      commands.append(
        command(
          2,
          little(offset) + little(symbols.count / 16) + little(offset + symbols.count) + little(names.count)))
      tail += symbols + names
    }
    if !signature.isEmpty {
      commands.append(command(0x1D, little(start + tail.count) + little(signature.count)))
      tail += signature
    }
    let header =
      little(0xFEED_FACF) + little(cpu) + little(0) + little(2) + little(commands.count)
      + little(commands.reduce(0) { $0 + $1.count }) + little(0, 8)
    return header + commands.flatMap(\.self) + tail
  }

  static func fat(_ slices: [(cpu: Int, bytes: [UInt8])]) -> [UInt8] {
    var table = big(0xCAFE_BABE) + big(slices.count)
    var body: [UInt8] = []
    for slice in slices {
      let offset = 8 + slices.count * 20 + body.count
      table += big(slice.cpu) + big(0) + big(offset) + big(slice.bytes.count) + big(0)
      body += slice.bytes
    }
    return table + body
  }

  // MARK: - Signatures

  static func directory(_ identifier: String, team: String?, flags: Int = 0) -> [UInt8] {
    let identifierOffset = 52
    let texts = Array(identifier.utf8) + [0] + (team.map { Array($0.utf8) + [0] } ?? [])
    let teamOffset = team == nil ? 0 : identifierOffset + identifier.utf8.count + 1
    let length = identifierOffset + texts.count
    return big(0xFADE_0C02) + big(length) + big(0x20200) + big(flags) + big(length) + big(identifierOffset)
      + big(0) + big(0) + big(0) + [32, 2, 0, 12] + big(0) + big(0) + big(teamOffset) + texts
  }

  static func blob(_ magic: Int, _ content: [UInt8]) -> [UInt8] {
    big(magic) + big(content.count + 8) + content
  }

  static func superblob(_ blobs: [(slot: Int, bytes: [UInt8])]) -> [UInt8] {
    var index: [UInt8] = []
    var body: [UInt8] = []
    for blob in blobs {
      index += big(blob.slot) + big(12 + blobs.count * 8 + body.count)
      body += blob.bytes
    }
    return big(0xFADE_0CC0) + big(12 + index.count + body.count) + big(blobs.count) + index + body
  }

  /// As an app is signed: directory, both forms of the entitlements.
  static func signature(
    _ identifier: String, team: String? = "TEAM123456", flags: Int = 0, entitlements: String? = nil,
    der: [UInt8]? = nil
  ) -> [UInt8] {
    var blobs: [(Int, [UInt8])] = [(0, directory(identifier, team: team, flags: flags))]
    if let entitlements { blobs.append((5, blob(0xFADE_7171, Array(entitlements.utf8)))) }
    if let der { blobs.append((7, blob(0xFADE_7172, der))) }
    return superblob(blobs)
  }

  // MARK: - DER

  static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    switch content.count {
    case ..<0x80: [tag, UInt8(content.count)] + content
    case ..<0x100: [tag, 0x81, UInt8(content.count)] + content
    default: [tag, 0x82] + big(content.count, 2) + content
    }
  }

  static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

  static func pair(_ key: String, _ value: [UInt8]) -> [UInt8] { element(0x30, text(key) + value) }

  static func entitlements(_ pairs: [[UInt8]]) -> [UInt8] {
    element(0x70, [2, 1, 1] + element(0xB0, pairs.flatMap(\.self)))
  }

  static func plist(_ body: String) -> String {
    #"<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>"# + body + "</dict></plist>"
  }
}
