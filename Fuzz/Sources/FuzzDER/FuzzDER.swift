import AppBundle
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzDER_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; accepted input is a dictionary without duplicate keys; every
/// refusal says where.
private func check(_ input: [UInt8]) {
  do throws(BundleError) {
    let node = try EntitlementsDER.node(input, file: "a")
    let keys = node.dictionary?.map(\.key) ?? []
    precondition(node.dictionary != nil && Set(keys).count == keys.count, "no dictionary, or a key twice")
    _ = node.json.bytes
  } catch {
    precondition(error.message.contains("byte") && !error.help.isEmpty, "a silent refusal")
  }
}
