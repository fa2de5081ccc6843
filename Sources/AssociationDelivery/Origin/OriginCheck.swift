package import AppSiteAssociation
package import LinkspanCore

/// Everything a host answered about its association file, and what that means for apps (spec 14.3).
package struct OriginCheck: Sendable {
  package var host: String
  /// The answer at `.well-known` to the crawler of Apple's CDN.
  package var wellKnown: FetchResult
  /// The answer at the root, when it was asked.
  package var root: FetchResult?
  /// The answer at `.well-known` to a browser, when it was asked.
  package var wellKnownForBrowser: FetchResult?
  /// The answer at `.well-known` to a device that asks the host itself, when it was asked.
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

  /// Everything that is wrong at this host as far as answers tell, the file's first mistake included.
  package var findings: [Finding] { servingFindings + contentFindings }

  /// Who asked, where, and what came back, in the order of asking.
  package var answers: [(question: OriginQuestion, result: FetchResult)] {
    let all: [(OriginQuestion.Client, AssociationLocation, FetchResult?)] = [
      (.crawler, .wellKnown, wellKnown), (.device, .wellKnown, wellKnownForDevice),
      (.browser, .wellKnown, wellKnownForBrowser), (.crawler, .root, root),
    ]
    return all.compactMap { client, location, result in
      result.map { (OriginQuestion(host: host, location: location, client: client), $0) }
    }
  }

  /// The file as the host serves it to anybody: the one that counts first, a readable one before a broken one.
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

  /// Whether the host says outright that it has no file: not that it could not be asked.
  package var hasNoFile: Bool { wellKnown.isMissing && !carriesFile }

  /// Whether anybody at all was given a file that a device can use.
  package var carriesFile: Bool { answers.contains { $0.result.carriesFile } }

  /// Who is given the file where the crawler is not: a filter by user agent, as the address is the same.
  package var preferredToTheCrawler: OriginQuestion.Client? {
    guard !wellKnown.carriesFile else { return nil }
    if wellKnownForBrowser?.carriesFile == true { return .browser }
    return wellKnownForDevice?.carriesFile == true ? .device : nil
  }
}
