internal import AppSiteAssociation
internal import AssociationDelivery
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanSiteCommands
internal import SiteInput

extension DoctorRun {
  /// Ours: mails have one tracker, seldom two.
  private static let redirectLimit = 4

  /// Where a link leads that is none for apps: its host has no file, no app claims it, and it redirects to another host, as
  /// a newsletter's links do. nil for every other link.
  ///
  /// The link is asked by HEAD, so that nothing is confirmed or unsubscribed by asking.
  func redirection(of link: LinkURL, _ answer: HostAnswer?, isClaimed: Bool) throws(LinkspanError) -> LinkURL?
  {
    let hops = arguments.all("--through").count
    guard !isClaimed, hops < Self.redirectLimit, mayRedirect, let answer, answer.hasNoFile else { return nil }
    let target = "/" + link.text(of: link.path).drop { $0 == "/" }
    let query = link.query.isEmpty ? "" : "?" + link.text(of: link.query)
    let request = HTTPRequest(
      method: "HEAD", scheme: link.scheme, authority: link.host, target: target + query,
      fields: ["User-Agent": OriginQuestion.Client.browser.userAgent, "Accept": "*/*"])
    guard link.hasDefaultPort, case .answered(let response) = try HostSurvey.fetcher(arguments).send(request),
      (300..<400).contains(response.status), let location = response.fields["Location"]
    else { return nil }
    let next = LinkURL(location)
    guard ["http", "https"].contains(next.scheme), !next.host.isEmpty, next.host != link.host else {
      return nil
    }
    return next
  }

  /// Whether the link is somewhere from where a redirect is a chain of its own.
  private var mayRedirect: Bool {
    !arguments.has("--container")
      && ["messages", "mail", "notes", "other-app", nil].contains(arguments.value("--from"))
  }

  /// The answer for the link behind a redirect, about the link that was asked about.
  func answer(behind text: String, at next: LinkURL) throws(LinkspanError) -> DoctorAnswer {
    let run = through(arguments.all("--through") + [text])
    let answer = try run.answer(forLink: next.text)
    let hop =
      "\(text.withoutUserInformation) redirects to \(next.text.withoutUserInformation), and its own host has no file."
    var cause = answer.cause
    if cause?.cause == .redirectChain {
      cause?.evidence.insert(hop, at: 0)
    } else {
      cause?.evidence.append(hop)
    }
    return DoctorAnswer(
      target: text, question: answer.question, verdict: answer.verdict, outcome: answer.outcome, cause: cause,
      also: answer.also, notChecked: answer.notChecked)
  }
}

extension HostAnswer {
  /// Whether the host says itself that it has no file; one that redirects the file is at fault for that.
  fileprivate var hasNoFile: Bool { origin?.hasNoFile == true && published == nil && delivered == nil }
}
