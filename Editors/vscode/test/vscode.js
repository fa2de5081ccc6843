// As much of VS Code's interface as the extension uses, for tests in Node: what it registers is kept, what happens in the editor
// is played.
'use strict'

const path = require('node:path')

class Position {
  constructor(line, character) { Object.assign(this, { line, character }) }
}

class Range {
  constructor(startLine, startCharacter, endLine, endCharacter) {
    this.start = new Position(startLine, startCharacter)
    this.end = new Position(endLine, endCharacter)
  }
}

class Uri {
  constructor(text) { this.text = text }
  static parse(text) { return new Uri(text) }
  toString() { return this.text }
}

const holding = (...names) => class {
  constructor(...values) { names.forEach((name, index) => { this[name] = values[index] }) }
}

class WorkspaceEdit {
  constructor() { this.changes = new Map() }
  set(uri, edits) { this.changes.set(uri.toString(), edits) }
}

class Kind {
  constructor(value) { this.value = value }
  append(part) { return new Kind(this.value ? `${this.value}.${part}` : part) }
}

class Event {
  constructor() { this.listeners = new Set() }
  get on() {
    return (listener) => {
      this.listeners.add(listener)
      return { dispose: () => this.listeners.delete(listener) }
    }
  }
  fire(value) { for (const listener of this.listeners) listener(value) }
}

class EventEmitter extends Event {
  get event() { return this.on }
  dispose() { this.listeners.clear() }
}

/** An editor with some settings. */
function editor(values) {
  const events = { open: new Event(), close: new Event(), change: new Event(), save: new Event(), settings: new Event() }
  const providers = {}
  const diagnostics = new Map()
  const messages = []
  const commands = new Map()
  const waiting = []
  const documents = []
  const published = () => { for (const look of [...waiting]) look() }
  const keep = (name) => (selector, provider) => {
    providers[name] = provider
    return { dispose: () => { delete providers[name] } }
  }

  const vscode = {
    Position, Range, Uri, WorkspaceEdit, EventEmitter,
    Location: holding('uri', 'range'),
    Diagnostic: holding('range', 'message', 'severity'),
    DiagnosticRelatedInformation: holding('location', 'message'),
    TextEdit: holding('range', 'newText'),
    CodeAction: holding('title', 'kind'),
    CodeActionKind: { Empty: new Kind(''), QuickFix: new Kind('quickfix'), SourceFixAll: new Kind('source.fixAll') },
    CompletionItem: holding('label', 'kind'),
    CodeLens: holding('range', 'command'),
    Hover: holding('contents', 'range'),
    MarkdownString: holding('value'),
    languages: {
      createDiagnosticCollection: () => ({
        set: (uri, list) => { diagnostics.set(uri.toString(), list); published() },
        clear: () => diagnostics.clear(),
        dispose: () => diagnostics.clear(),
      }),
      match: (selector, document) => selector.some(({ language, pattern }) =>
        language === document.languageId || (pattern && matches(pattern, document.uri.text))) ? 10 : 0,
      registerHoverProvider: keep('hover'),
      registerDefinitionProvider: keep('definition'),
      registerCompletionItemProvider: keep('completion'),
      registerCodeLensProvider: keep('lens'),
      registerCodeActionsProvider: keep('action'),
    },
    workspace: {
      textDocuments: documents,
      getConfiguration: () => ({ get: (name, usual) => values[name] ?? usual }),
      onDidOpenTextDocument: events.open.on,
      onDidCloseTextDocument: events.close.on,
      onDidChangeTextDocument: events.change.on,
      onDidSaveTextDocument: events.save.on,
      onDidChangeConfiguration: events.settings.on,
    },
    window: { showErrorMessage: (text) => { messages.push(text); published() } },
    commands: {
      registerCommand: (name, run) => {
        commands.set(name, run)
        return { dispose: () => commands.delete(name) }
      },
      executeCommand: (name) => commands.get(name)?.(),
    },
  }

  /** What `look` gives as soon as it gives something. */
  const until = (look) => new Promise((resolve) => {
    const check = () => {
      const found = look()
      if (found === undefined) return
      waiting.splice(waiting.indexOf(check), 1)
      resolve(found)
    }
    waiting.push(check)
    check()
  })

  const open = (uri, languageId, text) => {
    const document = { uri: Uri.parse(uri), languageId, version: 1, text, getText() { return this.text } }
    documents.push(document)
    events.open.fire(document)
    return document
  }

  return { vscode, values, events, providers, diagnostics, messages, commands, until, open }
}

/** A glob with a double star before a name. */
function matches(pattern, uri) {
  const name = path.posix.basename(uri)
  const wanted = pattern.replace('**/', '')
  return wanted.startsWith('*') ? name.endsWith(wanted.slice(1)) : name === wanted
}

module.exports = { editor }
