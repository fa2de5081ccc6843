internal import Glibc
internal import LinkspanCore

/// What a folder is opened for, which decides where symbolic links in it may lead.
package enum LinkPolicy: Sendable {
  /// A person names it for one run of a command, and gets to see what is in it.
  case named
  /// A server reads it again and again, and publishes it. The link roots are the folders of `--link-root`.
  case serving(linkRoots: [String])
  /// A command writes into the folder of one host. The link roots are the folders of `--link-root`.
  case writing(linkRoots: [String])
}

/// Which symbolic links below a folder are followed.
///
/// One that stays in its own host's folder always is. One that leaves it is followed when every link on the way belongs to
/// a trusted user, and when it ends where ``Reach`` says.
struct LinkRule {
  enum Reach {
    case anywhere
    /// In one of these folders, at any depth.
    case below([OpenFolder])
    case nowhere
  }

  /// nil where everybody is.
  let trusted: Set<uid_t>?
  let reach: Reach
  /// The trusted users, in words.
  let operators: String

  /// Whether only a trusted user can have put this link here. One with several names (hard links) may have been made in
  /// another directory, and be named here by somebody else.
  func trusts(_ link: OpenEntry, in folder: OpenEntry) -> Bool {
    guard let trusted else { return true }
    guard trusted.contains(link.owner) else { return false }
    return link.nameCount == 1 || (trusted.contains(folder.owner) && folder.isWrittenByOwnerAlone)
  }

  /// Why a path may not go on over this link.
  ///
  /// - Parameter folder: The folder that it leaves; nil where the link is in the place of a host's folder.
  func refusal(of path: String, over link: FolderWalk.Link, outOf folder: String?) -> LinkspanError {
    let isItself = link.path == path
    let over = isItself ? "is a symbolic link" : "leads over the symbolic link '\(link.path)'"
    let out = folder.map { (isItself ? " that leads" : "") + " out of '\($0)'" } ?? ""
    let itself = "ut the file or directory itself in its place"
    if case .nowhere = reach {
      return LinkspanError(
        over + out + ", and only the host's own folder is written to", at: path,
        help: "Switch the link to the earlier release instead, or p\(itself).")
    }
    guard !link.isTrusted else {
      return LinkspanError(
        over + out + ", and into no folder of '--link-root'", at: path,
        help: "Name the folder it leads to with '--link-root' or in 'link_roots', or p\(itself).")
    }
    let whose = trusted?.contains(link.owner) == true ? " with several names" : " of user \(link.owner)"
    return LinkspanError(
      over + whose + out, at: path,
      help: "Only links of \(operators) may lead out of a host's folder. P\(itself).")
  }
}
