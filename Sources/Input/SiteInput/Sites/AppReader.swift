package import AppBundle
package import AppSiteAssociation
package import AssociatedDomains
package import LinkspanCore
internal import LinkspanFiles

/// Reads what an app claims from the files, or the identifier, that a person names with `--app`.
package struct AppReader {
  /// In the order of their files, then those that were named by identifier.
  package private(set) var apps: [AppClaims] = []
  /// What watch apps and extensions inside the apps claim, and whether they are parts of a watch app.
  package private(set) var embedded: [(claims: AppClaims, isOfWatchApp: Bool)] = []
  /// What keeps files that were named as a SITE from being read, and what is wrong with bundles.
  package private(set) var findings: [Finding] = []
  /// What `--team` and `--bundle-identifier` say.
  package let stated: StatedIdentity
  private var bundles: [BundleDocument] = []
  private var entitlements: [Entitlements] = []
  private var infoPlists: [InfoPlist] = []
  private var profiles: [(file: ProvisioningProfile, findings: [Finding])] = []
  private var expo: [ExpoConfiguration] = []
  private var identifiers: [ApplicationIdentifier] = []
  /// Association files, of which the refusal of half an identifier names those that it may be the end of.
  private let sites: [SourceText]

  /// - Parameters:
  ///   - apps: What `--app` takes: files about apps, or application identifiers.
  ///   - team: What `--team` says.
  ///   - bundleIdentifier: What `--bundle-identifier` says.
  ///   - sources: Files about apps that were named otherwise; a broken one is one of ``findings``.
  ///   - replacing: Bytes that stand for those of a file, by its path.
  ///   - sites: Association files, whose identifiers are named where half of one is refused.
  /// - Throws: What cannot be read, or that the identity is none or of too many apps.
  package init(
    _ apps: [String], team: String?, bundleIdentifier: String?, beside sources: [SourceText] = [],
    replacing: [String: [UInt8]] = [:], among sites: [SourceText] = []
  ) throws(LinkspanError) {
    self.sites = sites
    stated = try Self.stated(team, bundleIdentifier)
    take(sources)
    for text in apps { try read(text, replacing: replacing) }
    try combineOne()
  }

  /// The same, of texts alone; a broken one is one of ``findings``.
  init(texts sources: [SourceText]) {
    sites = []
    stated = StatedIdentity(prefix: nil, bundleIdentifier: nil)
    take(sources)
    combine()
  }

  private mutating func take(_ sources: [SourceText]) {
    for source in sources {
      do throws(PropertyListError) {
        add(try AppFile(source.bytes, name: source.name), source.bytes)
      } catch {
        findings.append(error.finding)
      }
    }
  }

  /// The same, of files alone.
  package init(files: [String], team: String?, bundleIdentifier: String?) throws(LinkspanError) {
    sites = []
    stated = try Self.stated(team, bundleIdentifier)
    for path in files { try readFile(path, replacing: [:]) }
    try combineOne()
  }

  private mutating func combineOne() throws(LinkspanError) {
    combine()
    if apps.count > 1, stated.bundleIdentifier != nil {
      throw .usage("'--bundle-identifier' names one app, but there are \(apps.count)")
    }
    for identifier in identifiers { try refuseContradiction(to: identifier) }
  }

  /// The files of one app; behind it, of a bundle, the clips that are in it.
  ///
  /// - Throws: What cannot be read.
  package static func claims(of paths: [String], stated: StatedIdentity) throws(LinkspanError) -> [AppClaims]
  {
    var reader = AppReader(stated: stated)
    for path in paths { try reader.readFile(path, replacing: [:]) }
    let hasBundle = !reader.bundles.isEmpty
    reader.combine()
    return hasBundle ? reader.apps : Array(reader.apps.prefix(1))
  }

  private init(stated: StatedIdentity) {
    self.stated = stated
    sites = []
  }

  /// The flag about an app's identity that has no app to be about.
  package var idleFlag: String? {
    guard apps.isEmpty, findings.isEmpty else { return nil }
    return stated.prefix != nil ? "--team" : stated.bundleIdentifier != nil ? "--bundle-identifier" : nil
  }

  private static func stated(
    _ team: String?, _ bundleIdentifier: String?
  ) throws(LinkspanError) -> StatedIdentity {
    let stated = StatedIdentity(prefix: team, bundleIdentifier: bundleIdentifier)
    let example = (prefix: "ABCDE12345", bundle: "com.example.app")
    do throws(ApplicationIdentifierProblem) {
      _ = try ApplicationIdentifier(
        prefix: stated.prefix ?? example.prefix, bundleIdentifier: stated.bundleIdentifier ?? example.bundle)
    } catch {
      throw LinkspanError(error.message, help: error.help)
    }
    return stated
  }

  private mutating func read(_ text: String, replacing: [String: [UInt8]]) throws(LinkspanError) {
    if text == "-" { throw LinkspanError("an app is not read from standard input.", help: "Name a file.") }
    guard try FileReader.kind(of: text) == .missing else { return try readFile(text, replacing: replacing) }
    do throws(ApplicationIdentifierProblem) {
      identifiers.append(try Self.identifier(text, prefix: stated.prefix))
    } catch {
      throw Self.noApp(text, error, in: sites.compactMap { AssociationContent($0.bytes).file })
    }
  }

  /// That a value of `--app` is neither a file nor an identifier.
  ///
  /// - Parameter files: Those that may name the app: their identifiers with this bundle identifier are told.
  package static func noApp(
    _ text: String, _ problem: ApplicationIdentifierProblem, in files: [AssociationFile]
  ) -> LinkspanError {
    if let error = LinkspanError.urlForFile(text) ?? .secretForFile(text) { return error }
    var meant: [String] = []
    for app in files.flatMap({ $0.applications(for: .applinks) })
    where text.isExactly(app.drop { $0 != "." }.dropFirst()) && !meant.contains(app) { meant.append(app) }
    let naming = files.count == 1 ? "The file names" : "The files name"
    return LinkspanError(
      "there is no file '\(text)', and it is not an application identifier.",
      help: meant.isEmpty
        ? problem.help : "\(problem.help) \(naming) \(meant.prefix(5).joined(separator: ", ")).")
  }

  /// Refuses an identifier of `--app` that is not the one that `--team` and `--bundle-identifier` state.
  package func refuseContradiction(to identifier: ApplicationIdentifier) throws(LinkspanError) {
    if let prefix = stated.prefix, prefix != identifier.prefix {
      throw .usage("'--team \(prefix)' and '--app \(identifier)' name different prefixes")
    }
    if let bundle = stated.bundleIdentifier, bundle != identifier.bundleIdentifier {
      throw .usage("'--bundle-identifier \(bundle)' and '--app \(identifier)' name different apps")
    }
  }

  /// A full identifier, or a bundle identifier behind a prefix that was stated.
  package static func identifier(_ text: String, prefix: String?) throws(ApplicationIdentifierProblem)
    -> ApplicationIdentifier
  {
    do throws(ApplicationIdentifierProblem) {
      return try ApplicationIdentifier(text)
    } catch {
      guard let prefix else { throw error }
      return try ApplicationIdentifier(prefix: prefix, bundleIdentifier: text)
    }
  }

  private mutating func readFile(_ path: String, replacing: [String: [UInt8]]) throws(LinkspanError) {
    switch try FileReader.kind(of: path) {
    case .file, .folder:
      if let bundle = try BundleInput(path).document(named: path) { return bundles.append(bundle) }
    case .special, .missing: break
    }
    let bytes = if let mended = replacing[path] { mended } else { try FileReader.bytes(path) }
    do throws(PropertyListError) {
      add(try AppFile(bytes, name: path), bytes)
    } catch {
      throw LinkspanError(error)
    }
  }

  private mutating func add(_ file: AppFile, _ bytes: [UInt8]) {
    switch file {
    case .entitlements(let file): entitlements.append(file)
    case .infoPlist(let file): infoPlists.append(file)
    case .profile(let file): profiles.append((file, BundleInput.findings(in: file, of: bytes)))
    case .expo(let file): expo.append(file)
    }
  }

  /// The first of one kind goes with the first of the others.
  private mutating func combine() {
    func at<File>(_ index: Int, of files: [File]) -> File? { index < files.count ? files[index] : nil }
    if !bundles.isEmpty { combineBundles() }
    findings += profiles.flatMap { $0.findings }
    apps += (0..<max(entitlements.count, infoPlists.count, profiles.count)).map { index in
      let profile = at(index, of: profiles)
      return AppClaims(
        entitlements: at(index, of: entitlements), infoPlist: at(index, of: infoPlists),
        profile: profile?.file, stated: stated, installFindings: profile?.findings ?? [])
    }
    apps += expo.map { AppClaims(expo: $0, stated: stated) }
    apps += identifiers.map { identifier in
      AppClaims(
        stated: StatedIdentity(prefix: identifier.prefix, bundleIdentifier: identifier.bundleIdentifier))
    }
    if apps.isEmpty, findings.isEmpty, stated.prefix != nil, stated.bundleIdentifier != nil {
      apps = [AppClaims(stated: stated)]
    }
  }

  /// Each app and clip as it is signed. Entitlements files beside bundles are what those were to be signed with.
  private mutating func combineBundles() {
    var sources = entitlements
    entitlements = []
    for document in bundles {
      var told: Set<Finding> = []
      for bundle in document.claimants {
        let place = sources.firstIndex { $0.isAppClip == bundle.isAppClip }
        guard let claims = bundle.claims(source: place.map { sources.remove(at: $0) }, stated: stated) else {
          continue
        }
        told.formUnion((claims.infoPlist?.findings ?? []) + (claims.entitlements?.findings ?? []))
        apps.append(claims)
      }
      for bundle in document.embeddedClaimants {
        let stated = StatedIdentity(prefix: stated.prefix)
        guard let claims = bundle.claims(source: nil, stated: stated) else { continue }
        told.formUnion(claims.entitlements?.findings ?? [])
        embedded.append((claims, bundle.isOfWatchApp))
      }
      findings += document.findings.filter { !told.contains($0) }
    }
  }
}
