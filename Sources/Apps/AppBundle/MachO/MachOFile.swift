/// A program or library in Apple's format, of one architecture (thin) or several (fat).
///
/// - Source: Apple's headers `mach-o/loader.h` and `mach-o/fat.h`.
package struct MachOFile: Sendable {
  /// In the order of the file.
  package let slices: [MachOSlice]
  package let isFat: Bool

  /// The one a current iPhone runs, or the first.
  package var mainSlice: MachOSlice { slices.first { $0.architecture.isArm64 } ?? slices[0] }

  /// Whether a file begins as Mach-O does, thin or fat, in any byte order.
  package static func looksLike(_ head: [UInt8]) -> Bool {
    guard head.count >= 4 else { return false }
    switch NumberReader(head).big32(0) {
    case 0xFEED_FACE, 0xFEED_FACF, 0xCEFA_EDFE, 0xCFFA_EDFE, 0xCAFE_BABF: return true
    // Java's class files begin the same way; their fifth to eighth bytes are a version from 45 on.
    case 0xCAFE_BABE: return head.count < 8 || !(45...255).contains(NumberReader(head).big32(4))
    default: return false
    }
  }
}

/// One architecture's part of a file.
package struct MachOSlice: Sendable {
  package enum FileType: Sendable, Hashable {
    case executable, library, bundle, object, symbols
    case other(Int)
  }

  package struct Library: Sendable, Hashable {
    /// As `LC_LOAD_DYLIB` has it: a path, often with `@rpath`.
    package let name: String
    /// The program starts without it.
    package let isWeak: Bool
  }

  package let architecture: MachOArchitecture
  package let fileType: FileType
  /// Where the slice lies in the file.
  package let range: Range<Int>
  package internal(set) var libraries: [Library] = []
  /// The install name, of a library.
  package internal(set) var installName: String?
  package internal(set) var runPaths: [String] = []
  package internal(set) var platform: Int?
  /// Such as `14.0`.
  package internal(set) var minimumOS: String?
  /// Whether the App Store has encrypted its code.
  package internal(set) var isEncrypted = false
  package internal(set) var symbols: MachOSymbolTable?
  package internal(set) var signature: CodeSignature?
  /// Why a signature that is there could not be read.
  package internal(set) var signatureProblem: BundleError?
  /// Where the signature lies in the file.
  package internal(set) var signatureRange: Range<Int>?
}

/// The processor that a slice is for.
package struct MachOArchitecture: Sendable, Hashable, CustomStringConvertible {
  package let cpuType: Int
  package let cpuSubtype: Int

  /// As `lipo` calls it, and with its numbers where it has no name.
  package var description: String {
    // The upper byte of the subtype holds capabilities, such as the version of pointer authentication.
    switch (cpuType, cpuSubtype & 0xFF_FFFF) {
    case (0x0100_000C, 2): "arm64e"
    case (0x0100_000C, _): "arm64"
    case (0x0200_000C, _): "arm64_32"
    case (12, 6): "armv6"
    case (12, 9): "armv7"
    case (12, 11): "armv7s"
    case (12, 12): "armv7k"
    case (12, _): "arm"
    case (0x0100_0007, 8): "x86_64h"
    case (0x0100_0007, _): "x86_64"
    case (7, _): "i386"
    case (18, _): "ppc"
    case (0x0100_0012, _): "ppc64"
    default: "cpu-\(cpuType)-\(cpuSubtype & 0xFF_FFFF)"
    }
  }

  /// Whether current iPhones and iPads run it.
  package var isArm64: Bool { cpuType == 0x0100_000C }
}

/// The symbol table's place, and which of it are local symbols.
package struct MachOSymbolTable: Sendable {
  /// Where the entries lie in the file.
  package let entries: Range<Int>
  /// Where their names lie in the file.
  package let names: Range<Int>
  package let entryBytes: Int
}
