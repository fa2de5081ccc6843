internal import LinkspanCore

/// Calls that are followed from one function to another, also into another type and another file.
extension ReviewedProgram {
  /// Ours: the words between the name of a call and one of its arguments.
  private static let argumentLimit = 200

  /// The function that gets a value as an argument, and the name that the value has there; nil where it is not among the
  /// files, or several have its name and labels.
  ///
  /// - Parameter index: The token of the value, in the function's file.
  func taker(of index: Int, in place: Place) -> (place: Place, parameter: String)? {
    taker(of: index, in: files[place.file], besides: place) { functions(named: $0, besides: place) }
  }

  /// The same of a value outside of functions, as in the body of a view.
  func taker(of index: Int, in file: Int) -> (place: Place, parameter: String)? {
    let type = files[file].types.last { $0.body.contains(index) }?.name
    return taker(of: index, in: files[file], besides: nil) { name in
      type.map { functions(of: $0, in: file).filter { function($0).name == name } } ?? []
    }
  }

  /// - Parameter own: The functions of a name that the object itself has.
  private func taker(
    of index: Int, in file: ReviewedFile, besides place: Place?, own: (String) -> [Place]
  ) -> (place: Place, parameter: String)? {
    guard index > 1, index + 1 < file.tokens.count,
      [",", ")", "]"].contains(file.tokens[index + 1].text)
        || file.language == .objectiveC && file.tokens[index + 1].kind == .word
    else { return nil }
    guard let call = file.call(around: index) else { return nil }
    let label = file.tokens[index - 1].isMark(":") ? file.tokens[index - 2].text : "_"
    let own = call.receiver == .itself ? own(call.name) : []
    let candidates = own.isEmpty ? functions(named: call.name) : own
    var takers = candidates.compactMap { candidate -> (place: Place, parameter: String)? in
      let function = function(candidate)
      guard candidate != place, function.body != nil,
        let parameter = function.parameters.first(where: { $0.label == label })
      else { return nil }
      return (candidate, parameter.name)
    }
    if own.isEmpty { takers = reachable(takers, by: call.receiver, at: index, in: file) }
    if takers.isEmpty {
      let foreign = foreignTakers(of: call.name, label, from: file)
      takers = reachable(foreign, by: call.receiver, at: index, in: file)
    }
    return takers.count == 1 ? takers[0] : nil
  }

  /// Ours: the functions of a name and a label whose types are compared.
  private static let candidateLimit = 256

  /// Those that a call may mean, by the type of what it is made on: a name alone says nothing of a router that comes from
  /// elsewhere.
  private func reachable(
    _ takers: [(place: Place, parameter: String)], by receiver: Receiver, at index: Int, in file: ReviewedFile
  ) -> [(place: Place, parameter: String)] {
    guard !takers.isEmpty, takers.count <= Self.candidateLimit else { return [] }
    switch receiver {
    case .itself:
      let isReachable = reachesWithoutReceiver(from: index, in: file)
      return takers.filter { isReachable($0.place) }
    case .named(let names):
      guard let type = type(of: names, at: index, in: file) else { return [] }
      let isOf = isMember(of: [type], from: file)
      return takers.filter { isOf($0.place) }
    }
  }

  /// Whether functions are called without a receiver at a token: they belong to no type, to one around it, or to one that is
  /// related to it. What a class of Objective-C inherits from is not among its tokens.
  func reachesWithoutReceiver(from index: Int, in file: ReviewedFile) -> (Place) -> Bool {
    guard file.language == .swift else { return { _ in true } }
    let isOf = isMember(of: file.types.filter { $0.body.contains(index) }.map(\.name), from: file)
    return { function($0).type == nil || isOf($0) }
  }

  /// Whether functions belong to one of some types, to what these inherit from or conform to, or to what inherits from them.
  /// A type that several files declare is another one in each.
  private func isMember(of types: [String], from file: ReviewedFile) -> (Place) -> Bool {
    let related = types.reduce(into: Set<String>()) { $0.formUnion(ancestors(of: $1)) }
    return { place in
      guard let other = typeName(of: place) else { return false }
      if types.contains(other) {
        return !isDeclaredTwice(other) || files[place.file].source.name == file.source.name
      }
      return related.contains(other) || !ancestors(of: other).isDisjoint(with: types)
    }
  }

  private func typeName(of place: Place) -> String? {
    function(place).type.map { files[place.file].types[$0].name }
  }

  /// The type of a receiver: `router`, `self.router`, `Router()`, `Router.shared`; nil where no declaration among the files
  /// says it.
  private func type(of names: [String], at index: Int, in file: ReviewedFile) -> String? {
    guard let first = names.first, names.count <= 2 else { return nil }
    if isDeclared(first) {
      return names.count == 1 || VariableTypes.instances.contains(names[1]) ? first : nil
    }
    guard names.count == 1 else { return nil }
    if file.variableTypes.knows(first) { return file.variableTypes.type(of: first) }
    // A property may be declared in another part of the type.
    guard let around = file.types.last(where: { $0.body.contains(index) })?.name else { return nil }
    let types = Set(homes(of: around).compactMap { files[$0].variableTypes.type(of: first) })
    return types.count == 1 ? types.first : nil
  }

  /// The functions of the other language that get the value, of types that the calling file names: a name may stand for
  /// several selectors there.
  private func foreignTakers(
    of name: String, _ label: String, from file: ReviewedFile
  ) -> [(place: Place, parameter: String)] {
    foreignFunctions(named: name, from: file.language).compactMap { candidate in
      let (home, function) = (files[candidate.file], function(candidate))
      guard let type = function.type.map({ home.types[$0].name }), file.mentions(file.tokens.indices, type)
      else { return nil }
      let isFirst = function.foreignSpellings(from: home.language).contains {
        $0.name == name && $0.label == label
      }
      let parameter =
        isFirst ? function.parameters.first : function.parameters.dropFirst().first { $0.label == label }
      return parameter.map { (candidate, $0.name) }
    }
  }
}

/// What a call is made on.
enum Receiver: Equatable {
  /// The object itself, or nothing.
  case itself
  /// The names before the call, without a `self` at their beginning; none for what has no name, such as an element of a list.
  case named([String])

  init(_ names: [String]) {
    let rest = names.first == "self" || names.first == "Self" ? names.dropFirst() : names[...]
    let isItself = !names.isEmpty && (rest.isEmpty || names == ["super"])
    self = isItself ? .itself : .named(Array(rest))
  }
}

extension ReviewedFile {
  /// The call that a token is an argument of.
  func call(around index: Int) -> (name: String, receiver: Receiver)? {
    var place = index - 1
    while place > 0, index - place < 200 {
      if let partner = tokens[place].partner {
        if partner > index {
          if tokens[place].isMark("[") { return message(at: place) }
          guard tokens[place].isMark("("), tokens[place - 1].kind == .word else { return nil }
          let isMember = place > 1 && tokens[place - 2].isMark(".")
          return (tokens[place - 1].text, isMember ? receiver(before: place - 2) : .itself)
        }
        place = min(partner, place)
      }
      if tokens[place].isMark(";") { return nil }
      place -= 1
    }
    return nil
  }

  /// What is before the dot of a call: `shop?.router`, `Router.shared`, `Router()`.
  private func receiver(before dot: Int) -> Receiver {
    var names: [String] = []
    var place = dot - 1
    while place >= 0 {
      while place > 0, tokens[place].isMark("?") || tokens[place].isMark("!") { place -= 1 }
      // The brackets of `Router()`.
      if tokens[place].isMark(")"), let start = tokens[place].partner, start < place { place = start - 1 }
      guard place >= 0, tokens[place].kind == .word else { return .named([]) }
      names.insert(tokens[place].text, at: 0)
      guard place > 1, tokens[place - 1].isMark(".") else { return Receiver(names) }
      place -= 2
    }
    return .named([])
  }

  /// A message of Objective-C: its receiver, and the first part of its selector.
  private func message(at bracket: Int) -> (name: String, receiver: Receiver)? {
    guard language == .objectiveC, bracket + 2 < tokens.count else { return nil }
    let first = bracket + 1
    // `[[Router shared] open:url]`
    let inner = tokens[first].partner.flatMap { $0 > first ? first + 1..<$0 : nil }
    var names = (inner ?? first..<first + 1).map { tokens[$0] }
    var place = (inner?.upperBound ?? first) + 1
    while place + 1 < tokens.count, tokens[place].isMark(".") {
      names.append(tokens[place + 1])
      place += 2
    }
    guard place < tokens.count, tokens[place].kind == .word else { return nil }
    let isNamed = names.allSatisfy { $0.kind == .word }
    return (tokens[place].text, isNamed ? Receiver(names.map(\.text)) : .named([]))
  }
}
