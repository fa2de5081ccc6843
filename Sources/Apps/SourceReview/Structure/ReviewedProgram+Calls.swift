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
    let own = call.isOnSelf ? own(call.name) : []
    let candidates = own.isEmpty ? functions(named: call.name) : own
    var takers = candidates.compactMap { candidate -> (place: Place, parameter: String)? in
      let function = function(candidate)
      guard candidate != place, function.body != nil,
        let parameter = function.parameters.first(where: { $0.label == label })
      else { return nil }
      return (candidate, parameter.name)
    }
    if takers.isEmpty { takers = foreignTakers(of: call.name, label, from: file) }
    return takers.count == 1 ? takers[0] : nil
  }

  /// The same in the other language, of types that the calling file names: a name there may stand for several selectors.
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

extension ReviewedFile {
  /// The call that a token is an argument of.
  func call(around index: Int) -> (name: String, isOnSelf: Bool)? {
    var place = index - 1
    while place > 0, index - place < 200 {
      if let partner = tokens[place].partner {
        if partner > index {
          if tokens[place].isMark("[") { return message(at: place) }
          guard tokens[place].isMark("("), tokens[place - 1].kind == .word else { return nil }
          let isMember = place > 1 && tokens[place - 2].isMark(".")
          let isOnSelf = !isMember || place > 2 && tokens[place - 3].isWord("self")
          return (tokens[place - 1].text, isOnSelf)
        }
        place = min(partner, place)
      }
      if tokens[place].isMark(";") { return nil }
      place -= 1
    }
    return nil
  }

  /// A message of Objective-C: its receiver, and the first part of its selector.
  private func message(at bracket: Int) -> (name: String, isOnSelf: Bool)? {
    guard language == .objectiveC, bracket + 2 < tokens.count else { return nil }
    var place = (tokens[bracket + 1].partner.map { max($0, bracket + 1) } ?? bracket + 1) + 1
    while place + 1 < tokens.count, tokens[place].isMark(".") { place += 2 }
    guard place < tokens.count, tokens[place].kind == .word else { return nil }
    return (tokens[place].text, tokens[bracket + 1].isWord("self"))
  }
}
