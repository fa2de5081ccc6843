'use strict'
// Reads the property lists of an .ipa: the names of the archive, and of those that matter the bytes, which the browser unpacks.

window.linkspanArchive = {
  // Ours: property lists have some kilobytes, profiles some hundred.
  limitBytes: 4 << 20,

  isArchive: (bytes) => bytes[0] === 0x50 && bytes[1] === 0x4b && bytes[2] === 3 && bytes[3] === 4,

  /** The entries of the central directory: name, method, size and place. */
  entries(bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    let end = bytes.length - 22
    while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--
    if (end < 0) throw new Error('the archive has no directory')
    let place = view.getUint32(end + 16, true)
    const entries = []
    for (let left = view.getUint16(end + 10, true); left > 0; left--) {
      if (place + 46 > bytes.length || view.getUint32(place, true) !== 0x02014b50) throw new Error('the directory of the archive is damaged')
      const nameBytes = view.getUint16(place + 28, true)
      entries.push({
        name: new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + nameBytes)),
        method: view.getUint16(place + 10, true), packed: view.getUint32(place + 20, true),
        size: view.getUint32(place + 24, true), start: view.getUint32(place + 42, true),
      })
      place += 46 + nameBytes + view.getUint16(place + 30, true) + view.getUint16(place + 32, true)
    }
    return entries
  },

  async content(bytes, entry) {
    if (entry.size > this.limitBytes || entry.packed > this.limitBytes) throw new Error(`'${entry.name}' is too large`)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const start = entry.start + 30 + view.getUint16(entry.start + 26, true) + view.getUint16(entry.start + 28, true)
    const packed = bytes.subarray(start, start + entry.packed)
    if (entry.method === 0) return packed
    if (entry.method !== 8) throw new Error(`'${entry.name}' is packed in a way that browsers do not unpack`)
    const reader = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
    const pieces = []
    let size = 0
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      size += piece.value.length
      // The directory may say less than there is.
      if (size > this.limitBytes) throw new Error(`'${entry.name}' is too large`)
      pieces.push(piece.value)
    }
    return new Uint8Array(await new Blob(pieces).arrayBuffer())
  },

  /** The property lists of the app, by name. */
  async propertyLists(bytes) {
    const wanted = /^Payload\/[^/]+\.app\/(Info\.plist|embedded\.mobileprovision|archived-expanded-entitlements\.xcent)$/
    const files = []
    for (const entry of this.entries(bytes)) {
      if (wanted.test(entry.name)) files.push([entry.name.split('/').pop(), await this.content(bytes, entry)])
    }
    if (files.length === 0) throw new Error('the archive has no Payload/NAME.app/Info.plist')
    return files
  },
}
