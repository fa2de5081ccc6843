package import LinkspanCore

extension CheckReport {
  /// The report for a merge request of GitLab: the format of its code quality artifact.
  ///
  /// - Source: GitLab, "Code Quality": a JSON array; `fingerprint` tells whether a finding is the same as before, so it does
  ///   not change when lines move.
  package var gitLab: JSON {
    var counts: [String: Int] = [:]
    return .array(
      findings.map { finding in
        let identity = [finding.rule, finding.location.file, finding.message].joined(separator: "\n")
        counts[identity, default: 0] += 1
        let fingerprint = SHA256.hexDigest(of: Array("\(identity)\n\(counts[identity] ?? 0)".utf8))
        let severity =
          switch finding.severity {
          case .error: "critical"
          case .warning: "minor"
          case .note: "info"
          }
        return .object([
          ("description", .string(finding.message + (finding.help.map { " " + $0 } ?? ""))),
          ("check_name", .string(finding.rule)), ("fingerprint", .string(fingerprint)),
          ("severity", .string(severity)),
          (
            "location",
            .object([
              ("path", .string(finding.location.file)),
              ("lines", .object([("begin", .int(finding.location.start?.line ?? 1))])),
            ])
          ),
        ])
      })
  }
}
