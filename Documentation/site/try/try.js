'use strict'
// The page: files and a URL in, the module's answers out. Every text goes to the page as text, never as markup.

const byID = (name) => document.getElementById(name)
const { memoryHost, runOnce } = window.linkspanHost
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The files, in the order of their tabs; a binary one is shown by its size, and cannot be edited. */
let files = [{ name: 'apple-app-site-association', text: '' }]
let chosen = 0
let module

// Ours: a file, and what a link unpacks to; a device takes 128 KB. More would hold the page up for many seconds.
const limitBytes = 8 << 20
// Ours: browsers take addresses of some megabytes, programs that send them less.
const linkLimit = 1 << 20

const example = {
  file: JSON.stringify({ applinks: { details: [{ appIDs: ['ABCDE12345.com.example.shop'], components: [
    { '/': '/buy/new', exclude: true, comment: 'the editor of offers' }, { '/': '/buy/*', comment: 'an offer' },
    { '/': '/help', '?': { topic: '?*' }, comment: 'help with a topic' }] }] } }, null, 2) + '\n',
  url: 'https://example.com/buy/42',
}

// MARK: - The module

function bytesOf(base64) {
  const text = atob(base64)
  return Uint8Array.from(text, (character) => character.charCodeAt(0))
}

async function unpacked(bytes, form) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** The same of what somebody else packed. */
async function unpackedBounded(bytes, form) {
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(form)).getReader()
  const pieces = []
  let size = 0
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length
    if (size > limitBytes) throw new Error('too large')
    pieces.push(piece.value)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}

async function packed(bytes, form) {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream(form))
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A command's objects, and what it says where it has none. */
function asked(words, given) {
  const host = memoryHost(given)
  const { status, stdout, stderr } = runOnce(module, words, host)
  let objects = []
  try {
    objects = decoder.decode(stdout).split('\n').filter((line) => line).map((line) => JSON.parse(line))
  } catch { /* A module that stopped within its answer has said why. */ }
  return { status, objects, problem: withoutCommands(decoder.decode(stderr).replace(/^linkspan[^:]*: error: /, '').trim()), host }
}

const content = (file) => file.bytes ?? encoder.encode(file.text)
const given = () => Object.fromEntries(files.map((file) => [file.name, content(file)]))
const isEmpty = (file) => content(file).length === 0

/** Whether it is of an app: a property list, binary or in XML, or a profile, which is signed. Other bytes no device takes, which is their verdict. */
function isLists(file) {
  const start = file.bytes ? new TextDecoder('latin1').decode(file.bytes.subarray(0, 64)) : file.text
  return /^\s*(?:<|bplist)|^0[\x80-\x84]/.test(start)
}

const refusals = new WeakMap()

/** Why nothing of a file is read: it is an archive or a program, by its beginning or by its name. One is no reason to refuse others. */
function refusal(file) {
  if (!file.bytes && !file.name.endsWith('.ipa')) return undefined
  if (!refusals.has(file)) {
    const { objects, problem } = asked(['check', '--json', '--', file.name], { [file.name]: content(file) })
    refusals.set(file, objects.length === 0 ? problem : undefined)
  }
  return refusals.get(file)
}

/** The association file among the files: the chosen one, else the first that is none of an app. */
function association() {
  const fits = (file) => !isLists(file) && !isEmpty(file) && !refusal(file) && !file.text?.trimStart().startsWith('[')
  return fits(files[chosen]) ? files[chosen] : files.find(fits)
}

// MARK: - Elements

function element(name, text, options = {}) {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  for (const [key, value] of Object.entries(options)) {
    if (key in made && key !== 'role') made[key] = value
    else made.setAttribute(key, value)
  }
  return made
}

function showTabs() {
  byID('tabs').replaceChildren(...(files.length < 2 ? [] : files.map((file, index) => {
    const tab = element('button', file.name, { type: 'button', role: 'tab', 'aria-selected': String(index === chosen), 'aria-controls': 'panel' })
    tab.tabIndex = index === chosen ? 0 : -1
    tab.addEventListener('click', () => choose(index))
    tab.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
      if (!step) return
      choose((index + step + files.length) % files.length)
      byID('tabs').children[chosen].focus()
    })
    return tab
  })))
}

function choose(index) {
  chosen = index
  const file = files[index]
  byID('file').readOnly = file.bytes !== undefined
  byID('file').value = file.bytes ? `(${file.name} is binary: ${file.bytes.length} bytes)` : file.text
  showTabs()
  judge()
}

// MARK: - Answers

const verdictWords = { match: 'opens the app', excluded: 'is excluded: opens the browser', noMatch: 'matches no rule: opens the browser' }

/** The line of the association file in which a rule begins, so that a person can go there. */
function ruleButton(answer, file) {
  if (answer.entry === null || answer.entry === undefined) return null
  const place = window.linkspanPlaces(file.text, answer)
  const words = answer.rule === null ? `entry ${answer.entry}` : `entry ${answer.entry}, rule ${answer.rule}`
  if (!place) return element('span', words)
  const button = element('button', words, { type: 'button' })
  button.addEventListener('click', () => select(file, place.start, place.end))
  return button
}

/** A text as the browser shows it: every line ends with a line feed. */
const shown = (text) => text.replace(/\r\n?/g, '\n')

function select(file, start, end) {
  const index = files.indexOf(file)
  if (index !== chosen) choose(index)
  const area = byID('file')
  area.focus()
  const [first, last] = [start, end].map((place) => shown(file.text.slice(0, place)).length)
  area.setSelectionRange(first, last)
  const line = area.value.slice(0, first).split('\n').length
  area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(area).lineHeight))
  markFindings()
}

function showVerdict() {
  const url = byID('url').value.trim()
  const file = association()
  const verdict = byID('verdict')
  byID('verdicts').replaceChildren()
  delete verdict.dataset.verdict
  if (!url || !file) {
    verdict.textContent = file ? 'No URL yet.' : 'No association file yet.'
    return
  }
  const words = ['match', '--json', '--file', file.name]
  if (byID('app').value) words.push('--app', byID('app').value)
  if (byID('os').value.trim()) words.push('--os', byID('os').value.trim())
  const { objects, problem } = asked([...words, '--', url], given())
  if (objects.length === 0) {
    verdict.textContent = problem
    return
  }
  // What is not decided for one app may still open it.
  const order = ['match', null, 'excluded', 'noMatch']
  const [best] = [...objects].sort((a, b) => order.indexOf(a.decision) - order.indexOf(b.decision))
  if (best.decision) verdict.dataset.verdict = best.decision
  // The answer's URL, which shows no password.
  verdict.textContent = `${best.normalised?.to ?? best.url} ${/^https?:/i.test(best.url) ? verdictWords[best.decision] ?? 'is not decided' : 'is no universal link'}`
  for (const answer of objects) {
    const line = element('p', `${answer.app ?? 'no app'}: ${answer.reason} `)
    const button = ruleButton(answer, file)
    if (button) line.append(button)
    if (answer.certainty && answer.certainty !== 'documented') line.append(` [${answer.certainty}]`)
    byID('verdicts').append(line)
    if (answer.by_release) byID('verdicts').append(releases(answer.by_release))
  }
}

const range = ({ from, to }) => (to === null ? `${from} and later` : `${from} to ${to}`)

function releases(readings) {
  const table = element('table')
  const head = table.createTHead().insertRow()
  for (const name of ['release', 'verdict', 'why']) head.append(element('th', name, { scope: 'col' }))
  const body = table.createTBody()
  for (const reading of readings) {
    const row = body.insertRow()
    row.append(element('td', range(reading)))
    const cell = element('td', verdictWords[reading.decision])
    cell.className = 'reading'
    row.append(cell, element('td', reading.reason))
  }
  const box = element('div', undefined, { role: 'region', 'aria-label': 'By release', tabIndex: 0 })
  box.className = 'wide'
  box.append(table)
  return box
}

/** The files that say what an app is and claims. */
const ofApps = () => files.filter((file) => isLists(file) && !isEmpty(file) && !refusal(file))

/** What an answer leaves open, without advice about flags of the command line, which a page has not. */
const withoutFlags = (text) => text.replace("no '--app' was given", 'no app was given')
  .replace('pass --team and --bundle-identifier, or the', 'add the')
  .replace(/(?:[;:]|, and) [^;:,]*?--[a-z][^;]*$/, '')

/** An error without advice to type a command or a flag. */
function withoutCommands(text) {
  const [problem, ...help] = text.split('\n')
  return [problem, ...help.filter((line) => !/'linkspan |--[a-z]/.test(line))].join('\n')
}

const outcomeWords = {
  browser: 'Opens the browser', 'web-view': 'Opens no app and stays in the web view', nothing: 'Opens nothing',
  alert: 'Shows an alert that points to the iPhone',
}

/** The way that was chosen, as the command has it: a tap in Safari names its page. */
function followed(url) {
  const way = byID('way').value
  if (way === 'safari-same') return ['safari', '--page', url]
  return way === 'safari-elsewhere' ? ['safari', '--page', 'https://page.invalid/'] : [way]
}

function showDevice() {
  for (const name of ['steps', 'remedies', 'unknown']) byID(name).replaceChildren()
  byID('steps').hidden = true
  const url = byID('url').value.trim()
  const file = association()
  if (!byID('device').open) return
  if (!url || !file) {
    byID('outcome').textContent = file ? 'No URL yet.' : 'No association file yet.'
    return
  }
  const words = ['explain', '--json', '--site', file.name, '--from', ...followed(url)]
  const apps = ofApps().map((other) => other.name)
  // Without an app's own files, the one that was chosen.
  if (apps.length === 0 && byID('app').value) apps.push(byID('app').value)
  for (const app of apps) words.push('--app', app)
  if (byID('os').value.trim()) words.push('--os', byID('os').value.trim())
  const { objects, problem } = asked([...words, '--', url], given())
  const answer = objects[0]
  if (!answer) {
    byID('outcome').textContent = problem
    return
  }
  const outcome = answer.app ? `Opens ${answer.app}` : outcomeWords[answer.opens] ?? 'What opens is not known'
  byID('outcome').textContent = answer.changes.length === 0 ? `${outcome}.` : `${outcome}. Each of these would open the app:`
  byID('steps').append(stepTable(answer.steps))
  byID('steps').hidden = false
  byID('remedies').append(...answer.changes.map((set) =>
    element('li', set.map(({ who, what, certainty }) => `${who}: ${what}${certainty === 'documented' ? '' : ` [${certainty}]`}`).join('; and '))))
  byID('unknown').append(...answer.not_known.map((text) => element('li', `Not known: ${withoutFlags(text)}`)))
}

function stepTable(steps) {
  const table = element('table')
  const head = table.createTHead().insertRow()
  for (const name of ['step', '', 'why', 'rules']) head.append(element(name ? 'th' : 'td', name, name ? { scope: 'col' } : {}))
  const body = table.createTBody()
  for (const { step, verdict, message, rules, certainty } of steps) {
    const row = body.insertRow()
    for (const text of [step, verdict, message, `${rules.join(', ')} (${certainty})`]) row.append(element('td', text))
  }
  return table
}

let findings = []

function showFindings() {
  const held = files.filter((file) => !isEmpty(file))
  const usable = held.filter((file) => !refusal(file))
  const refused = held.map(refusal).filter((problem) => problem)
  byID('findings').replaceChildren()
  byID('unchecked').replaceChildren()
  byID('fix').disabled = true
  findings = []
  if (usable.length === 0) {
    byID('summary').textContent = refused.join(' ') || 'Nothing to check yet.'
    return
  }
  const words = ['check', '--json']
  if (byID('os').value.trim()) words.push('--os', byID('os').value.trim())
  const { objects, problem } = asked([...words, '--', ...usable.map((file) => file.name)], given())
  const answer = objects[0]
  if (!answer) {
    byID('summary').textContent = problem
    return
  }
  findings = answer.findings
  const { errors, warnings, notes } = answer.summary
  const parts = [[errors, 'error'], [warnings, 'warning'], [notes, 'note']].filter(([count]) => count)
  const counted = parts.map(([count, word]) => `${count} ${word}${count === 1 ? '' : 's'}`).join(', ')
  byID('summary').textContent = [counted ? `${counted}.` : 'No problems found.', ...refused].join(' ')
  byID('fix').disabled = !hasFixes(usable)
  byID('findings').append(...findings.map((finding) => {
    const item = element('li')
    const line = element('p')
    const severity = element('span', finding.severity)
    severity.className = `severity ${finding.severity}`
    line.append(severity, ` ${finding.rule} `)
    const file = files.find((other) => other.name === finding.file)
    const place = finding.line === null ? finding.file : `${finding.file}:${finding.line}:${finding.column}`
    if (file && finding.line !== null && !file.bytes) {
      const button = element('button', place, { type: 'button' })
      button.addEventListener('click', () => {
        const start = offset(file.text, finding.line, finding.column)
        select(file, start, finding.end_line === null ? start + 1 : offset(file.text, finding.end_line, finding.end_column))
      })
      line.append(button)
    } else {
      line.append(place)
    }
    item.append(line, element('p', finding.message))
    if (finding.help) item.append(element('p', finding.help + (finding.fixable ? ' This has a safe fix.' : '')))
    return item
  }))
  byID('unchecked').append(...answer.not_checked.map((text) => element('li', withoutFlags(text))))
  markFindings()
}

/** The place of a line and column, both from 1; columns count characters as the program does. */
function offset(text, line, column) {
  let start = 0
  for (let left = line - 1; left > 0; left--) {
    const end = text.indexOf('\n', start)
    if (end < 0) return text.length
    start = end + 1
  }
  const end = text.indexOf('\n', start)
  const characters = Array.from(text.slice(start, end < 0 ? undefined : end))
  return start + characters.slice(0, column - 1).join('').length
}

/** Marks the findings of the line in which the cursor is. */
function markFindings() {
  const area = byID('file')
  const line = area.value.slice(0, area.selectionStart).split('\n').length
  const text = files[chosen].text
  for (const [index, finding] of findings.entries()) {
    const isShown = finding.file === files[chosen].name && finding.line !== null && text !== undefined
    const lines = isShown ? shownLines(text, finding) : []
    byID('findings').children[index].classList.toggle('here', isShown && lines[0] <= line && lines[1] >= line)
  }
}

/** The lines of the page in which a finding begins and ends; its own end with a line feed only. */
function shownLines(text, finding) {
  if (!/\r(?!\n)/.test(text)) return [finding.line, finding.end_line ?? finding.line]
  const start = offset(text, finding.line, finding.column)
  const end = finding.end_line === null ? start : offset(text, finding.end_line, finding.end_column)
  return [start, end].map((place) => shown(text.slice(0, place)).split('\n').length)
}

function showDifference() {
  const before = byID('old').value
  const file = association()
  const box = byID('changes')
  box.replaceChildren()
  box.hidden = true
  if (!before.trim() || !file) {
    byID('difference').textContent = 'Nothing to compare yet.'
    return
  }
  const [app, os] = [byID('app').value, byID('os').value.trim()]
  const words = ['diff', '--json', '--limit', '50', ...(app ? ['--app', app] : []), ...(os ? ['--os', os] : [])]
  const { objects, problem } = asked([...words, 'before', 'after'], { before: encoder.encode(before), after: content(file) })
  const answer = objects[0]
  if (!answer) {
    byID('difference').textContent = problem
    return
  }
  const count = answer.changes.length
  const parts = count === 0 ? [] : [`${answer.truncated ? 'More than ' : ''}${count} ${count === 1 ? 'URL shows' : 'URLs show'} a change.`]
  for (const { url, old, new: now } of answer.precedence) {
    parts.push(`${url}: where both apps are installed, ${now} opens it, and before it ${old}.`)
  }
  for (const { service, added, removed } of answer.services) {
    parts.push(...added.map((app) => `${service}: ${app} is new.`), ...removed.map((app) => `${service}: ${app} is gone.`))
  }
  if (!answer.decided) parts.push(`Not decided: ${answer.not_decided.join('; ')}.`)
  byID('difference').textContent = parts.join(' ')
    || `Equal meaning: every URL that a device can hold is decided as before${app ? ` for ${app}` : ''} on ${os || 'iOS 15.0 and later'}.`
  if (count === 0) return
  const table = element('table')
  const head = table.createTHead().insertRow()
  for (const name of ['URL', 'app', 'release', 'before', 'after']) head.append(element('th', name, { scope: 'col' }))
  const body = table.createTBody()
  for (const change of answer.changes) {
    const row = body.insertRow()
    const held = change.releases ? range(change.releases) : change.os
    for (const text of [change.url, change.app, held, verdictWords[change.old.decision], verdictWords[change.new.decision]]) row.append(element('td', text))
  }
  box.append(table)
  box.hidden = false
}

function showApps() {
  const file = association()
  const apps = new Set()
  const collect = (value) => {
    if (typeof value === 'string') apps.add(value)
    else if (Array.isArray(value)) value.forEach(collect)
  }
  try {
    const details = JSON.parse(file?.text ?? '{}').applinks?.details ?? []
    // The obsolete form has the apps as keys.
    if (!Array.isArray(details) && typeof details === 'object') collect(Object.keys(details))
    else for (const entry of [details].flat()) collect([entry?.appID, entry?.appIDs])
  } catch { /* The findings say what is wrong with it. */ }
  const select = byID('app')
  const held = select.value
  select.replaceChildren(element('option', 'every app in the file', { value: '' }), ...[...apps].slice(0, 200).map((app) => element('option', app, { value: app })))
  select.value = apps.has(held) ? held : ''
}

/** Asks the module everything again; every part answers by itself, so that one cannot hide the others. */
function judge() {
  if (!module) return
  for (const [part, place] of [[showApps, 'verdict'], [showVerdict, 'verdict'], [showDevice, 'outcome'], [showFindings, 'summary'], [showDifference, 'difference']]) {
    try {
      part()
    } catch (error) {
      byID(place).textContent = `The page could not find out: ${error.message}`
    }
  }
}

let waiting
function soon() {
  clearTimeout(waiting)
  waiting = setTimeout(judge, 150)
}

// MARK: - Files

async function take(list) {
  const said = []
  // What is shown then: the last that was taken, wherever it stands.
  let last = files[chosen].name
  for (const dropped of list) {
    try {
      const head = new Uint8Array(await dropped.slice(0, 4).arrayBuffer())
      const isArchive = window.linkspanArchive.isArchive(head)
      if (!isArchive && dropped.size > limitBytes) throw new Error(`has more than ${limitBytes >> 20} MB, the limit of this page`)
      const bytes = new Uint8Array(await dropped.arrayBuffer())
      const held = isArchive ? await window.linkspanArchive.propertyLists(bytes) : [[dropped.name, bytes]]
      for (const [name, inner] of held) {
        last = fileName(name)
        if (add(last, inner)) said.push(`${name}: replaces the file of that name`)
      }
    } catch (error) {
      said.push(`${dropped.name}: ${error.message}`)
    }
  }
  say(said.join('; '))
  choose(Math.max(0, files.findIndex((file) => file.name === last)))
}

/** A name that no command takes for a flag or for standard input. */
const fileName = (name) => name.replace(/^-/, './-') || 'file'

/** Whether another file, with something in it, had this name. */
function add(name, bytes) {
  let text
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    if (text.includes('\0')) text = undefined
  } catch { /* A binary file is kept as it is. */ }
  const file = text === undefined ? { name, bytes } : { name, text }
  if (files.length === 1 && isEmpty(files[0])) files = []
  const place = files.findIndex((other) => other.name === name)
  const isReplacing = place >= 0 && !isEmpty(files[place])
  if (place >= 0) files[place] = file
  else files.push(file)
  return isReplacing
}

function remove() {
  const [file] = files.splice(chosen, 1)
  if (files.length === 0) files = [{ name: 'apple-app-site-association', text: '' }]
  choose(Math.min(chosen, files.length - 1))
  say(`${file.name} is removed.`)
}

function say(text) { byID('said').textContent = text }

// Whether all fixes together change a file: not where a syntax error without a fix leaves it unreadable.
function hasFixes(usable) {
  if (!findings.some((finding) => finding.fixable)) return false
  if (!findings.some((finding) => finding.rule.startsWith('json.') && !finding.fixable)) return true
  const texts = usable.filter((file) => !file.bytes).map((file) => file.name)
  const { objects } = asked(['check', '--json', '--fix', '--dry-run', '--', ...texts], given())
  return objects[0]?.fixed.length > 0
}

function fix() {
  const usable = files.filter((file) => !isEmpty(file) && !file.bytes && !refusal(file))
  const { objects, problem, host } = asked(['check', '--json', '--fix', '--no-backup', '--', ...usable.map((file) => file.name)], given())
  if (!objects[0]) return say(problem)
  for (const file of usable) file.text = decoder.decode(host.files.get(file.name))
  const count = objects[0].fixed.length
  say(`${count} ${count === 1 ? 'finding' : 'findings'} fixed.`)
  choose(chosen)
}

// MARK: - The link

const toBase64 = (bytes) => {
  let text = ''
  for (let place = 0; place < bytes.length; place += 32768) text += String.fromCharCode(...bytes.subarray(place, place + 32768))
  return btoa(text)
}

async function share() {
  const state = {
    files: files.map((file) => (file.bytes ? { name: file.name, bytes: toBase64(file.bytes) } : file)), chosen,
    url: byID('url').value, app: byID('app').value, os: byID('os').value, old: byID('old').value,
    ...(byID('device').open ? { way: byID('way').value } : {}),
  }
  const whole = encoder.encode(JSON.stringify(state))
  const bytes = await packed(whole, 'deflate-raw')
  if (whole.length > limitBytes || bytes.length > linkLimit) return say('The files are too large for a link.')
  const fragment = '#1' + toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  history.replaceState(null, '', fragment)
  try {
    await navigator.clipboard.writeText(location.href)
    say('The link is in the clipboard.')
  } catch {
    say('The link is in the address bar.')
  }
}

async function restore() {
  const fragment = location.hash.slice(1)
  if (!fragment.startsWith('1')) return
  try {
    const bytes = bytesOf(fragment.slice(1).replaceAll('-', '+').replaceAll('_', '/'))
    const state = JSON.parse(decoder.decode(await unpackedBounded(bytes, 'deflate-raw')))
    const held = state.files.filter((file) => typeof file.name === 'string').map((file) => {
      const name = fileName(file.name)
      return typeof file.bytes === 'string' ? { name, bytes: bytesOf(file.bytes) } : { name, text: String(file.text ?? '') }
    })
    if (held.length) files = held
    chosen = Math.min(Math.max(0, Number(state.chosen) || 0), files.length - 1)
    for (const name of ['url', 'os', 'old']) byID(name).value = String(state[name] ?? '')
    const ways = Array.from(byID('way').options, (option) => option.value)
    byID('device').open = ways.includes(state.way)
    if (byID('device').open) byID('way').value = state.way
    choose(chosen)
    byID('app').value = String(state.app ?? '')
    judge()
  } catch {
    say('The link is damaged: its fragment cannot be read.')
  }
}

// MARK: - Start

byID('question').addEventListener('submit', (event) => {
  event.preventDefault()
  judge()
})
for (const name of ['url', 'os', 'old']) byID(name).addEventListener('input', soon)
for (const name of ['app', 'way']) byID(name).addEventListener('change', judge)
byID('device').addEventListener('toggle', judge)
byID('file').addEventListener('input', () => {
  if (!files[chosen].bytes) files[chosen].text = byID('file').value
  soon()
})
for (const name of ['keyup', 'click']) byID('file').addEventListener(name, markFindings)
byID('pick').addEventListener('change', async () => {
  await take([...byID('pick').files])
  // So that the same file can be opened again when it has changed.
  byID('pick').value = ''
})
byID('fix').addEventListener('click', fix)
byID('remove').addEventListener('click', remove)
byID('copy').addEventListener('click', share)
byID('example').addEventListener('click', () => {
  files = [{ name: 'apple-app-site-association', text: example.file }]
  byID('url').value = example.url
  choose(0)
})
addEventListener('dragover', (event) => {
  event.preventDefault()
  document.body.classList.add('dropping')
})
addEventListener('dragleave', () => document.body.classList.remove('dropping'))
addEventListener('drop', (event) => {
  event.preventDefault()
  document.body.classList.remove('dropping')
  take([...event.dataTransfer.files])
})
addEventListener('hashchange', restore)

async function start() {
  if (!window.linkspanModule) {
    byID('verdict').textContent = "This site was built without the module: run 'make wasm' before 'make site'."
    return
  }
  module = await WebAssembly.compile(await unpacked(bytesOf(window.linkspanModule), 'gzip'))
  await restore()
  judge()
  document.documentElement.dataset.ready = ''
}
start().catch((error) => { byID('verdict').textContent = `The rule engine cannot start in this browser: ${error.message}` })
