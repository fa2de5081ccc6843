internal import AppSiteAssociation
internal import AssociationCheck
internal import LinkCoverage
internal import LinkLanguages

/// What an association file opens that an app's routes don't show, and the reverse.
public struct RouteReport: Hashable, Sendable {
  /// URLs that file and routes disagree about, by one of them.
  public struct Gap: Hashable, Sendable, CustomStringConvertible {
    /// One of the URLs.
    public let url: String
    /// The application identifier.
    public let application: String
    /// The route that is there for it, as it was given; nil when none is.
    public let route: String?
    /// The place of the rule that decides in `components` or `paths`, from 0; nil when none does.
    public let rule: Int?

    init(_ gap: RouteCoverage.Gap) {
      url = gap.url
      application = gap.app
      route = gap.route
      rule = gap.rule
    }

    /// `https://example.com/shop/1 (/shop/:id)`
    public var description: String { url + (route.map { " (\($0))" } ?? "") }
  }

  /// The file opens the app, which has no route.
  public let notShown: [Gap]
  /// A route is there, and the file does not open the app.
  public let notOpened: [Gap]
  /// What a bound on the work, or a regular expression, left open.
  public let undecided: [String]

  /// Whether the file opens exactly what the routes show, and that is certain.
  public var isExact: Bool { notShown.isEmpty && notOpened.isEmpty && undecided.isEmpty }

  init(_ coverage: RouteCoverage) {
    notShown = coverage.notShown.map(Gap.init)
    notOpened = coverage.notClaimed.map(Gap.init)
    undecided =
      coverage.undecided
      + (coverage.isDecided ? [] : ["the comparison of rules and routes took more work than it may"])
  }

  init(undecided: String) {
    notShown = []
    notOpened = []
    self.undecided = [undecided]
  }
}

/// Why a text is no route.
public struct RouteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, and what to write instead.
  public let description: String
}

extension AssociationFile {
  /// Compares the file with the routes of an app: paths such as `/shop/:id`, `/shop/:id(\\d+)` and `/help/*`.
  ///
  /// Templates of the library `Linkspan`, such as `/shop/{id:int}/{tab?}` and `/help/{path...}`, are read too, and routes of
  /// other routers: `/shop/<int:id>`, `/shop/[id]`, `/help/[...all]`. A route says nothing of queries: those of templates
  /// are left out.
  ///
  /// - Parameters:
  ///   - routes: Every path that the app shows.
  ///   - application: The application identifier.
  ///   - host: The host of the file; the URLs in the answer are its own.
  ///   - release: The release that reads the file.
  /// - Throws: For a text that is no route.
  public func compared(
    with routes: [String], of application: String, host: String = "example.com",
    on release: OSRelease = .newest
  ) throws(RouteError) -> RouteReport {
    var known: [Route] = []
    for route in routes {
      do throws(Route.Problem) {
        known += try Route.reading(route).routes
      } catch {
        throw RouteError(description: error.description)
      }
    }
    guard let file = source.content.file else {
      return RouteReport(undecided: "the file cannot be read; check() says why")
    }
    guard reading(on: release).applications.contains(application) else {
      return RouteReport(undecided: "the file does not name '\(application)', so it opens none of the routes")
    }
    return RouteReport(
      RouteCoverage(file, routes: known, host: host, apps: [application], os: release.version))
  }
}
