package import AppSiteAssociation
package import LinkspanCore

/// A host's responses to requests for its association file, and what they mean for apps (R1 to R8, T1 to T9).
package struct OriginCheck: Sendable {
  package var host: String
  /// The response at `.well-known` to the crawler of Apple's CDN.
  package var wellKnown: FetchResult
  /// The response at the root; nil when the root was not requested.
  package var root: FetchResult?
  /// The response at `.well-known` to a browser; nil when none was requested.
  package var wellKnownForBrowser: FetchResult?
  /// The response at `.well-known` to a device that fetches from the host; nil when none was requested.
  package var wellKnownForDevice: FetchResult?
  /// Whether every entry that apps have for this host carries a mode, so that the CDN plays no part.
  package var isForModesOnly: Bool

  package init(
    host: String, wellKnown: FetchResult, root: FetchResult? = nil, wellKnownForBrowser: FetchResult? = nil,
    wellKnownForDevice: FetchResult? = nil, isForModesOnly: Bool = false
  ) {
    self.host = host
    self.wellKnown = wellKnown
    self.root = root
    self.wellKnownForBrowser = wellKnownForBrowser
    self.wellKnownForDevice = wellKnownForDevice
    self.isForModesOnly = isForModesOnly
  }

  /// Every problem that the responses show, including the first error of the file.
  package var findings: [Finding] { servingFindings + contentFindings }

  /// Each request with its result, in the order of the requests.
  package var answers: [(question: OriginQuestion, result: FetchResult)] {
    let all: [(OriginQuestion.Client, AssociationLocation, FetchResult?)] = [
      (.crawler, .wellKnown, wellKnown), (.device, .wellKnown, wellKnownForDevice),
      (.browser, .wellKnown, wellKnownForBrowser), (.crawler, .root, root),
    ]
    return all.compactMap { client, location, result in
      result.map { (OriginQuestion(host: host, location: location, client: client), $0) }
    }
  }

  /// The file that the host serves, to whichever client: `.well-known` before the root, a valid file before a broken one.
  /// nil when there is none, or only a page or compressed bytes.
  package var served: (location: AssociationLocation, response: HTTPResponse)? {
    let files = answers.compactMap { question, result -> (AssociationLocation, HTTPResponse)? in
      guard case .answered(let response) = result, response.status == 200, !response.isPage,
        response.contentCoding == nil
      else { return nil }
      return (question.location, response)
    }
    return files.first { FetchResult.answered($0.1).carriesFile } ?? files.first
  }

  /// Whether the host answered that it has no file, as opposed to being unreachable.
  package var hasNoFile: Bool { wellKnown.isMissing && !carriesFile }

  /// Whether a device that asks the host itself is told something: a file, or by its status (R1) or a page (R8) that it gets
  /// none. Compressed bytes tell nothing (R6).
  package var answersDevices: Bool {
    if served != nil || hasNoFile { return true }
    guard case .answered(let response) = wellKnownForDevice ?? wellKnown else { return false }
    return response.status != 200 || response.isPage && response.contentCoding == nil
  }

  /// Whether at least one client received a file that a device can use.
  package var carriesFile: Bool { answers.contains { $0.result.carriesFile } }

  /// The client that receives the file when the crawler does not: the host filters by user agent, as the address is the same.
  package var preferredToTheCrawler: OriginQuestion.Client? {
    guard !wellKnown.carriesFile else { return nil }
    if wellKnownForBrowser?.carriesFile == true { return .browser }
    return wellKnownForDevice?.carriesFile == true ? .device : nil
  }
}
