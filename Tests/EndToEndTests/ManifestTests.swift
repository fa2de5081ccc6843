import Foundation
import ServiceConfiguration
import TestSupport
import Testing

/// The files for Compose and Kubernetes, checked without either.
@Suite struct ManifestTests {
  @Test func namesAgreeAndConfigurationsAreRead() throws {
    let tool = try Tool()
    let script = Fixtures.root.appending(path: "Scripts/check-manifests").path
    let outcome = try tool.program(script, [tool.folder.path])
    guard outcome.status != 2 else {
      print("skipped: \(outcome.output)")
      return
    }
    #expect(outcome.status == 0, "\(outcome.output)")
    let shapes = try tool.program(
      "/usr/bin/env", ["python3", Fixtures.root.appending(path: "Scripts/manifest_shapes.py").path])
    #expect(shapes.output == "the shapes refuse what they should\n", "\(shapes.output)")
    for name in ["kubernetes.json5", "compose.json5"] {
      let file = try ConfigurationFile(tool.folder.appending(path: name).path)
      #expect(file.findings.isEmpty)
    }
  }
}
