// A client of the Language Server Protocol over a child's standard input and output. It knows no editor, and needs no package.
'use strict'

const { spawn } = require('node:child_process')

const HEADER = Buffer.from('Content-Length: ')
const SEPARATOR = Buffer.from('\r\n\r\n')

/** Bytes of a stream to messages. */
class Frames {
  constructor(onMessage) {
    this.onMessage = onMessage
    this.bytes = Buffer.alloc(0)
  }

  take(more) {
    this.bytes = Buffer.concat([this.bytes, more])
    for (;;) {
      const end = this.bytes.indexOf(SEPARATOR)
      if (end < 0) return
      if (!this.bytes.subarray(0, HEADER.length).equals(HEADER)) throw new Error('the server sent no Content-Length')
      const length = Number(this.bytes.subarray(HEADER.length, end).toString('latin1'))
      if (!Number.isSafeInteger(length) || length < 0) throw new Error('the server sent a wrong Content-Length')
      const start = end + SEPARATOR.length
      if (this.bytes.length < start + length) return
      const content = this.bytes.subarray(start, start + length).toString('utf8')
      this.bytes = this.bytes.subarray(start + length)
      this.onMessage(JSON.parse(content))
    }
  }
}

function frame(message) {
  const content = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }), 'utf8')
  return Buffer.concat([HEADER, Buffer.from(String(content.length)), SEPARATOR, content])
}

/** Why a request got no result. */
class RequestError extends Error {
  constructor(error) {
    super(error.message)
    this.code = error.code
  }
}

class Client {
  /**
   * @param {string} program
   * @param {{onNotification: (method: string, params: any) => void, onEnd: (reason: string | null) => void}} handlers
   */
  constructor(program, { onNotification, onEnd }) {
    this.waiting = new Map()
    this.count = 0
    this.onNotification = onNotification
    this.hasEnded = false
    this.isStopping = false
    this.onEnd = onEnd
    const cannotStart = (error) => this.#end(`'${program}' cannot be started: ${error.message}`)
    try {
      this.child = spawn(program, ['lsp', '--stdio'], { stdio: ['pipe', 'pipe', 'pipe'] })
    } catch (error) {
      // An empty name, or on Windows a script.
      cannotStart(error)
      return
    }
    this.errors = ''
    const frames = new Frames((message) => this.#take(message))
    this.child.stdout.on('data', (data) => {
      try {
        frames.take(data)
      } catch (error) {
        this.child.kill()
        this.#end(error.message)
      }
    })
    this.child.stderr.on('data', (data) => { this.errors = (this.errors + data).slice(-2000) })
    // A server that has gone is told of by its end.
    this.child.stdin.on('error', () => {})
    this.child.on('error', cannotStart)
    this.child.on('exit', (code, signal) => {
      this.#end(this.isStopping ? null : `'${program} lsp' ended with ${signal ?? `status ${code}`}. ${this.errors}`.trim())
    })
  }

  #take(message) {
    if (message.method !== undefined) {
      if (message.id === undefined) this.onNotification(message.method, message.params)
      return
    }
    const waiting = this.waiting.get(message.id)
    if (!waiting) return
    this.waiting.delete(message.id)
    if (message.error) waiting.reject(new RequestError(message.error))
    else waiting.resolve(message.result)
  }

  #end(reason) {
    if (this.hasEnded) return
    this.hasEnded = true
    for (const { reject } of this.waiting.values()) reject(new Error(reason ?? 'the server ended'))
    this.waiting.clear()
    this.onEnd(reason)
  }

  notify(method, params) {
    if (!this.hasEnded) this.child.stdin.write(frame({ method, params }))
  }

  /** @param token An editor's token for cancellation, or nothing. */
  request(method, params, token) {
    if (this.hasEnded) return Promise.reject(new Error('the server has ended'))
    const id = ++this.count
    const answer = new Promise((resolve, reject) => { this.waiting.set(id, { resolve, reject }) })
    this.child.stdin.write(frame({ id, method, params }))
    const subscription = token?.onCancellationRequested?.(() => this.notify('$/cancelRequest', { id }))
    return answer.finally(() => subscription?.dispose?.())
  }

  async initialize(options) {
    const result = await this.request('initialize', {
      processId: process.pid,
      rootUri: null,
      capabilities: { general: { positionEncodings: ['utf-16'] }, textDocument: { publishDiagnostics: {} } },
      initializationOptions: options,
    })
    this.notify('initialized', {})
    return result
  }

  /** @param limit_ms How long a server may take; one that hangs is the reason why somebody starts it again. */
  async stop(limit_ms = 2000) {
    if (this.hasEnded) return
    this.isStopping = true
    const timer = setTimeout(() => {
      this.child.kill('SIGKILL')
      this.#end(null)
    }, limit_ms)
    const gone = new Promise((resolve) => { this.child.once('exit', resolve) })
    try {
      await this.request('shutdown', null)
      this.notify('exit', null)
      this.child.stdin.end()
      await gone
    } catch {
      // It has ended by itself, which is what was wanted, or was ended.
    }
    clearTimeout(timer)
  }
}

module.exports = { Client, Frames, RequestError, frame }
