import LinkspanCore

extension AssociatedDomain {
  /// What is allowed in this entry, and odd: each a warning or a note.
  package var remarks: [AssociatedDomainProblem] {
    let start = service.rawValue.utf8.count + 1 + (isWildcard ? 2 : 0)
    let range = start..<start + host.utf8.count
    let written = String(decoding: Array(text.utf8)[range], as: UTF8.self)
    var remarks: [AssociatedDomainProblem] = []
    if written != host {
      remarks.append(
        AssociatedDomainProblem(
          .upperCase, .note, at: range, source: "E1", "The host '\(written)' has upper-case letters.",
          help: "Hosts are compared without case, so it counts as '\(host)'."))
    }
    if let underscore = host.utf8.firstIndex(of: UInt8(ascii: "_")) {
      let place = start + host.utf8.distance(from: host.startIndex, to: underscore)
      remarks.append(
        AssociatedDomainProblem(
          .underscore, .warning, at: place..<place + 1, source: "E1",
          "The host '\(host)' holds an underscore.",
          help: "The domain name system allows it, host names (RFC 1123) do not, and public certificate "
            + "authorities name no such host; whether a device fetches its file is not known."))
    }
    if !host.utf8.contains(UInt8(ascii: ".")) {
      let message =
        isWildcard
        ? "'*.\(host)' would cover every host below '\(host)'." : "'\(host)' is not a fully qualified domain."
      remarks.append(
        AssociatedDomainProblem(
          .singleLabel, .warning, at: range, source: "E1", message,
          help: "The file would have to be at https://\(host)/.well-known/apple-app-site-association, where "
            + "Apple's CDN hardly finds one. Write the whole name, as in 'www.\(host).com'."))
    }
    return remarks
  }
}
