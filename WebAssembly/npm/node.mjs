// Node as the module's host: files, terminal, network.
import { existsSync, readFileSync, readdirSync, realpathSync, renameSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { lookup } from 'node:dns/promises'
import { request as requestPlain } from 'node:http'
import { request as requestTLS } from 'node:https'
import { isIP } from 'node:net'
import { Refusal, answer, failure } from './host.mjs'

/** The module, compiled once. */
export const module = new WebAssembly.Module(readFileSync(new URL('linkspan.wasm', import.meta.url)))

const words = {
  EACCES: 'Permission denied', EPERM: 'Operation not permitted', ENOENT: 'No such file or directory',
  EISDIR: 'Is a directory', ENOTDIR: 'Not a directory', ELOOP: 'Too many levels of symbolic links',
  ENAMETOOLONG: 'File name too long', EROFS: 'Read-only file system', ENOSPC: 'No space left on device',
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
  fetch,
}

const certificateFaults = {
  CERT_HAS_EXPIRED: 'expired', ERR_TLS_CERT_ALTNAME_INVALID: 'name', DEPTH_ZERO_SELF_SIGNED_CERT: 'untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'untrusted', UNABLE_TO_GET_ISSUER_CERT: 'untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'untrusted', UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'untrusted',
}

/** Whether an address is one of the networks that Apple's CDN refuses (T9). */
export function isPrivate(address) {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '')
  if (isIP(plain) === 4) {
    const [a, b, c] = plain.split('.').map(Number)
    return a === 0 || a === 10 || a === 127 || a >= 224 || (a === 100 && b >= 64 && b < 128) || (a === 169 && b === 254)
      || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 192 && b === 0 && (c === 0 || c === 2))
      || (a === 198 && (b === 18 || b === 19)) || (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113)
  }
  return !/^[23]/.test(plain) || /^2001:db8:/.test(plain)
}

/** Asks one question, follows no redirect, and reads no more than the limit. */
async function fetch({ url, method, fields, timeout_s, limit_bytes, private: allowsPrivate }) {
  const target = new URL(url)
  const name = target.hostname.replace(/^\[|\]$/g, '')
  let addresses
  try {
    addresses = await lookup(name, { all: true })
  } catch {
    return failure('unresolvable')
  }
  const address = addresses.find((found) => allowsPrivate || !isPrivate(found.address))
  if (!address) return failure('private', addresses[0]?.address ?? '')
  const send = target.protocol === 'https:' ? requestTLS : requestPlain
  return new Promise((resolve) => {
    const call = send(target, {
      method, headers: Object.fromEntries(fields), agent: false,
      lookup: (_, options, done) => (options.all ? done(null, [address]) : done(null, address.address, address.family)),
    })
    const timer = setTimeout(() => {
      resolve(failure('timeout'))
      call.destroy()
    }, timeout_s * 1000)
    const settle = (value) => {
      clearTimeout(timer)
      resolve(value)
    }
    call.on('response', (response) => {
      const pieces = []
      let size = 0
      const finish = () => {
        const list = []
        for (let index = 0; index < response.rawHeaders.length; index += 2) {
          list.push([response.rawHeaders[index], response.rawHeaders[index + 1]])
        }
        settle(answer(response.statusCode, list, Buffer.concat(pieces).subarray(0, limit_bytes)))
      }
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
      if (certificateFaults[code]) return settle(failure(certificateFaults[code], error.message))
      if (/^CERT_|_CERT/.test(code)) return settle(failure('certificate', error.message))
      if (/^HPE_/.test(code)) return settle(failure('malformed', error.message))
      if (/SSL|TLS/.test(code)) return settle(failure('handshake', error.message))
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
