/// A value of an activity's `userInfo`, by the classes that may be in it.
///
/// - Source: rule HO2, documented.
package indirect enum ActivityValue: Hashable, Sendable {
  case string(String)
  case integer(Int)
  case real(Double)
  case bool(Bool)
  case null
  /// Seconds since 2001.
  case date(Double)
  /// So many bytes.
  case data(Int)
  case url(String)
  case uuid(String)
  case array([ActivityValue])
  case set([ActivityValue])
  /// In the order of the keys.
  case dictionary([Entry])
  /// An object of another class, which is not allowed.
  case other(className: String)

  package struct Entry: Hashable, Sendable {
    package var key: String
    package var value: ActivityValue

    package init(key: String, value: ActivityValue) {
      self.key = key
      self.value = value
    }
  }

  package static let allowedClasses = [
    "NSArray", "NSData", "NSDate", "NSDictionary", "NSNull", "NSNumber", "NSSet", "NSString", "NSURL",
    "NSUUID",
  ]

  /// The first object of a class that is not allowed, with the path of keys to it; nil when there is none.
  package func foreignClass(at path: String = "userInfo") -> (path: String, className: String)? {
    switch self {
    case .other(let className): return (path, className)
    case .array(let elements), .set(let elements):
      for (index, element) in elements.enumerated() {
        if let found = element.foreignClass(at: "\(path)[\(index)]") { return found }
      }
      return nil
    case .dictionary(let entries):
      for entry in entries {
        if let found = entry.value.foreignClass(at: "\(path).\(entry.key)") { return found }
      }
      return nil
    default: return nil
    }
  }
}
