internal import AppSiteAssociation
internal import LinkspanCore

extension StatementRule {
  static let site = StatementRule(
    identifier: "assetlinks.\(StatementFault.Kind.site.rawValue)",
    summary: "A site consists of scheme, host and port only; the port is no default one.",
    severity: .error, source: "D5",
    bad: [
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":⟦"https://www.example.com/"⟧}}]"#,
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":⟦"www.example.com"⟧}}]"#,
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":⟦"https://www.example.com:443"⟧}}]"#,
    ],
    good: [
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"https://www.example.com:8443"}}]"#
    ]
  ) { file, report in
    for problem in file.list?.problems ?? [] where problem.fault.kind == .site {
      report.add(problem.range, problem.pointer, problem.fault.message, help: problem.fault.help)
    }
    for statement in file.list?.statements ?? [] {
      guard case .web(let site) = statement.target, let node = statement.node["target"]?["site"],
        let text = node.string, site.port == nil, let port = LinkURL(text).port, !port.isEmpty
      else { continue }
      report.add(
        node.range, statement.pointer.appending("target").appending("site"),
        "the site '\(text)' names the default port \(port)",
        help: "Google's format omits it. Write '\(site)'.", severity: .warning)
    }
  }
}
