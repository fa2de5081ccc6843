import LinkspanCore

@testable import SimulatedDevices

extension Event {
  /// The text of a field; nil when it is absent or no string.
  func text(_ name: String) -> String? {
    guard case .string(let text)? = fields.first(where: { $0.0 == name })?.1 else { return nil }
    return text
  }

  /// The number of a field; nil when it is absent or no integer.
  func number(_ name: String) -> Int? {
    guard case .int(let number)? = fields.first(where: { $0.0 == name })?.1 else { return nil }
    return number
  }
}
