import Foundation
import LinkspanCore
import Testing

/// What the published schema of SARIF 2.1.0 requires of the parts that we write: which members there may be and
/// which there must, of what type, from which list, from which number on. Members it does not know are refused.
///
/// - Source: OASIS, sarif-schema-2.1.0.json, `definitions`, read member by member.
enum SARIFShape {
  indirect enum Shape: Sendable {
    case string
    case uri
    case uriReference
    case boolean
    case oneOf([String])
    case integer(atLeast: Int)
    case array(Shape, atLeast: Int)
    case object([String: Shape], required: [String])
    case strings
  }

  static func results(_ json: JSON) throws -> [[String: Any]] {
    let log = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
    let runs = try #require(log?["runs"] as? [[String: Any]])
    return try #require(runs[0]["results"] as? [[String: Any]])
  }

  static func check(_ json: JSON) throws {
    try check(JSONSerialization.jsonObject(with: Data(json.bytes)), log, "")
    // What the text of the standard adds (3.27.6): a rule's index leads to the rule.
    let value = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: Any]
    let run = try #require((value?["runs"] as? [[String: Any]])?.first)
    let driver = (run["tool"] as? [String: Any])?["driver"] as? [String: Any]
    let rules = try #require(driver?["rules"] as? [[String: Any]])
    for result in try results(json) {
      let index = try #require(result["ruleIndex"] as? Int)
      #expect(rules[index]["id"] as? String == result["ruleId"] as? String)
    }
    #expect(Set(rules.compactMap { $0["id"] as? String }).count == rules.count)
  }

  static let message = Shape.object(["text": .string], required: ["text"])
  static let level = Shape.oneOf(["none", "note", "warning", "error"])
  static let artifactLocation = Shape.object(["uri": .uriReference], required: [])
  static let region = Shape.object(
    [
      "startLine": .integer(atLeast: 1), "startColumn": .integer(atLeast: 1), "endLine": .integer(atLeast: 1),
      "endColumn": .integer(atLeast: 1),
    ], required: [])
  static let location = Shape.object(
    [
      "physicalLocation": .object(
        ["artifactLocation": artifactLocation, "region": region], required: ["artifactLocation"]),
      "logicalLocations": .array(.object(["fullyQualifiedName": .string], required: []), atLeast: 0),
    ], required: [])
  static let fix = Shape.object(
    [
      "artifactChanges": .array(
        .object(
          [
            "artifactLocation": artifactLocation,
            "replacements": .array(
              .object(
                ["deletedRegion": region, "insertedContent": .object(["text": .string], required: [])],
                required: ["deletedRegion"]), atLeast: 1),
          ], required: ["artifactLocation", "replacements"]), atLeast: 1)
    ], required: ["artifactChanges"])
  static let result = Shape.object(
    [
      "ruleId": .string, "ruleIndex": .integer(atLeast: -1), "level": level, "message": message,
      "locations": .array(location, atLeast: 0), "partialFingerprints": .strings,
      "fixes": .array(fix, atLeast: 0),
    ], required: ["message"])
  static let rule = Shape.object(
    [
      "id": .string, "shortDescription": message,
      "defaultConfiguration": .object(["level": level], required: []),
    ], required: ["id"])
  static let notification = Shape.object(["message": message, "level": level], required: ["message"])
  static let run = Shape.object(
    [
      "tool": .object(
        [
          "driver": .object(
            ["name": .string, "version": .string, "rules": .array(rule, atLeast: 0)], required: ["name"])
        ], required: ["driver"]),
      "invocations": .array(
        .object(
          ["executionSuccessful": .boolean, "toolExecutionNotifications": .array(notification, atLeast: 0)],
          required: ["executionSuccessful"]), atLeast: 0),
      "columnKind": .oneOf(["utf16CodeUnits", "unicodeCodePoints"]),
      "results": .array(result, atLeast: 0),
    ], required: ["tool"])
  static let log = Shape.object(
    ["$schema": .uri, "version": .oneOf(["2.1.0"]), "runs": .array(run, atLeast: 0)],
    required: ["version", "runs"])

  private static func check(_ value: Any, _ shape: Shape, _ path: String) throws {
    switch shape {
    case .string: #expect(value is String, "\(path)")
    case .uri: #expect((value as? String).flatMap { URL(string: $0) }?.scheme != nil, "\(path)")
    case .uriReference:
      let text = try #require(value as? String, "\(path)")
      #expect(URL(string: text, encodingInvalidCharacters: false) != nil, "\(path): \(text)")
    case .boolean: #expect(value as? Bool != nil, "\(path)")
    case .oneOf(let words): #expect(words.contains(value as? String ?? ""), "\(path)")
    case .integer(let least): #expect((value as? Int).map { $0 >= least } == true, "\(path)")
    case .strings: #expect(value is [String: String], "\(path)")
    case .array(let element, let least):
      let list = try #require(value as? [Any], "\(path)")
      #expect(list.count >= least, "\(path)")
      for (index, item) in list.enumerated() { try check(item, element, "\(path)/\(index)") }
    case .object(let members, let required):
      let object = try #require(value as? [String: Any], "\(path)")
      for name in required { #expect(object[name] != nil, "\(path) lacks \(name)") }
      for (name, member) in object {
        let known = try #require(members[name], "\(path) has \(name)")
        try check(member, known, "\(path)/\(name)")
      }
    }
  }
}
