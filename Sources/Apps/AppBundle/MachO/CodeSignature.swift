/// What a code signature says; whether it holds is not judged here.
///
/// - Source: Apple, `cs_blobs.h` of XNU and `codedirectory.h` of Security.
package struct CodeSignature: Sendable {
  /// Usually the bundle identifier.
  package let identifier: String
  /// The Team ID; nil for signatures without a certificate of Apple's.
  package let teamIdentifier: String?
  package let flags: CodeSignatureFlags
  /// The entitlements as a property list in XML, as the signature carries them.
  package let entitlements: [UInt8]?
  /// The same as DER, which iOS reads since 15.
  package let derEntitlements: [UInt8]?
  /// Whether there is a CMS signature; without one it is ad hoc.
  package let hasCertificate: Bool
  /// What the directories of one signature say against one another.
  package let contradictions: [String]
}

/// The flags of a code directory.
package struct CodeSignatureFlags: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  package static let adHoc = CodeSignatureFlags(rawValue: 0x2)

  /// As `codesign -d` prints them.
  private static let known: [(UInt32, String)] = [
    (0x1, "host"), (0x2, "adhoc"), (0x100, "hard"), (0x200, "kill"), (0x400, "expires"),
    (0x800, "restrict"), (0x1000, "enforcement"), (0x2000, "library-validation"), (0x1_0000, "runtime"),
    (0x2_0000, "linker-signed"),
  ]

  /// The names of the flags, and a number for bits without one.
  package var names: [String] {
    var rest = rawValue
    var names: [String] = []
    for (bit, name) in Self.known where rawValue & bit != 0 {
      names.append(name)
      rest &= ~bit
    }
    return rest == 0 ? names : names + ["0x" + String(rest, radix: 16)]
  }
}

/// Reads the superblob that `LC_CODE_SIGNATURE` points to. All of its numbers have the high byte first.
struct CodeSignatureReader {
  private let reader: NumberReader
  private let file: String
  /// Our choice: real signatures have seven blobs.
  private static let blobLimit = 64

  init(_ bytes: [UInt8], file: String) {
    reader = NumberReader(bytes)
    self.file = file
  }

  private struct Directory {
    var identifier: String
    var team: String?
    var flags: UInt32
  }

  private func broken(_ reason: String) -> BundleError {
    BundleError(
      .brokenSignature, in: file, "The code signature is damaged: \(reason).",
      help: "A device refuses such a program. Sign it again.")
  }

  func read() throws(BundleError) -> CodeSignature {
    let bytes = reader.bytes
    guard bytes.count >= 12, reader.big32(0) == 0xFADE_0CC0 else {
      throw broken("it does not begin like a code signature")
    }
    let (length, count) = (reader.big32(4), reader.big32(8))
    guard length <= bytes.count, length >= 12 else { throw broken("it ends early") }
    guard count <= Self.blobLimit, 12 + count * 8 <= length else { throw broken("it counts \(count) parts") }
    var directories: [Directory] = []
    var blobs: [Int: Range<Int>] = [:]
    for index in 0..<count {
      let (slot, offset) = (reader.big32(12 + index * 8), reader.big32(16 + index * 8))
      guard offset >= 12, offset <= length - 8, reader.big32(offset + 4) >= 8,
        reader.big32(offset + 4) <= length - offset
      else { throw broken("its part \(index) lies outside the file") }
      let blob = offset..<offset + reader.big32(offset + 4)
      // 0 is the directory, 0x1000 and following are the same by other digests.
      if slot == 0 || (0x1000...0x1005).contains(slot) {
        directories.append(try directory(blob))
      } else if blobs.updateValue(blob, forKey: slot) != nil {
        throw broken("it has two parts of kind \(slot)")
      }
    }
    guard let first = directories.first else { throw broken("it has no code directory") }
    var contradictions: [String] = []
    for other in directories.dropFirst() {
      if other.identifier != first.identifier {
        contradictions.append("the identifiers '\(first.identifier)' and '\(other.identifier)'")
      }
      if other.team != first.team {
        contradictions.append("the teams '\(first.team ?? "none")' and '\(other.team ?? "none")'")
      }
      if other.flags != first.flags { contradictions.append("different flags") }
    }
    return CodeSignature(
      identifier: first.identifier, teamIdentifier: first.team,
      flags: CodeSignatureFlags(rawValue: first.flags),
      entitlements: try content(blobs[5], magic: 0xFADE_7171, "entitlements"),
      derEntitlements: try content(blobs[7], magic: 0xFADE_7172, "DER entitlements"),
      hasCertificate: blobs[0x1_0000].map { $0.count > 8 } ?? false, contradictions: contradictions)
  }

  private func content(_ blob: Range<Int>?, magic: Int, _ name: String) throws(BundleError) -> [UInt8]? {
    guard let blob else { return nil }
    guard reader.big32(blob.lowerBound) == magic else { throw broken("its \(name) begin as none do") }
    return Array(reader.bytes[blob.dropFirst(8)])
  }

  private func directory(_ blob: Range<Int>) throws(BundleError) -> Directory {
    let start = blob.lowerBound
    guard blob.count >= 44, reader.big32(start) == 0xFADE_0C02 else {
      throw broken("a code directory is invalid")
    }
    let version = reader.big32(start + 8)
    func text(_ offset: Int, _ name: String) throws(BundleError) -> String {
      guard offset >= 44, offset < blob.count else { throw broken("its \(name) lies outside the file") }
      let range = start + offset..<blob.upperBound
      guard reader.bytes[range].contains(0) else { throw broken("its \(name) does not end") }
      return reader.text(range)
    }
    var directory = Directory(
      identifier: try text(reader.big32(start + 20), "identifier"), flags: UInt32(reader.big32(start + 12)))
    // Since version 2.2 there is a team.
    if version >= 0x20200, blob.count >= 52 {
      let offset = reader.big32(start + 48)
      if offset != 0 { directory.team = try text(offset, "team") }
    }
    return directory
  }
}
