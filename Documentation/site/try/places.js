'use strict'
// Where in a text of JSON a rule begins and ends, for selecting it.

/** The places of the values of a text, as a tree; null where it is no JSON. */
function placed(text) {
  let place = 0
  const blank = () => { while (/\s/.test(text[place] ?? '')) place++ }
  const string = () => {
    const start = place++
    while (place < text.length && text[place] !== '"') place += text[place] === '\\' ? 2 : 1
    place++
    return JSON.parse(text.slice(start, place))
  }
  const value = (depth) => {
    if (depth > 100) throw new Error('too deep')
    blank()
    const start = place
    const node = { start, members: new Map(), elements: [] }
    if (text[place] === '{' || text[place] === '[') {
      const isObject = text[place] === '{'
      const end = isObject ? '}' : ']'
      place++
      blank()
      while (text[place] !== end) {
        if (place >= text.length) throw new Error('cut off')
        blank()
        if (isObject) {
          const name = string()
          blank()
          place++
          node.members.set(name, value(depth + 1))
        } else {
          node.elements.push(value(depth + 1))
        }
        blank()
        if (text[place] === ',') place++
        blank()
      }
      place++
    } else if (text[place] === '"') {
      string()
    } else {
      while (place < text.length && !/[\s,\]}]/.test(text[place])) place++
      if (place === start) throw new Error('no value')
    }
    node.end = place
    return node
  }
  try {
    JSON.parse(text)
    return value(0)
  } catch {
    return null
  }
}

/** The place of the entry of `details` that an answer names, or of the rule in it. */
window.linkspanPlaces = (text, { entry, rule, os }) => {
  const details = placed(text)?.members.get('applinks')?.members.get('details')
  // The obsolete form has the entries as members.
  const found = details?.elements[entry] ?? [...(details?.members.values() ?? [])][entry]
  if (!found || rule === null || rule === undefined) return found
  const [, release] = /^(?:ios|tvos):([0-9]+)/.exec(os ?? '') ?? []
  // J8: releases before 13 read 'paths' where both are there.
  const names = Number(release) < 13 ? ['paths'] : ['components', 'paths']
  const rules = found.members.get(names.find((name) => found.members.has(name)))
  return rules?.elements[rule] ?? found
}
