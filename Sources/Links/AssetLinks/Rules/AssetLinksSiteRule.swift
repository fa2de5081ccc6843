internal import LinkspanCore

extension StatementRule {
  static let site = StatementRule(
    .site, summary: "A site consists of scheme, host and port only.",
    source: "D5",
    bad: [
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":⟦"https://www.example.com/"⟧}}]"#,
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":⟦"www.example.com"⟧}}]"#,
    ],
    good: [
      #"[{"relation":["delegate_permission/common.get_login_creds"],"target":{"namespace":"web","site":"https://www.example.com:8443"}}]"#
    ])
}
