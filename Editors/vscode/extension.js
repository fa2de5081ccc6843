// Starts `linkspan lsp` and hands its answers to VS Code. What is wrong, what a place takes and what a rule does is decided there.
'use strict'

const vscode = require('vscode')
const { Client } = require('./client.js')

const CANCELLED = -32800
const LANGUAGES = ['linkspan', 'linkspan-entitlements', 'linkspan-story', 'linkspan-fleet', 'linkspan-configuration']
// Also where another extension has taken the name of the file.
const NAMES = [
  '**/apple-app-site-association', '**/apple-app-site-association.json', '**/assetlinks.json', '**/*.entitlements',
  '**/*.xcent', '**/story.json5', '**/*.story.json5', '**/fleet.json5', '**/*.fleet.json5', '**/linkspan.json5',
]
const SELECTOR = [...LANGUAGES.map((language) => ({ language })), ...NAMES.map((pattern) => ({ pattern }))]

let running = null

function settings() {
  const configuration = vscode.workspace.getConfiguration('linkspan')
  return {
    path: configuration.get('path', 'linkspan'), sampleUrls: configuration.get('sampleUrls', []),
    releases: configuration.get('releases', ''),
  }
}

function isOurs(document) { return vscode.languages.match(SELECTOR, document) > 0 }

const range = (given) =>
  new vscode.Range(given.start.line, given.start.character, given.end.line, given.end.character)
const place = (position) => ({ line: position.line, character: position.character })
const span = (given) => ({ start: place(given.start), end: place(given.end) })
const identifier = (document) => ({ uri: document.uri.toString() })

function diagnostic(given) {
  // The protocol's severities begin at 1, the editor's at 0.
  const result = new vscode.Diagnostic(range(given.range), given.message, (given.severity ?? 1) - 1)
  result.code = given.code
  result.source = given.source
  result.tags = given.tags
  result.relatedInformation = (given.relatedInformation ?? []).map((item) =>
    new vscode.DiagnosticRelatedInformation(
      new vscode.Location(vscode.Uri.parse(item.location.uri), range(item.location.range)), item.message))
  return result
}

function workspaceEdit(given) {
  const edit = new vscode.WorkspaceEdit()
  for (const [uri, changes] of Object.entries(given?.changes ?? {})) {
    edit.set(vscode.Uri.parse(uri), changes.map((change) => new vscode.TextEdit(range(change.range), change.newText)))
  }
  return edit
}

function codeAction(given) {
  const action = new vscode.CodeAction(given.title, vscode.CodeActionKind.Empty.append(given.kind))
  action.isPreferred = given.isPreferred
  if (given.diagnostics) action.diagnostics = given.diagnostics.map(diagnostic)
  if (given.edit) action.edit = workspaceEdit(given.edit)
  action.given = given
  return action
}

function completionItem(given) {
  // The same shift as with severities.
  const item = new vscode.CompletionItem(given.label, given.kind - 1)
  item.insertText = given.textEdit.newText
  item.range = range(given.textEdit.range)
  item.sortText = given.sortText
  item.filterText = given.filterText
  item.documentation = given.documentation?.value
  return item
}

/** A server and everything that is registered for it. */
class Running {
  constructor() {
    this.disposables = []
    this.diagnostics = vscode.languages.createDiagnosticCollection('linkspan')
    this.disposables.push(this.diagnostics)
    this.open = new Set()
    this.lenses = new vscode.EventEmitter()
    this.disposables.push(this.lenses)
    const { path, sampleUrls, releases } = settings()
    this.client = new Client(path, {
      onNotification: (method, params) => this.#hear(method, params),
      onEnd: (reason) => { if (reason) this.#tell(reason) },
    })
    this.ready = this.client.initialize({ sampleUrls, releases }).then(() => this.#register())
    this.ready.catch(() => {})
  }

  #tell(reason) {
    this.diagnostics.clear()
    vscode.window.showErrorMessage(
      `Linkspan: ${reason.replace(/\.?$/, '.')} Install the program (Documentation/getting-it.md), or set 'linkspan.path'.`)
  }

  #hear(method, params) {
    if (method === 'textDocument/publishDiagnostics') {
      this.diagnostics.set(vscode.Uri.parse(params.uri), params.diagnostics.map(diagnostic))
    } else if (method === 'window/logMessage') {
      console.warn(`linkspan: ${params.message}`)
    }
  }

  async #ask(method, params, token) {
    try {
      return await this.client.request(method, params, token)
    } catch (error) {
      if (error.code === CANCELLED || token?.isCancellationRequested) return null
      throw error
    }
  }

  #at(method, read) {
    return async (document, position, token) => {
      const result = await this.#ask(method, { textDocument: identifier(document), position: place(position) }, token)
      return result ? read(result) : null
    }
  }

  #register() {
    const { languages, workspace } = vscode
    this.disposables.push(
      workspace.onDidOpenTextDocument((document) => this.#opened(document)),
      workspace.onDidCloseTextDocument((document) => this.#closed(document)),
      workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      workspace.onDidSaveTextDocument((document) => {
        if (this.open.has(document.uri.toString())) {
          this.client.notify('textDocument/didSave', { textDocument: identifier(document) })
        }
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('linkspan.sampleUrls')) {
          this.client.notify('workspace/didChangeConfiguration', { settings: { sampleUrls: settings().sampleUrls } })
          this.lenses.fire()
        }
        if (event.affectsConfiguration('linkspan.releases')) {
          this.client.notify('workspace/didChangeConfiguration', { settings: { releases: settings().releases } })
        }
      }),
      languages.registerHoverProvider(SELECTOR, {
        provideHover: this.#at('textDocument/hover', (result) =>
          new vscode.Hover(new vscode.MarkdownString(result.contents.value), range(result.range))),
      }),
      languages.registerDefinitionProvider(SELECTOR, {
        provideDefinition: this.#at('textDocument/definition', (result) =>
          result.map((item) => new vscode.Location(vscode.Uri.parse(item.uri), range(item.range)))),
      }),
      languages.registerCompletionItemProvider(SELECTOR, {
        provideCompletionItems: this.#at('textDocument/completion', (result) => result.items.map(completionItem)),
      }, '"', '(', ':', '?'),
      languages.registerCodeLensProvider(SELECTOR, {
        onDidChangeCodeLenses: this.lenses.event,
        provideCodeLenses: async (document, token) => {
          const result = await this.#ask('textDocument/codeLens', { textDocument: identifier(document) }, token)
          return (result ?? []).map((item) => new vscode.CodeLens(range(item.range), item.command))
        },
      }),
      languages.registerCodeActionsProvider(SELECTOR, {
        provideCodeActions: async (document, where, context, token) => {
          const only = context.only ? [context.only.value] : undefined
          const result = await this.#ask('textDocument/codeAction', {
            textDocument: identifier(document), range: span(where), context: { diagnostics: [], only },
          }, token)
          return (result ?? []).map(codeAction)
        },
        resolveCodeAction: async (action, token) => {
          if (action.edit) return action
          const result = await this.#ask('codeAction/resolve', action.given, token)
          if (result) action.edit = workspaceEdit(result.edit)
          return action
        },
      }, { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix, vscode.CodeActionKind.SourceFixAll] }))
    for (const document of workspace.textDocuments) this.#opened(document)
  }

  #opened(document) {
    if (!isOurs(document) || this.open.has(document.uri.toString())) return
    this.open.add(document.uri.toString())
    this.client.notify('textDocument/didOpen', {
      textDocument: {
        ...identifier(document), languageId: document.languageId, version: document.version, text: document.getText(),
      },
    })
  }

  #closed(document) {
    if (!this.open.delete(document.uri.toString())) return
    this.client.notify('textDocument/didClose', { textDocument: identifier(document) })
  }

  #changed({ document, contentChanges }) {
    if (!this.open.has(document.uri.toString()) || contentChanges.length === 0) return
    this.client.notify('textDocument/didChange', {
      textDocument: { ...identifier(document), version: document.version },
      contentChanges: contentChanges.map((change) => ({ range: span(change.range), text: change.text })),
    })
  }

  async stop() {
    for (const disposable of this.disposables) disposable.dispose()
    await this.client.stop()
  }
}

async function activate(context) {
  running = new Running()
  context.subscriptions.push(
    vscode.commands.registerCommand('linkspan.restart', async () => {
      await deactivate()
      running = new Running()
      await running.ready
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('linkspan.path')) vscode.commands.executeCommand('linkspan.restart')
    }))
  await running.ready.catch(() => {})
}

async function deactivate() {
  const old = running
  running = null
  await old?.stop()
}

module.exports = { activate, deactivate }
