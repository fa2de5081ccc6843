import Foundation
import TestSupport
import Testing

/// Other people's clients through `linkspan stand-in apns`, unchanged. Each needs Python modules that are not everywhere.
@Suite struct ForeignSenderTests {
  let tool: Tool
  private static let token = String(repeating: "ab", count: 32)

  init() throws {
    tool = try Tool()
    try tool.write(PushTests.key + "\n", to: "key.p8")
  }

  /// The Python to use: that of `LINKSPAN_PYTHON`, which may be one of a virtual environment.
  private static var python: String { ProcessInfo.processInfo.environment["LINKSPAN_PYTHON"] ?? "python3" }

  private static func has(_ module: String) -> Bool {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python, "-c", "import \(module)"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  static func lacks(_ module: String) -> Bool {
    if has(module) { return false }
    print("skipped: \(python) has no module '\(module)'; LINKSPAN_PYTHON names another Python")
    return true
  }

  private func standIn() throws -> StandIn {
    try StandIn(
      tool,
      [
        "apns", "--write-certificate", "ca.pem", "--topic", "com.example.app", "--record", "record.jsonl",
      ] + PushTests.keyFlags)
  }

  private func run(_ words: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = tool.folder
    let output = Pipe()
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  private func record() throws -> [[String: Any]] {
    let text = try String(contentsOf: tool.folder.appending(path: "record.jsonl"), encoding: .utf8)
    return try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  /// aioapns offers no ALPN (row 67), and sends twenty at once before it knows how many streams there are (row 65).
  @Test(.disabled(if: lacks("aioapns"), "aioapns is not installed"))
  func aioapnsSends() throws {
    let standIn = try standIn()
    let (host, port) = try #require(
      standIn.place.split(separator: ":").count == 2 ? split(standIn.place) : nil)
    try tool.write(
      """
      import asyncio, ssl
      from aioapns import APNs, NotificationRequest, PushType

      async def main():
          client = APNs(key=open('key.p8').read(), key_id='A1B2C3D4E5', team_id='F6G7H8I9J0', topic='com.example.app',
                        use_sandbox=True, max_connections=1,
                        ssl_context=ssl.create_default_context(cafile='ca.pem'))
          client.pool.protocol_class.APNS_SERVER = '\(host)'
          client.pool.protocol_class.APNS_PORT = \(port)
          requests = [NotificationRequest(device_token='\(Self.token)', message={'aps': {'alert': str(n)}},
                                          push_type=PushType.ALERT) for n in range(20)]
          results = await asyncio.gather(*[client.send_notification(r) for r in requests])
          bad = await client.send_notification(NotificationRequest(device_token='zz', message={'aps': {'alert': 'x'}},
                                                                   push_type=PushType.ALERT))
          print(sum(r.is_successful for r in results), bad.status, bad.description)

      asyncio.run(main())
      """, to: "send.py")
    let (status, output) = try run([Self.python, "send.py"])
    #expect(status == 0 && output.contains("20 400 BadDeviceToken"), "\(output)")
    #expect(try record().count == 21)
  }

  private func split(_ place: String) -> (String, Int)? {
    let parts = place.split(separator: ":")
    return Int(parts[1]).map { (String(parts[0]), $0) }
  }

  @Test(.disabled(if: lacks("jwt"), "PyJWT is not installed"))
  func curlSendsWithATokenByPyJWT() throws {
    let standIn = try standIn()
    try tool.write(
      """
      import jwt, time
      print(jwt.encode({'iss': 'F6G7H8I9J0', 'iat': int(time.time())}, open('key.p8').read(), algorithm='ES256',
                       headers={'kid': 'A1B2C3D4E5'}))
      """, to: "make-token.py")
    let (made, token) = try run([Self.python, "make-token.py"])
    try #require(made == 0, "\(token)")
    let (status, output) = try run([
      "curl", "-sS", "--http2", "--cacert", "ca.pem", "-w", "%{http_code} %{http_version}", "-d",
      #"{"aps":{"alert":"Hello"}}"#, "-H", "apns-topic: com.example.app", "-H", "apns-push-type: alert", "-H",
      "authorization: bearer \(token.trimmingCharacters(in: .whitespacesAndNewlines))",
      standIn.url + "/3/device/" + Self.token,
    ])
    #expect(status == 0 && output == "200 2", "\(output)")
    #expect(try record().first?["topic"] as? String == "com.example.app")
  }
}
