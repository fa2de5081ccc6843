import DeviceRegistry
import LinkspanCore
import LinkspanServer
import RegistryServer
import TestSupport
import Testing

@testable import PushSending

/// A server without a key tells what waits: else nobody would know that no server of a registry sends.
@Suite struct PushBacklogTests {
  @Test func whatWaitsIsCountedWithoutASender() throws {
    let folder = try ScratchFolder()
    let registry = try Registry(.sqlite(path: folder.path("registry.db")))
    defer { registry.stop() }
    let time = WallTime("2026-09-14T08:00:00Z")!
    let api = RegistryAPI(registry, now: { time })
    let tokens = (1...3).map { "\"" + String(repeating: "0\($0)", count: 32) + "\"" }.joined(separator: ",")
    var request = HTTPRequest(
      method: "POST", authority: "test", target: "/v1/notifications",
      body: Array(
        #"{"tokens":[\#(tokens)],"topic":"com.example.app","environment":"sandbox","payload":{"aps":{"alert":"Hi"}}}"#
          .utf8))
    request.fields["Content-Type"] = "application/json"
    let answers = WorkQueue<HTTPResponse>(limit: 1)
    api.answer(request, as: "test") { response in _ = answers.add(response) }
    #expect(answers.take(1)?.first?.status == 202)

    let backlog = PushBacklog(registry)
    func page() -> String {
      var page = MetricsPage()
      backlog.write(to: &page)
      return String(decoding: page.bytes, as: UTF8.self)
    }
    #expect(page().contains("linkspan_push_lag_seconds 0\n") && !page().contains("linkspan_push_backlog"))
    let looks = WorkQueue<Bool>(limit: 1)
    backlog.look(at: time.advanced(by: .seconds(90))) { _ = looks.add(true) }
    #expect(looks.take(1) == [true])
    let text = page()
    #expect(
      text.contains("linkspan_push_backlog{environment=\"sandbox\",lane=\"transactional\"} 3\n"), "\(text)")
    #expect(
      text.contains("linkspan_push_backlog{environment=\"production\",lane=\"transactional\"} 0\n"), "\(text)"
    )
    #expect(text.contains("linkspan_push_lag_seconds 90\n"), "\(text)")
  }
}
