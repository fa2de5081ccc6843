extension Router {
  /// Tries for each route that reading and writing undo each other, with values of the types that its closures ask for.
  ///
  /// For a test: the router tries a few values when it is built, and this tries all that may go wrong rarely. The values are
  /// the same each time.
  ///
  /// - Parameter samples: Values of each route.
  /// - Throws: ``RouterError`` with every route that is wrong, and the first value that shows it.
  public func prove(samples: Int = 1000) throws(RouterError) {
    let problems = proofProblems(samples: max(1, samples), isWhole: true)
    guard problems.isEmpty else { throw RouterError(problems: problems) }
  }

  func proofProblems(samples: Int, isWhole: Bool) -> [RouterError.Problem] {
    let served = Set(table.sources.map(\.kind))
    return routes.indices.compactMap { index in
      RouteProof(router: self, index: index, served: served).problem(samples: samples, isWhole: isWhole)
    }
  }
}

/// One route under test.
private struct RouteProof<Destination: Sendable> {
  let router: Router<Destination>
  let index: Int
  let served: Set<LinkSource.Kind>

  /// Our choice: values that the route's closure may refuse, for each that it takes.
  private static var attemptsPerSample: Int { 4 }

  private var route: Route<Destination> { router.routes[index] }

  private func problem(_ reason: String, with others: [String] = []) -> RouterError.Problem {
    RouterError.Problem(
      kind: .notInverse, routes: [route.name] + others,
      description: "Route '\(route.name)' (\(route.template)): \(reason)")
  }

  func problem(samples: Int, isWhole: Bool) -> RouterError.Problem? {
    guard let read = route.read else { return nil }
    let rows = router.table.written[index]
    var taken = 0
    var refusal = ""
    for attempt in 0..<(isWhole ? samples * Self.attemptsPerSample : samples) where taken < samples {
      let row = router.table.rows[rows[attempt % rows.count]]
      let seed = UInt64(index) << 32 | UInt64(attempt)
      let probe = RouteProbe(row, seed: seed, isExample: attempt < rows.count)
      var parameters = RouteParameters(names: row.names, url: "")
      parameters.probe = probe
      do {
        let destination = try read(parameters)
        taken += 1
        if let found = problem(of: destination, probe, row, isFirst: isWhole || taken == 1) { return found }
      } catch let failure as RouteParameters.Failure where !row.names.contains(failure.name) {
        return problem("its closure 'read' fails: \(failure.description).")
      } catch {
        // Its own type allows fewer values than the template, and this is none of them.
        refusal = "\(error)"
      }
    }
    guard isWhole, taken == 0 else { return nil }
    return problem(
      "its closure 'read' took none of \(samples) values that fit the template, and said of the last: \(refusal). Make the "
        + "type CaseIterable, or give it 'routeSamples', so that the route can be proven.")
  }

  private func problem(
    of destination: Destination, _ probe: RouteProbe, _ row: RouteTable.Row, isFirst: Bool
  ) -> RouterError.Problem? {
    let expected = Dictionary(row.names.map { ($0, probe.expected($0)) }) { first, _ in first }
    let example = (try? router.table.text(row, expected)) ?? row.pattern.text
    guard let values = route.write(destination) else {
      return problem("'write' returns nil for what 'read' makes of \(example).")
    }
    if let foreign = values.keys.sorted().first(where: { !row.names.contains($0) }) {
      return problem("'write' gives '\(foreign)', which is no parameter of the template.")
    }
    let texts = router.texts(values)
    for name in row.names {
      let (wanted, got) = (expected[name] ?? nil, texts[name] ?? nil)
      guard wanted != got else { continue }
      return problem(
        "for \(example) 'read' and 'write' turn \(name) = \(wanted.map { "'\($0)'" } ?? "nothing") into "
          + "\(got.map { "'\($0)'" } ?? "nothing").")
    }
    if let found = problemOfText(texts) { return found }
    return isFirst ? rival(of: destination) : nil
  }

  /// Writes the values as a URL and reads that.
  private func problemOfText(_ texts: [String: String?]) -> RouterError.Problem? {
    let row = router.table.rows[router.table.row(ofRoute: index, for: texts)]
    let text: String
    do throws(PrintingError) {
      text = try router.table.text(row, texts)
    } catch {
      return problem("what it reads cannot be written: \(error.description)")
    }
    let parameters = router.table.parameters(ofExample: text, row)
    for name in row.names where parameters[name] != texts[name] ?? nil {
      return problem(
        "its own link \(text) reads as \(name) = \(parameters[name].map { "'\($0)'" } ?? "nothing").")
    }
    return nil
  }

  /// Another route that writes the same place: which link it has would depend on the order alone.
  private func rival(of destination: Destination) -> RouterError.Problem? {
    for (other, rival) in router.routes.enumerated() where other != index && rival.read != nil {
      let shared = route.sources.intersection(rival.sources).intersection(served)
      guard !shared.isEmpty, rival.write(destination) != nil else { continue }
      return problem(
        "'\(rival.name)' (\(rival.template)) writes its place \(destination) too. Let one of the two return nil, or make its "
          + "template one of the 'aliases:' of the other, which are only read.", with: [rival.name])
    }
    return nil
  }
}

extension Router {
  /// What the closures do not read although the templates, and so the rules of an association file, take it.
  func readingDifferences(for kind: LinkSource.Kind) -> [AssociationComponents.Difference] {
    let hosts = table.sources.flatMap { source -> [String] in
      switch source {
      case .universalLinks(let hosts), .appClip(let hosts): source.kind == kind ? hosts : []
      case .customScheme, .handoff: []
      }
    }
    guard let host = hosts.first.map({ $0.hasPrefix("*") ? "www" + $0.dropFirst() : $0 }) else { return [] }
    return table.rows.indices.compactMap { index in
      let row = table.rows[index]
      guard row.sources.contains(kind), let read = readers[index], !row.names.isEmpty else { return nil }
      var chance = ProofChance(seed: UInt64(index))
      for number in 0..<Self.readingSamples {
        let text = row.pattern.text(withRest: number % 2 == 1) { TextSampler($0).written(number, &chance) }
        // What an earlier route has is not this one's to read.
        guard case .route(index, _) = table.decide("https://\(host)\(text)", from: kind) else { continue }
        do {
          _ = try read(table.parameters(ofExample: text, row))
        } catch {
          return AssociationComponents.Difference(
            route: row.name, alsoCatches: text,
            description:
              "Route '\(row.name)' (\(row.pattern.text)): its 'read' does not take \(text), which the template and "
              + "the rules do: \(error). Say in the template what it takes, such as {name:int} or {name:~one|two}."
          )
        }
      }
      return nil
    }
  }

  /// Our choice: texts of each route's template.
  private static var readingSamples: Int { 40 }
}

extension RoutePattern {
  /// A path, query and fragment with what the pattern requires.
  ///
  /// - Parameter value: A parameter's value, as the URL carries it.
  fileprivate func text(withRest: Bool, _ value: (Parameter) -> String) -> String {
    func condition(_ condition: Condition) -> String? {
      switch condition {
      case .literal(let text): text
      case .parameter(let parameter): parameter.isOptional ? nil : value(parameter)
      }
    }
    var text = ""
    for segment in segments {
      switch segment {
      case .literal(let literal): text += "/" + literal
      case .parameters(let parameters):
        text += "/" + parameters.map { $0.prefix + value($0) + $0.suffix }.joined()
      }
    }
    if rest != .none, withRest { text += "/a" }
    if text.isEmpty { text = "/" }
    let items = query.compactMap { item in condition(item.condition).map { item.name + "=" + $0 } }
    if !items.isEmpty { text += "?" + items.joined(separator: "&") }
    if let value = fragment.flatMap(condition) { text += "#" + value }
    return text
  }
}
