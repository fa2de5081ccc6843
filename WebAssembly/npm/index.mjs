// Linkspan as a library: files as texts in, the answers of `linkspan … --json` out. It reads no file and asks no host.
import { Unanswered, memoryHost, runOnce } from './host.mjs'
import { module } from './node.mjs'

const decoder = new TextDecoder()

/** Why there is no answer: what the program prints with exit status 2. */
export class LinkspanError extends Error {}

/** Runs a command with files in memory. */
export function run(words, { files = {}, stdin = '', environment = {} } = {}) {
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
const given = (name, content) => (content === undefined ? {} : { [name]: content })

/** What is wrong with an association file, an assetlinks.json, or the entitlements of an app. */
export function check(file, { name = 'apple-app-site-association', host, os, apps = {}, app, fix = false } = {}) {
  const words = ['check', ...flags('--host', host), ...flags('--os', os), ...flags('--app', app), ...flags('--app', Object.keys(apps))]
  if (fix) words.push('--fix', '--dry-run')
  // '-' alone would be standard input.
  const path = name === '-' ? './-' : name
  return answers(words, { files: { [path]: file, ...apps } }, [path]).values[0]
}

/** Whether URLs open an app: an answer for each URL, release and app. */
export function match(file, urls, { app, os, host, writtenIn } = {}) {
  const words = ['match', '--file', 'apple-app-site-association', ...flags('--app', app), ...flags('--os', os), ...flags('--host', host),
    ...flags('--written-in', writtenIn)]
  if (Array.isArray(urls) && urls.length === 0) return []
  return answers(words, { files: { 'apple-app-site-association': file } }, list(urls)).values
}

/** The answers to questions of `linkspan match --batch`, in their order. */
export function matchBatch(questions) {
  if (questions.length === 0) return []
  return answers(['match', '--batch', '-'], { stdin: questions.map((question) => JSON.stringify(question) + '\n').join('') }).values
}

/** What a link does on a device, step by step, and what would change the outcome. */
export function explain(file, url, { app, apps = {}, os, from, page, host, expect, developer = false, managed = false } = {}) {
  const words = ['explain', '--site', 'apple-app-site-association', ...flags('--app', app), ...flags('--app', Object.keys(apps)),
    ...flags('--os', os), ...flags('--from', from), ...flags('--page', page), ...flags('--host', host), ...flags('--expect', expect)]
  if (developer) words.push('--developer')
  if (managed) words.push('--managed')
  return answers(words, { files: { 'apple-app-site-association': file, ...apps } }, [url]).values[0]
}

/** Which URLs behave differently between two association files. */
export function diff(before, after, { host, app, os, limit } = {}) {
  const words = ['diff', ...flags('--host', host), ...flags('--app', app), ...flags('--os', os), ...flags('--limit', limit)]
  return answers(words, { files: { 'old.json': before, 'new.json': after } }, ['old.json', 'new.json']).values[0]
}

/** The association file for the routes of apps, as `linkspan generate` takes them. */
export function generate(request) {
  const text = typeof request === 'string' ? request : JSON.stringify(request)
  return answers(['generate', 'linkspan.json5'], { files: { 'linkspan.json5': text } }).values[0]
}

/** Which rules the URLs of a list reach. */
export function coverage(file, urls, { host, os } = {}) {
  const words = ['coverage', '--file', 'apple-app-site-association', '--urls', 'urls.txt', ...flags('--host', host), ...flags('--os', os)]
  return answers(words, { files: { 'apple-app-site-association': file, 'urls.txt': list(urls).join('\n') + '\n' } }).values[0]
}

/** What is wrong with a push payload for its type and headers. */
export function pushLint(payload, { pushType, headers = {} } = {}) {
  const text = typeof payload === 'string' ? payload : JSON.stringify(payload)
  const words = ['push', 'lint', 'payload.json', ...flags('--push-type', pushType), ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}:${value}`])]
  return answers(words, { files: given('payload.json', text) }).values[0]
}

/** Which App Clip card URLs show, and what the clip receives. */
export function clipURL(urls, experiences, { from, os, appInstalled = false } = {}) {
  const text = typeof experiences === 'string' ? experiences : JSON.stringify(experiences)
  const words = ['clip', 'url', '--experiences', 'experiences.json5', ...flags('--from', from), ...flags('--os', os)]
  if (appInstalled) words.push('--app-installed')
  return answers(words, { files: { 'experiences.json5': text } }, list(urls)).values
}
