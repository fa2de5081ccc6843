// Node as the module's host: files, terminal, network.
import { existsSync, readFileSync, readdirSync, realpathSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { request as requestPlain } from 'node:http'
import { request as requestTLS } from 'node:https'
import { isIP } from 'node:net'
import { Refusal, addressList, answer, failure } from './host.mjs'

/** The module, compiled once. */
export const module = new WebAssembly.Module(readFileSync(new URL('linkspan.wasm', import.meta.url)))

const words = {
  EACCES: 'Permission denied', EPERM: 'Operation not permitted', ENOENT: 'No such file or directory',
  EISDIR: 'Is a directory', ENOTDIR: 'Not a directory', ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long', ECONNREFUSED: 'Connection refused', ENETUNREACH: 'Network is unreachable',
  EHOSTUNREACH: 'No route to host', EROFS: 'Read-only file system', ENOSPC: 'No space left on device',
}

function refusing(work) {
  try {
    return work()
  } catch (error) {
    if (!error.code) throw error
    throw new Refusal(words[error.code] ?? error.message)
  }
}

export const host = {
  read: (path) => refusing(() => readFileSync(path === '-' ? 0 : path)),
  kind: (path) => refusing(() => {
    let entry
    try {
      entry = statSync(path)
    } catch (error) {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return 'missing'
      throw error
    }
    return entry.isDirectory() ? 'folder' : entry.isFile() ? 'file' : 'special'
  }),
  names: (path) => refusing(() => readdirSync(path).join('\0')),
  resolved(path) {
    try {
      return realpathSync(path)
    } catch {
      return undefined
    }
  },
  write: (path, bytes) => refusing(() => {
    // Whoever opens the file sees all of it or what was there; its mode stays.
    const mode = existsSync(path) ? statSync(path).mode & 0o777 : 0o644
    const draft = `${path}.linkspan-${process.pid}`
    writeFileSync(draft, bytes, { mode, flag: 'wx' })
    renameSync(draft, path)
    return ''
  }),
  keepCopy: (path) => refusing(() => {
    const target = realpathSync(path)
    for (let number = 1; ; number++) {
      const copy = number === 1 ? `${target}.orig` : `${target}.orig.${number}`
      try {
        writeFileSync(copy, readFileSync(target), { mode: statSync(target).mode & 0o777, flag: 'wx' })
        return copy
      } catch (error) {
        if (error.code !== 'EEXIST') throw error
      }
    }
  }),
  environment: (name) => process.env[name],
  columns(descriptor) {
    const stream = descriptor === '1' ? process.stdout : process.stderr
    return stream.isTTY ? String(stream.columns || 80) : undefined
  },
  addresses,
  fetch,
}

const certificateFaults = {
  CERT_HAS_EXPIRED: 'expired', ERR_TLS_CERT_ALTNAME_INVALID: 'name', DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted', UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted', UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
}

/** All addresses of a name; the module decides which may be asked. */
async function addresses({ host }) {
  try {
    return addressList((await lookup(host, { all: true, verbatim: true })).map((found) => found.address))
  } catch {
    return failure('unresolvable')
  }
}

/** Asks one question at the first of the addresses that takes the connection. */
async function fetch(question) {
  let last = failure('unreachable', 'there is no address to connect to')
  for (const place of question.addresses) {
    const { value, isRefused } = await ask(question, place)
    if (!isRefused) return value
    last = value
  }
  return last
}

/** Asks at one address, follows no redirect, and reads no more than the limit. */
function ask({ url, method, fields, timeout_s, limit_bytes, ca }, { address, port }) {
  const target = new URL(url)
  const name = target.hostname.replace(/^\[|\]$/g, '')
  const isTLS = target.protocol === 'https:'
  return new Promise((resolve) => {
    const call = (isTLS ? requestTLS : requestPlain)({
      method, path: target.pathname + target.search, host: address, port, ca, agent: false, servername: isIP(name) ? '' : name,
      headers: { Host: target.host, ...Object.fromEntries(fields) },
    })
    let began
    const settle = (value, isRefused = false) => {
      clearTimeout(timer)
      resolve({ value, isRefused })
    }
    const timer = setTimeout(() => {
      settle(began ? failure('unfinished', '', { received_bytes: began() }) : failure('timeout'))
      call.destroy()
    }, timeout_s * 1000)
    call.on('response', (response) => {
      const pieces = []
      const list = []
      for (let index = 0; index < response.rawHeaders.length; index += 2) {
        list.push([response.rawHeaders[index], response.rawHeaders[index + 1]])
      }
      let size = 0
      began = () => list.reduce((sum, [field, value]) => sum + field.length + value.length + 4, size + 19)
      const certificate = isTLS ? response.socket.getPeerCertificate().raw?.toString('hex') : undefined
      const finish = () => settle(answer(response.statusCode, list, Buffer.concat(pieces).subarray(0, limit_bytes), certificate))
      response.on('data', (piece) => {
        pieces.push(piece)
        size += piece.length
        if (size > limit_bytes) {
          finish()
          call.destroy()
        }
      })
      response.on('end', finish)
      response.on('error', (error) => settle(failure('malformed', error.message)))
    })
    call.on('error', (error) => {
      const code = error.code ?? ''
      const where = `connecting to ${isIP(address) === 6 ? `[${address}]` : address}:${port}`
      if (error.syscall === 'connect') return settle(failure('unreachable', `${where}: ${words[code] ?? error.message}`), true)
      if (certificateFaults[code]) return settle(failure(certificateFaults[code], error.message))
      if (/^CERT_|_CERT/.test(code)) return settle(failure('certificate', error.message))
      if (/^HPE_/.test(code)) return settle(failure('malformed', error.message))
      if (/SSL|TLS|EPROTO/.test(code)) return settle(failure('handshake', error.message))
      settle(failure('unreachable', words[code] ?? error.message))
    })
    call.end()
  })
}

/** Writes all of it, also where the reader is slow or has gone. */
export function writeAll(descriptor, bytes) {
  let place = 0
  while (place < bytes.length) {
    try {
      place += writeSync(descriptor, bytes, place)
    } catch (error) {
      if (error.code === 'EAGAIN') {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
        continue
      }
      if (error.code === 'EPIPE') return
      throw error
    }
  }
}
