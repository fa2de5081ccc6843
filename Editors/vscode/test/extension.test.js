// The extension in a played VS Code, with the program itself as its server. LINKSPAN_BINARY names the program.
'use strict'

const assert = require('node:assert/strict')
const fs = require('node:fs')
const Module = require('node:module')
const os = require('node:os')
const path = require('node:path')
const test = require('node:test')
const { Client, Frames, frame } = require('../client.js')
const { editor } = require('./vscode.js')

const binary = process.env.LINKSPAN_BINARY
const needsProgram = { skip: binary ? false : 'LINKSPAN_BINARY names no program' }
const uri = 'file:///site/apple-app-site-association'
const file = (components) =>
  `{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],\n"components":[${components}]}]}}`

/** The extension's module anew, for one editor. */
function load(vscode) {
  const name = require.resolve('../extension.js')
  delete require.cache[name]
  const resolve = Module._load
  Module._load = (request, ...rest) => (request === 'vscode' ? vscode : resolve(request, ...rest))
  try {
    return require(name)
  } finally {
    Module._load = resolve
  }
}

/** Runs a test in an editor with the extension. */
function inEditor(values, body) {
  return async () => {
    const played = editor(values)
    const extension = load(played.vscode)
    await extension.activate({ subscriptions: [] })
    try {
      await body(played, extension)
    } finally {
      await extension.deactivate()
    }
  }
}

test('frames are read in any pieces', () => {
  const bytes = Buffer.concat([frame({ id: 1, result: 'ä😀' }), frame({ method: 'x' })])
  for (const size of [1, 5, bytes.length]) {
    const messages = []
    const frames = new Frames((message) => messages.push(message))
    for (let start = 0; start < bytes.length; start += size) frames.take(bytes.subarray(start, start + size))
    assert.deepEqual(messages, [{ jsonrpc: '2.0', id: 1, result: 'ä😀' }, { jsonrpc: '2.0', method: 'x' }])
  }
  assert.throws(() => new Frames(() => {}).take(Buffer.from('Content-Length: x\r\n\r\n')))
})

test('a server that hangs is ended', async () => {
  const name = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'linkspan-')), 'server')
  fs.writeFileSync(name, '#!/bin/sh\ntrap "" TERM\nexec sleep 600\n', { mode: 0o755 })
  const reasons = []
  const client = new Client(name, { onNotification() {}, onEnd: (reason) => reasons.push(reason) })
  const asked = client.request('textDocument/hover', {})
  const ended = new Promise((resolve) => { client.child.once('exit', (code, signal) => resolve(signal)) })
  await Promise.all([client.stop(50), assert.rejects(asked)])
  assert.equal(await ended, 'SIGKILL')
  assert.deepEqual(reasons, [null])
  fs.rmSync(path.dirname(name), { recursive: true })
})

test('findings are shown, and go with their cause', needsProgram, inEditor({ path: binary }, async (played) => {
  const document = played.open(uri, 'linkspan', file('{"/":"/😀","exlude":true}'))
  const found = await played.until(() => played.diagnostics.get(uri))
  const key = found.find((item) => item.code === 'aasa.unknown-key')
  assert.equal(key.message, "'exlude' is not a component key.")
  assert.deepEqual([key.range.start.line, key.range.start.character], [1, 25])
  assert.equal(key.severity, 0)
  assert.match(key.relatedInformation[0].message, /Did you mean 'exclude'/)
  played.diagnostics.delete(uri)
  document.version = 2
  played.events.change.fire({
    document, contentChanges: [{ range: new played.vscode.Range(1, 26, 1, 32), text: 'exclude' }],
  })
  const after = await played.until(() => played.diagnostics.get(uri))
  assert.ok(!after.some((item) => item.code === 'aasa.unknown-key'))
  played.diagnostics.delete(uri)
  played.events.close.fire(document)
  assert.deepEqual(await played.until(() => played.diagnostics.get(uri)), [])
}))

test('each provider answers', needsProgram, inEditor({ path: binary, sampleUrls: ['https://a.example/a/1'] }, async (played) => {
  const { vscode, providers } = played
  const document = played.open(uri, 'linkspan', file('{"/":"/a/*"},{"/":"/a/b","exlude":true}'))
  await played.until(() => played.diagnostics.get(uri))
  const dead = new vscode.Position(1, 29)
  const hover = await providers.hover.provideHover(document, dead)
  assert.match(hover.contents.value, /never reached/)
  const [definition] = await providers.definition.provideDefinition(document, dead)
  assert.deepEqual([definition.range.start.line, definition.range.start.character], [1, 14])
  const lenses = await providers.lens.provideCodeLenses(document)
  assert.equal(lenses[0].command.title, 'matches 1 of 1 sample URLs: https://a.example/a/1')
  let refreshes = 0
  providers.lens.onDidChangeCodeLenses(() => { refreshes++ })
  played.values.sampleUrls = []
  played.events.settings.fire({ affectsConfiguration: (name) => name === 'linkspan.sampleUrls' })
  assert.equal(refreshes, 1)
  assert.match((await providers.lens.provideCodeLenses(document))[0].command.title, /^matches, for example/)
  const items = await providers.completion.provideCompletionItems(document, new vscode.Position(1, 14 + 1))
  assert.ok(items.some((item) => item.label === 'exclude' && item.kind === 9))
  const everywhere = new vscode.Range(0, 0, 2, 0)
  const actions = await providers.action.provideCodeActions(document, everywhere, {})
  const fix = actions.find((action) => action.kind.value === 'quickfix')
  assert.equal(fix.title, 'Write "exclude"')
  assert.equal(fix.edit.changes.get(uri)[0].newText, 'c')
  const all = actions.find((action) => action.kind.value === 'source.fixAll.linkspan')
  assert.equal(all.edit, undefined)
  assert.ok((await providers.action.resolveCodeAction(all)).edit.changes.get(uri).length > 0)
}))

test('findings are about the releases of the settings', needsProgram, inEditor({ path: binary, releases: 'ios:12.4' }, async (played) => {
  const codes = async () => (await played.until(() => played.diagnostics.get(uri))).map((item) => item.code)
  played.open(uri, 'linkspan', file('{"/":"/a/*"}'))
  assert.ok((await codes()).includes('aasa.release-takes-nothing'))
  played.diagnostics.delete(uri)
  played.values.releases = ''
  played.events.settings.fire({ affectsConfiguration: (name) => name === 'linkspan.releases' })
  assert.deepEqual(await codes(), [])
}))

test('files of others are left alone', needsProgram, inEditor({ path: binary }, async (played) => {
  played.open('file:///a/package.json', 'json', '{"name":"x"}')
  played.open(uri, 'json', file('{"/":"*"}'))
  await played.until(() => played.diagnostics.get(uri))
  assert.equal(played.diagnostics.has('file:///a/package.json'), false)
}))

test('a file is known by its name where another extension has taken its language', () => {
  const { languages } = JSON.parse(fs.readFileSync(path.join(__dirname, '../package.json'), 'utf8')).contributes
  const source = fs.readFileSync(path.join(__dirname, '../extension.js'), 'utf8')
  const names = languages.flatMap(({ filenames = [], extensions = [] }) => [...filenames, ...extensions.map((end) => `*${end}`)])
  assert.ok(names.includes('fleet.json5') && names.includes('*.story.json5'))
  for (const name of names) assert.ok(source.includes(`'**/${name}'`), name)
})

test('a missing program is told of with what to do', inEditor({ path: path.join(__dirname, 'none') }, async (played) => {
  const [message] = await played.until(() => (played.messages.length > 0 ? played.messages : undefined))
  assert.match(message, /cannot be started: spawn \S+ ENOENT\. Install.*set 'linkspan\.path'/)
}))

test('a name that no system takes is told of, too', inEditor({ path: '' }, async (played) => {
  assert.match(played.messages[0], /^Linkspan: '' cannot be started: .*set 'linkspan\.path'/)
}))

test('a cancelled request ends', needsProgram, async () => {
  const client = new Client(binary, { onNotification: () => {}, onEnd: () => {} })
  await client.initialize({})
  client.notify('textDocument/didOpen', {
    textDocument: { uri, languageId: 'linkspan', version: 1, text: file('{"/":"*"}') },
  })
  let cancel
  const token = { onCancellationRequested: (listener) => { cancel = listener } }
  const answer = client.request('textDocument/codeLens', { textDocument: { uri } }, token)
  cancel()
  // The answer may have been on its way already.
  await answer.then((result) => assert.equal(result.length, 1), (error) => assert.equal(error.code, -32800))
  await client.stop()
})

test('the server is started anew', needsProgram, inEditor({ path: binary }, async (played) => {
  played.open(uri, 'linkspan', file('{"/":"/a","exlude":true}'))
  await played.until(() => played.diagnostics.get(uri))
  await played.vscode.commands.executeCommand('linkspan.restart')
  assert.ok((await played.until(() => played.diagnostics.get(uri))).length > 0)
}))
