internal import AppBundle
internal import Glibc
internal import LinkspanCommand
internal import LinkspanCore
internal import LinkspanFiles
internal import SiteInput
internal import SourceReview

/// The source files that a person named, and those in the folders. They are read twice, one after the other, so that only
/// those that belong together are in memory at once.
struct SourceFiles {
  private(set) var notChecked = ["types and calls that other files define: a review reads words, not types"]
  private var files: [(path: String, language: SourceLanguage, bytes: Int)] = []
  /// Why files and folders could not be reviewed; the others are all the same.
  private(set) var problems: [LinkspanError] = []
  private var seen: Set<String> = []
  /// What came from a pipe, which can be read only once; by place.
  private var piped: [Int: SourceText] = [:]
  private var index = ReviewIndex()
  private var large: [String] = []
  /// For looking at the files; the other half is for the review.
  private var work: WorkBudget
  private let workOfReview: Int
  /// The first file or folder that the work does not reach.
  private var firstLeftOut: String?
  /// The files that were looked at and not reviewed.
  private var notReviewed: Set<Int> = []

  /// Measured: looking for words and names, and a file's own share.
  private static let stepsOfByte = 3
  private static let stepsOfFile = 2_000
  /// Of a name in a folder, whatever it is.
  private static let stepsOfName = 200
  private static let depthLimit = 64
  /// Ours: names of large files that are told.
  private static let nameLimit = 20
  /// Ours: problems that are listed one by one.
  private static let listedProblems = 8
  /// Ours: how far to look for zero bytes, which text in UTF-8 has none of.
  private static let lookBytes = 512
  /// Code of others, and what builds make.
  private static let skippedFolders: Set<String> = [
    "Pods", "Carthage", "DerivedData", "node_modules", "build",
  ]

  /// - Parameter steps: The work for all files together; those that it does not reach are left out.
  /// - Throws: When a name leads nowhere or to what is no source, and when there is no source.
  init(_ paths: [String], steps: Int = WorkLimits.review) throws(LinkspanError) {
    work = WorkBudget(steps: steps / 2)
    workOfReview = steps - steps / 2
    for path in paths {
      switch try FileReader.kind(of: path) {
      case .missing:
        throw .urlForFile(path) ?? .secretForFile(path)
          ?? LinkspanError("there is no file '\(path)'.", help: "Name a source file or a folder.")
      case .folder: try walk(Self.trimmed(path), depth: 0)
      case .file where Self.isInfoPlist(path): lookAtInfoPlist(path)
      case let kind:
        guard let language = SourceLanguage(path: path) else {
          throw LinkspanError(
            "'\(path)' is not a source file that is reviewed.",
            help: "Expected .swift, .m or .mm, an Info.plist beside them, or a folder.")
        }
        look(path, language, isPipe: kind == .special)
      }
    }
    guard !files.isEmpty || !large.isEmpty || !problems.isEmpty || !isComplete else {
      throw LinkspanError(
        "there is no file of Swift or Objective-C in \(paths.map { "'\($0)'" }.joinedForReading).",
        help: "Name the folder that holds the app's sources.")
    }
    if !large.isEmpty {
      let more = large.count > Self.nameLimit ? " and \(large.count - Self.nameLimit) more" : ""
      notChecked.append(
        "files of more than \(SourceReview.fileLimitBytes) bytes, which no person writes: "
          + Array(large.prefix(Self.nameLimit)).joinedForReading + more)
    }
    notChecked += problems.prefix(Self.listedProblems).map(\.text)
    if problems.count > Self.listedProblems {
      notChecked.append("\(problems.count - Self.listedProblems) more files or folders like these")
    }
  }

  /// Those that were reviewed, or have nothing that a rule looks at.
  var names: [String] { files.indices.filter { !notReviewed.contains($0) }.map { files[$0].path } }

  /// Whether the work reached all files.
  var isComplete: Bool { isWalkComplete && notReviewed.isEmpty }

  private var isWalkComplete: Bool { firstLeftOut == nil }

  /// Reviews the files, group by group, the smallest ones first: files for which the work is not enough are left out, and all
  /// others are reviewed.
  mutating func findings() throws(LinkspanError) -> [Finding] {
    var findings: [Finding] = []
    var isCut = false
    var work = ReviewWork(steps: workOfReview + max(0, self.work.steps))
    let groups = index.groups().map { group in
      (group: group, bytes: group.files.reduce(0) { $0 + files[$1].bytes })
    }
    for (group, _) in groups.sorted(by: { ($0.bytes, $0.group.files[0]) < ($1.bytes, $1.group.files[0]) }) {
      var reviewed: [ReviewedFile] = []
      for file in group.files {
        guard work.isEnough(forBytes: files[file].bytes) else {
          notReviewed.insert(file)
          continue
        }
        let source: SourceText
        if let text = piped[file] {
          source = text
        } else {
          source = try FileReader.read(files[file].path)
        }
        // One that grew since it was looked at.
        guard source.bytes.count <= SourceReview.fileLimitBytes else { continue }
        let read = ReviewedFile(source, files[file].language)
        work.spend(on: read)
        reviewed.append(read)
      }
      findings += SourceReview(reviewed, of: index).findings
      isCut = isCut || group.isCut
    }
    if isCut {
      notChecked.append("parts of types that lie in too many files: they are reviewed without each other")
    }
    noteLeftOut()
    return findings.inReadingOrder()
  }

  /// Says which files the work was not enough for.
  private mutating func noteLeftOut() {
    var sentences: [String] = []
    if let first = notReviewed.min() {
      let count = notReviewed.count
      sentences.append(
        "\(count) \(count == 1 ? "file was" : "files were") not reviewed: one call does a limited amount of work. "
          + "The first that was left out is '\(files[first].path)'.")
    }
    if let firstLeftOut {
      sentences.append(
        "Not all files were read: one call does a limited amount of work. The first that was left out is "
          + "'\(firstLeftOut)'.")
    }
    for sentence in sentences {
      let problem = LinkspanError(sentence, help: "Review the app's folders one by one.")
      problems.append(problem)
      notChecked.append(problem.text)
    }
  }

  private static func trimmed(_ path: String) -> String {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    return path
  }

  /// Links are left out: nothing is read twice, and nothing outside of the folder.
  private mutating func walk(_ folder: String, depth: Int) throws(LinkspanError) {
    guard depth < Self.depthLimit else {
      throw LinkspanError(
        "'\(folder)' lies more than \(Self.depthLimit) folders deep.",
        help: "Name the folder with the sources.")
    }
    guard let names = attempt({ () throws(LinkspanError) in try FileReader.names(in: folder) }) else {
      return
    }
    for name in names {
      // As it would be written: a finding in "./App.swift" is shown beside no line of a pull request.
      let path = folder == "." ? name : folder == "/" ? "/" + name : folder + "/" + name
      guard isReached(path, steps: Self.stepsOfName) else { return }
      var status = stat()
      guard lstat(path, &status) == 0 else {
        if SourceLanguage(path: path) != nil, let error = FileReader.misnamed(path) { problems.append(error) }
        continue
      }
      switch status.st_mode & S_IFMT {
      case S_IFDIR where !name.hasPrefix(".") && !Self.skippedFolders.contains(name):
        try walk(path, depth: depth + 1)
      case S_IFREG where Self.isInfoPlist(name) && status.st_size <= SourceReview.fileLimitBytes:
        lookAtInfoPlist(path)
      case S_IFREG:
        guard let language = SourceLanguage(path: path) else { continue }
        if status.st_size > SourceReview.fileLimitBytes {
          large.append(path)
        } else {
          look(path, language)
        }
      default: break
      }
    }
  }

  /// What the work returns, or nil when it failed, which is one of ``problems`` then.
  private mutating func attempt<Answer>(_ work: () throws(LinkspanError) -> Answer) -> Answer? {
    do throws(LinkspanError) {
      return try work()
    } catch {
      problems.append(error)
      return nil
    }
  }

  private mutating func look(_ path: String, _ language: SourceLanguage, isPipe: Bool = false) {
    guard seen.insert(path).inserted, isReached(path, steps: Self.stepsOfFile) else { return }
    guard let source = attempt({ () throws(LinkspanError) in try FileReader.read(path) }) else { return }
    let bytes = source.bytes
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF])
      || bytes.prefix(Self.lookBytes).contains(0)
    {
      problems.append(
        LinkspanError("'\(path)' is not text in UTF-8.", help: "Save it as UTF-8; UTF-16 is not read."))
      return
    }
    guard bytes.count <= SourceReview.fileLimitBytes else {
      large.append(path)
      return
    }
    guard isReached(path, steps: Self.stepsOfByte * bytes.count) else { return }
    if isPipe { piped[files.count] = source }
    files.append((path, language, bytes.count))
    index.add(source)
  }

  /// Xcode's names: `Info.plist`, and `Shop-Info.plist` beside other targets.
  private static func isInfoPlist(_ path: String) -> Bool {
    let name = path.split(separator: "/").last ?? ""
    return name == "Info.plist" || name.hasSuffix("-Info.plist")
  }

  /// Whether the app has scenes; its sources do not always say it.
  private mutating func lookAtInfoPlist(_ path: String) {
    guard seen.insert(path).inserted, isReached(path, steps: Self.stepsOfFile),
      let source = attempt({ () throws(LinkspanError) in try FileReader.read(path) }),
      isReached(path, steps: Self.stepsOfByte * source.bytes.count)
    else { return }
    guard let plist = Self.infoPlist(source.bytes, path) else {
      notChecked.append("whether the app of '\(path)' has scenes: it is no property list that can be read")
      return
    }
    let keys = plist.document.root.dictionary ?? []
    // Settings of a library, such as `GoogleService-Info.plist`, are of no app.
    guard keys.contains(where: { key in ["CF", "UI", "NS", "LS"].contains(where: key.key.hasPrefix) }) else {
      return
    }
    index.addInfoPlist(
      at: path,
      scenes: plist.sceneDelegates.map {
        SceneManifest(classes: $0, hasConfigurations: plist.configuresScenes)
      })
  }

  /// An Info.plist. Xcode can run one through the preprocessor of C: its lines are left out then.
  private static func infoPlist(_ bytes: [UInt8], _ path: String) -> InfoPlist? {
    if let plist = try? InfoPlist(bytes, name: path) { return plist }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let kept = lines.filter { line in
      line.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) != UInt8(ascii: "#")
    }
    guard kept.count < lines.count else { return nil }
    return try? InfoPlist(Array(kept.joined(separator: [UInt8(ascii: "\n")])), name: path)
  }

  /// Charges what a file or folder costs; once it is too much, all that follows is left out.
  private mutating func isReached(_ path: String, steps: Int) -> Bool {
    guard isWalkComplete, work.spend(steps) else {
      if isWalkComplete { firstLeftOut = path }
      return false
    }
    return true
  }
}
