internal import Foundation
internal import LinkspanCore

/// A payload and the headers that it goes out with, drawn from a seed: right ones, and each kind of mistake.
package struct PushCase: Sendable, CustomStringConvertible {
  package let seed: UInt64
  /// As it goes out; mostly an object.
  package let payload: String
  /// In order; a name may come twice.
  package let headers: [(name: String, value: String)]

  /// How many seeds a test goes through: `LINKSPAN_PUSH_CASES`, else 2,000.
  package static var count: UInt64 {
    ProcessInfo.processInfo.environment["LINKSPAN_PUSH_CASES"].flatMap { UInt64($0) } ?? 2_000
  }

  package var description: String { "seed \(seed): \(record.prefix(700))" }

  /// As `linkspan push lint` takes a recorded request.
  package var record: String {
    let members = headers.map { "\"\($0.name)\":\(JSON.string($0.value).text)" }
    return "{\"headers\":{\(members.joined(separator: ","))},\"payload\":\(payload)}"
  }

  package init(seed: UInt64) {
    var maker = Maker(chance: SeededGenerator(seed: seed))
    // Half of them are mostly right.
    maker.isCareful = maker.often(1, in: 2)
    self.seed = seed
    payload = maker.payload()
    headers = maker.headers()
  }

  private struct Maker {
    var chance: SeededGenerator
    var isCareful = false

    mutating func often(_ count: Int64, in total: Int64) -> Bool { chance.chance(count, in: total) }

    mutating func one<Element>(_ elements: [Element]) -> Element {
      elements[Int(chance.draw(0...Int64(elements.count - 1)))]
    }

    // MARK: - The payload

    private static let shown = [
      #""alert":"Hello""#, #""alert":{"title":"News","body":"Hello"}"#, #""alert":{"titel":"News"}"#,
      #""alert":"""#,
      #""alert":{}"#, #""alert":5"#, #""alert":null"#, #""alert":{"loc-key":"K","loc-args":[1]}"#,
      #""alert":{"body":"x","content-available":1}"#, #""alert":{"subtitle-loc-key":"K"}"#, #""badge":3"#,
      #""badge":0"#, #""badge":"1""#, #""badge":-1"#, #""sound":"default""#, #""sound":"""#, #""sound":null"#,
      #""sound":{"critical":1,"name":"a","volume":0.5}"#, #""sound":{"critical":1,"volume":1.5}"#,
      #""sound":7"#,
    ]
    private static let wakes = [
      #""content-available":1"#, #""content-available":1"#, #""content-available":1"#,
      #""content-available":true"#, #""content-available":0"#, #""content-available":"1""#,
      #""content-available":2"#, #""content_available":1"#, #""contentAvailable":1"#,
    ]
    private static let others = [
      #""mutable-content":1"#, #""thread-id":"a""#, #""thread_id":"a""#, #""category":5"#, #""colour":"red""#,
      #""interruption-level":"urgent""#, #""interruption-level":"passive""#, #""relevance-score":2"#,
      #""event":"update","timestamp":1700000000,"content-state":{}"#, #""content-state":{}"#,
      #""content-changed":true"#, #""apns-priority":10"#,
      #""input-push-token":1,"input-push-channel":"QQ==""#,
    ]
    private static let beside = [
      #""content-available":1"#, #""apns-topic":"a.b""#, #""count":4"#, #""mdm":"x""#, #""badge":1"#,
      #""category":"news""#,
    ]

    private static let right = [
      #"{"aps":{"content-available":1},"count":4}"#, #"{"aps":{"alert":"Hello"}}"#, #"{"aps":{"badge":0}}"#,
      #"{"aps":{"alert":"Hello","content-available":1}}"#, #"{"aps":{"content-available":1,"sound":""}}"#,
      #"{"aps":{"alert":{"title":"News"},"sound":"default","mutable-content":1}}"#,
      #"{"aps":{"content-available":true}}"#,
    ]

    mutating func payload() -> String {
      if isCareful { return one(Self.right) }
      if often(1, in: 60) {
        return one(["[]", "5", "{}", #"{"mdm":"magic"}"#, #"{"aps":7}"#, #"{"aps":[]}"#])
      }
      var members: [String] = []
      if often(3, in: 5) { members.append(one(Self.shown)) }
      if often(1, in: 5) { members.append(one(Self.shown)) }
      if often(3, in: 5) { members.append(one(Self.wakes)) }
      if often(1, in: 5) { members.append(one(Self.others)) }
      if often(1, in: 40) {
        let length = one([4_000, 4_060, 4_096, 5_000, 5_090, 6_000])
        members.append("\"target-content-id\":\"\(String(repeating: "x", count: length))\"")
      }
      var root = ["\"aps\":{\(members.joined(separator: ","))}"]
      if often(1, in: 5) { root.append(one(Self.beside)) }
      return "{\(root.joined(separator: ","))}"
    }

    // MARK: - The headers

    private static let types = [
      "alert", "alert", "alert", "background", "background", "background", "voip", "liveactivity",
      "complication",
      "controls", "fileprovider", "location", "mdm", "pushtotalk", "widgets", "banana", "", "Alert",
    ]
    private static let suffixes = [
      ".voip", ".complication", ".push-type.liveactivity", ".push-type.widgets", ".push-type.controls",
      ".voip-ptt",
      ".pushkit.fileprovider", ".location-query",
    ]

    private mutating func carefulHeaders() -> [(name: String, value: String)] {
      let isBackground = often(1, in: 2)
      var headers = [
        (name: "apns-topic", value: "com.example.app"), ("apns-priority", isBackground ? "5" : "10"),
      ]
      if often(2, in: 3) { headers.append(("apns-push-type", isBackground ? "background" : "alert")) }
      if often(1, in: 10) { headers.remove(at: 1) }
      if often(1, in: 20) { headers.append(headers[0]) }
      return headers
    }

    mutating func headers() -> [(name: String, value: String)] {
      if isCareful { return carefulHeaders() }
      var headers: [(name: String, value: String)] = []
      if often(5, in: 6) { headers.append(("apns-push-type", one(Self.types))) }
      if often(9, in: 10) { headers.append(("apns-topic", topic())) }
      if often(3, in: 4) {
        headers.append(("apns-priority", one(["10", "5", "5", "1", "7", "high", "", "05", " 5"])))
      }
      if often(1, in: 5) {
        let dates = [
          "0", "1800000100", "abc", "-1", "1800000000000", "1.5", "99999999999999999999", "", "+5",
        ]
        headers.append(("apns-expiration", one(dates)))
      }
      if often(1, in: 5) {
        let length = one([1, 63, 64, 65])
        headers.append(
          (
            "apns-collapse-id",
            often(1, in: 4) ? String(repeating: "é", count: 33) : String(repeating: "c", count: length)
          ))
      }
      if often(1, in: 6) {
        let identifiers = [
          "123e4567-e89b-12d3-a456-4266554400a0", "123E4567-E89B-12D3-A456-4266554400A0", "nope", "",
          "123e4567e89b12d3a4564266554400a0",
        ]
        headers.append(("apns-id", one(identifiers)))
      }
      if often(1, in: 20), let repeated = headers.first {
        headers.append((often(1, in: 2) ? repeated.name.uppercased() : repeated.name, repeated.value))
      }
      return headers
    }

    private mutating func topic() -> String {
      if often(1, in: 8) {
        return one([
          "", "com/example", "com/example.voip", "com.example.app ", ".voip", "é.example", "com:example",
        ])
      }
      return "com.example.app" + (often(1, in: 3) ? one(Self.suffixes) : "")
    }
  }
}
