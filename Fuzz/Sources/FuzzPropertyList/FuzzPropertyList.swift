import AppBundle
import FuzzSupport
import LinkspanCore

/// The entry point that the package manager expects in an executable.
@_cdecl("FuzzPropertyList_main")
public func fuzzMain(_ argc: CInt, _ argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> CInt {
  fuzz(argc, argv) { check($0) }
}

/// The laws: no input stops the program; an error says what is wrong and what to do; what was read obeys the limits;
/// checking it twice finds the same.
private func check(_ input: [UInt8]) {
  var limits = PropertyListLimits()
  limits.depth = 16
  do throws(PropertyListError) {
    let document = try PropertyListDocument(input, name: "input", limits: limits)
    precondition(depth(of: document.root) <= limits.depth, "deeper than the limit")
    let entitlements = try Entitlements(document)
    let findings = EntitlementChecker.check(entitlements)
    precondition(EntitlementChecker.check(entitlements) == findings, "the second check finds something else")
    for finding in findings {
      precondition(!finding.text().isEmpty, "a silent finding")
    }
    _ = try InfoPlist(document)
  } catch {
    precondition(!error.message.isEmpty && !error.help.isEmpty, "a silent error")
  }
}

private func depth(of node: PropertyListNode) -> Int {
  switch node.value {
  case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
  case .dictionary(let members): 1 + (members.map { depth(of: $0.value) }.max() ?? 0)
  default: 1
  }
}
