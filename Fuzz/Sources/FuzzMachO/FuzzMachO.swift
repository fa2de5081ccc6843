import AppBundle
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzMachO_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; slices and their signatures lie inside the file; every refusal
/// says what to do.
private func check(_ input: [UInt8]) {
  let bytes = MemoryBytes(input)
  do throws(BundleError) {
    let file = try MachOFile(bytes, file: "a")
    for slice in file.slices {
      precondition(slice.range.upperBound <= input.count, "a slice lies outside")
      if let range = slice.signatureRange {
        precondition(range.upperBound <= input.count, "a signature lies outside")
      }
    }
    let strippable = try file.strippableBytes(bytes, file: "a")
    precondition(strippable >= 0, "stripping adds bytes")
    _ = try BundleDocument(program: bytes, name: "a").json.bytes
  } catch {
    precondition(!error.message.isEmpty && !error.help.isEmpty, "a silent refusal")
  }
}
