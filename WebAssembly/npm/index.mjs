// Linkspan as a library: files as texts in, the answers of `linkspan … --json` out. It reads no file and asks no host.
import { Unanswered, bytesOf, memoryHost, runOnce, tag } from './host.mjs'
import { module } from './node.mjs'

const decoder = new TextDecoder()
// A byte order mark and bytes that are no UTF-8 count.
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Why there is no answer: what the program prints with exit status 2. */
export class LinkspanError extends Error {}

/** What is left of the options: a misspelt one would be a question that nobody asked. */
function refuse(others) {
  for (const name of Object.keys(others)) throw new TypeError(`'${name}' is not an option`)
}

/** Runs a command with files in memory. */
export function run(words, { files = {}, stdin = '', environment = {}, ...others } = {}) {
  refuse(others)
  const host = memoryHost(files, { stdin, environment })
  const written = () => Object.fromEntries(host.files)
  try {
    const { status, stdout, stderr } = runOnce(module, words, host)
    return { status, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), files: written() }
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error
    const stderr = `linkspan ${words[0]}: error: the library asks no host.\n  The command does: npx linkspan ${words.join(' ')}\n`
    return { status: 2, stdout: '', stderr, files: written() }
  }
}

/** @param operands what no letter makes a flag */
function answers(words, options, operands = []) {
  const { status, stdout, stderr } = run([...words, '--json', '--', ...operands.map(String)], options)
  const lines = stdout.split('\n').filter((line) => line !== '')
  if (lines.length === 0) throw new LinkspanError(stderr.replace(/^linkspan[^:]*: error: /, '').trimEnd() || `exit status ${status}`)
  return { status, values: lines.map((line) => JSON.parse(line)) }
}

const list = (value) => (value === undefined ? [] : Array.isArray(value) ? value : [value])
const flags = (name, value) => list(value).flatMap((one) => [name, String(one)])

/** The file that is asked about, and the files of apps. */
function beside(name, file, apps) {
  if (Object.hasOwn(apps, name)) throw new TypeError(`'apps': '${name}' is the name of the file itself`)
  return { [name]: file, ...apps }
}

/** JSON: its text, its bytes, or the object that it means. */
const json = (value, name) => (['Object', 'Array'].includes(tag(value)) ? JSON.stringify(value) : bytesOf(value, name))

/** A question of a batch as a line, in which bytes can stand as text only. */
function line(question, index) {
  if (!question || typeof question.file !== 'object' || ['Object', 'Array', 'Null'].includes(tag(question.file))) return JSON.stringify(question)
  const name = `the file of question ${index + 1}`
  const bytes = bytesOf(question.file, name)
  try {
    return JSON.stringify({ ...question, file: strictDecoder.decode(bytes) })
  } catch {
    throw new TypeError(`${name} is not UTF-8`)
  }
}

/** URLs as texts. */
function texts(urls) {
  return (Array.isArray(urls) ? urls : [urls]).map((url) => {
    if (typeof url === 'string' || tag(url) === 'URL') return String(url)
    throw new TypeError(`a URL: expected a string or a URL, got ${typeof url === 'object' ? tag(url) : typeof url}`)
  })
}

/** What is wrong with an association file, an assetlinks.json, or the entitlements of an app. */
export function check(file, { name = 'apple-app-site-association', host, os, apps = {}, app, fix = false, ...others } = {}) {
  refuse(others)
  const words = ['check', ...flags('--host', host), ...flags('--os', os), ...flags('--app', app), ...flags('--app', Object.keys(apps))]
  if (fix) words.push('--fix', '--dry-run')
  // '-' alone would be standard input.
  const path = name === '-' ? './-' : name
  return answers(words, { files: beside(path, file, apps) }, [path]).values[0]
}

/** Whether URLs open an app: an answer for each URL, release and app. */
export function match(file, urls, { app, os, host, writtenIn, ...others } = {}) {
  refuse(others)
  const words = ['match', '--file', 'apple-app-site-association', ...flags('--app', app), ...flags('--os', os), ...flags('--host', host),
    ...flags('--written-in', writtenIn)]
  const asked = texts(urls)
  return asked.length === 0 ? [] : answers(words, { files: { 'apple-app-site-association': file } }, asked).values
}

/** The answers to questions of `linkspan match --batch`, in their order. */
export function matchBatch(questions) {
  if (questions.length === 0) return []
  return answers(['match', '--batch', '-'], { stdin: questions.map((question, index) => line(question, index) + '\n').join('') }).values
}

/** What a link does on a device, step by step, and what would change the outcome. */
export function explain(file, url, options = {}) {
  const { app, apps = {}, os, from, container, gesture, in: around, page, through, choice, host, expect, developer = false, managed = false, ...others } = options
  refuse(others)
  const words = ['explain', '--site', 'apple-app-site-association', ...flags('--app', app), ...flags('--app', Object.keys(apps)),
    ...flags('--os', os), ...flags('--from', from), ...flags('--container', container), ...flags('--gesture', gesture), ...flags('--in', around),
    ...flags('--page', page), ...flags('--through', through), ...flags('--choice', choice), ...flags('--host', host), ...flags('--expect', expect)]
  if (developer) words.push('--developer')
  if (managed) words.push('--managed')
  return answers(words, { files: beside('apple-app-site-association', file, apps) }, texts(url)).values[0]
}

/** Which URLs behave differently between two association files. */
export function diff(before, after, { host, app, os, limit, ...others } = {}) {
  refuse(others)
  const words = ['diff', ...flags('--host', host), ...flags('--app', app), ...flags('--os', os), ...flags('--limit', limit)]
  return answers(words, { files: { 'old.json': before, 'new.json': after } }, ['old.json', 'new.json']).values[0]
}

/** The association file for the routes of apps, as `linkspan generate` takes them. */
export function generate(request) {
  return answers(['generate', 'linkspan.json5'], { files: { 'linkspan.json5': json(request, 'request') } }).values[0]
}

/** Which rules the URLs of a list reach. */
export function coverage(file, urls, { host, os, ...others } = {}) {
  refuse(others)
  const words = ['coverage', '--file', 'apple-app-site-association', '--urls', 'urls.txt', ...flags('--host', host), ...flags('--os', os)]
  return answers(words, { files: { 'apple-app-site-association': file, 'urls.txt': texts(urls).join('\n') + '\n' } }).values[0]
}

/** What is wrong with a push payload for its type and headers. */
export function pushLint(payload, { pushType, headers = {}, ...others } = {}) {
  refuse(others)
  const words = ['push', 'lint', 'payload.json', ...flags('--push-type', pushType), ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`])]
  return answers(words, { files: { 'payload.json': json(payload, 'payload') } }).values[0]
}

/** Which App Clip card URLs show, and what the clip receives. */
export function clipURL(urls, experiences, { from, os, appInstalled = false, ...others } = {}) {
  refuse(others)
  const words = ['clip', 'url', '--experiences', 'experiences.json5', ...flags('--from', from), ...flags('--os', os)]
  if (appInstalled) words.push('--app-installed')
  return answers(words, { files: { 'experiences.json5': json(experiences, 'experiences') } }, texts(urls)).values
}
