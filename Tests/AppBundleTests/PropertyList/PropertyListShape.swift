import AppBundle
import Foundation

/// A property list in one line, the same for our tree and for Foundation's, so that the two can be compared.
enum PropertyListShape {
  static func of(_ node: PropertyListNode) -> String {
    switch node.value {
    case .string(let text): "s\(text.debugDescription)"
    case .integer(let number): "i\(number)"
    case .unsigned(let number): "i\(number)"
    case .real(let number): "r\(number)"
    case .bool(let flag): "b\(flag)"
    case .date(let seconds): "d\(seconds)"
    case .data(let bytes): "x\(bytes)"
    case .uid(let number): "u\(number)"
    case .array(let elements): "[" + elements.map(of).joined(separator: ",") + "]"
    case .dictionary(let members):
      "{"
        + Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { $1 })
        .map { "\($0.key.debugDescription):\(of($0.value))" }.sorted().joined(separator: ",") + "}"
    }
  }

  static func of(_ value: Any) -> String {
    switch value {
    case let text as String: return "s\(text.debugDescription)"
    case let data as Data: return "x\([UInt8](data))"
    case let date as Date: return "d\(date.timeIntervalSinceReferenceDate)"
    case let elements as [Any]: return "[" + elements.map(of).joined(separator: ",") + "]"
    case let members as [String: Any]:
      return "{"
        + members.map { "\($0.key.debugDescription):\(of($0.value))" }.sorted().joined(separator: ",")
        + "}"
    case let number as NSNumber where String(cString: number.objCType) == "c": return "b\(number.boolValue)"
    case let number as NSNumber where String(cString: number.objCType) == "d": return "r\(number.doubleValue)"
    case let number as NSNumber where String(cString: number.objCType) == "f": return "r\(number.doubleValue)"
    case let number as Int64: return "i\(number)"
    case let number as UInt64: return "i\(number)"
    case let number as Double: return "r\(number)"
    default: return "?\(type(of: value))"
    }
  }
}
