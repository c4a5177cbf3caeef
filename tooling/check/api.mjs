// The public API of each published package, as its built types show it, against the report `api.txt` beside its manifest. So a change of it
// is seen in review. `node tooling/check/api.mjs` writes the reports anew; it reads the built packages.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { published } from './packages.mjs'

/** The imports, exports and declarations of one file of types, each by name. */
function readModule(file) {
  const source = readFileSync(file, 'utf8')
  const { program, comments } = parseSync(file, source)
  const module = { imports: new Map(), exports: new Map(), declarations: new Map() }
  const place = (from, name) =>
    from.startsWith('.') ? { file: resolve(dirname(file), from.replace(/\.[jt]sx?$/, '.d.ts')), name } : { from, name }
  const textOf = ({ start, end }) => {
    let text = ''
    let done = start
    for (const comment of comments.filter((each) => each.start >= start && each.end <= end)) {
      text += source.slice(done, comment.start)
      done = comment.end
    }
    return (text + source.slice(done, end)).replaceAll(/[ \t]*\n\s*\n/g, '\n').replace(/^(?:export |declare )+/, '')
  }
  const declare = (name, node) =>
    module.declarations.set(name, [...(module.declarations.get(name) ?? []), textOf(node)])
  for (const statement of program.body) {
    const from = statement.source?.value
    if (statement.type === 'ImportDeclaration') {
      for (const { local, imported } of statement.specifiers)
        module.imports.set(local.name, place(from, imported?.name ?? '*'))
      continue
    }
    if (statement.type === 'ExportAllDeclaration') throw new Error(`${file}: export * has no report`)
    const isExport = statement.type === 'ExportNamedDeclaration'
    for (const { local, exported } of isExport ? statement.specifiers : [])
      module.exports.set(exported.name, from === undefined ? { file, name: local.name } : place(from, local.name))
    const declaration = isExport ? statement.declaration : statement
    const names = declaration?.declarations?.map(({ id }) => id.name) ?? [declaration?.id?.name]
    for (const name of names.filter((each) => each !== undefined)) {
      declare(name, statement)
      if (isExport) module.exports.set(name, { file, name })
    }
  }
  return module
}

/** Prints the report of a package: what each of its entries exports, then the other types of the package that these show. */
export function reportOf(folder) {
  const modules = new Map()
  const moduleOf = (file) => {
    if (!modules.has(file)) modules.set(file, readModule(file))
    return modules.get(file)
  }
  /** Follows a name to its declaration, or out of the package. */
  function find({ file, from, name }) {
    if (from !== undefined) return { from, name }
    const module = moduleOf(file)
    if (module.declarations.has(name)) return { file, name, lines: module.declarations.get(name) }
    const next = module.exports.get(name) ?? module.imports.get(name)
    if (next === undefined) throw new Error(`${file}: no declaration of ${name}`)
    return find(next)
  }
  const { name: packageName, exports = {} } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'))
  const shown = new Map()
  const open = []
  const lines = []
  for (const [entry, { types }] of Object.entries(exports)) {
    if (types === undefined || entry.includes('*')) continue
    const file = resolve(folder, types)
    lines.push(`# ${packageName}${entry.slice(1)}`, '')
    for (const [name, place] of [...moduleOf(file).exports].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
      const found = find(place)
      const key = `${found.file}#${found.name}`
      if (found.from !== undefined) lines.push(`${name}: of ${found.from}`)
      else if (shown.has(key)) lines.push(`${name}: as above`)
      else {
        shown.set(key, true)
        open.push(found)
        lines.push(...found.lines)
        if (found.name !== name) lines.push(`${name}: exported for ${found.name}`)
      }
    }
    lines.push('')
  }
  const others = []
  for (let found = open.shift(); found !== undefined; found = open.shift()) {
    const module = moduleOf(found.file)
    for (const [word] of found.lines.join('\n').matchAll(/[A-Za-z_$][\w$]*/g)) {
      const place = module.declarations.has(word) ? { file: found.file, name: word } : module.imports.get(word)
      if (place === undefined || place.name === '*') continue
      const next = find(place)
      const key = `${next.file}#${next.name}`
      if (next.from !== undefined || shown.has(key)) continue
      shown.set(key, false)
      open.push(next)
      others.push(next.lines.join('\n'))
    }
  }
  if (others.length > 0) lines.push('# not exported, shown by the above', '', ...others.toSorted(), '')
  return lines.join('\n')
}

/** The published packages that have an API, with their reports. */
const reports = () =>
  published()
    .map((folder) => ({ folder, file: `${folder}/api.txt`, text: reportOf(folder) }))
    .filter(({ text }) => text !== '')

/** The step of `pnpm check`. */
export async function api() {
  return reports().flatMap(({ file, text }) => {
    const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
    const now = text.split('\n')
    const at = now.findIndex((line, i) => line !== lines[i])
    if (at === -1 && now.length === lines.length) return []
    const place = at === -1 ? now.length : at
    const change = `was "${lines[place] ?? ''}", is "${now[place] ?? ''}"`
    return [`${file}:${place + 1}: the API has changed: ${change}; node tooling/check/api.mjs writes it down`]
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { file, text } of reports()) writeFileSync(file, text)
}
