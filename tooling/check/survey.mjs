// Prints signs to look at, for each package: files and lines of src, exports that one neighbour alone uses, short files with one
// importer, and comments that open with a word that style avoids. `node tooling/check/survey.mjs [FOLDER] [--list]`
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const only = process.argv.slice(2).find((argument) => !argument.startsWith('--'))
const lists = process.argv.includes('--list')
const shortLines = 40
const opener = /^\s*(?:\/\/|\/\*\*|\*) ?(?:What|Who|Where|Of|Hears)\b/

/** Private exports with one user, short files with one importer, and comments, of one package. */
function survey(folder, files) {
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
  const { exports = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const entries = new Set(
    [...JSON.stringify(exports).matchAll(/\.\/(src\/[^"*]+\.ts)/g)].map(([, path]) => join(folder, path)),
  )
  const isEntry = (file) => entries.has(file) || file.endsWith('/index.ts')
  const users = new Map()
  const importers = new Map()
  const add = (map, key, value) => map.set(key, (map.get(key) ?? new Set()).add(value))
  for (const [file, text] of texts) {
    for (const [, names = '', path] of text.matchAll(
      /(?:import|export)\s+(?:type\s+)?(?:\{([^}]*)\}|\* as \w+)\s*from\s*'(\.[^']+)'/g,
    )) {
      const target = normalize(join(dirname(file), path))
      add(importers, target, file)
      for (const name of names.split(',').map(
        (each) =>
          each
            .replace(/\btype\b/, '')
            .trim()
            .split(/\s+as\s+/)[0],
      )) {
        if (name !== '') add(users, `${target} ${name}`, file)
      }
    }
    for (const [, path] of text.matchAll(/import\('(\.[^']+)'\)/g))
      add(importers, normalize(join(dirname(file), path)), file)
  }
  const exported = [...texts].flatMap(([file, text]) =>
    isEntry(file)
      ? []
      : [...text.matchAll(/^export (?:abstract |async )*(?:function\*?|const|let|class|interface|type) (\w+)/gm)].map(
          ([, name]) => ({
            name: `${file} ${name}`,
            users: [...(users.get(`${file} ${name}`) ?? [])],
          }),
        ),
  )
  const hidden = exported.filter((each) => !each.users.some(isEntry))
  const linesOf = (text) => text.split('\n').length - 1
  return {
    lines: [...texts.values()].reduce((sum, text) => sum + linesOf(text), 0),
    hidden: hidden.map(({ name }) => name),
    oneUser: hidden.filter((each) => each.users.length === 1).map(({ name }) => name),
    short: files.filter((file) => {
      const by = [...(importers.get(file) ?? [])]
      return linesOf(texts.get(file)) < shortLines && by.length === 1 && !isEntry(by[0]) && !isEntry(file)
    }),
    openers: [...texts].flatMap(([file, text]) =>
      text.split('\n').flatMap((line, i) => (opener.test(line) ? [`${file}:${i + 1}`] : [])),
    ),
  }
}

const tracked = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n')
const byFolder = Map.groupBy(
  tracked.filter((file) => /^(?:packages|apps)\/[^/]+\/src\/.*\.ts$/.test(file) && existsSync(file)),
  (file) => file.split('/').slice(0, 2).join('/'),
)
const total = { lines: 0, hidden: 0, oneUser: 0, short: 0, openers: 0 }
for (const [folder, files] of byFolder) {
  if (only !== undefined && folder !== only) continue
  const found = survey(folder, files)
  total.lines += found.lines
  for (const key of ['hidden', 'oneUser', 'short', 'openers']) total[key] += found[key].length
  const { hidden, oneUser, short, openers } = found
  console.log(
    `${folder.padEnd(24)} ${files.length} files, ${found.lines} lines; ${oneUser.length} of ${hidden.length} private exports have one user; ` +
      `${short.length} short files with one importer; ${openers.length} openers`,
  )
  if (lists) for (const sign of [...oneUser, ...short, ...openers]) console.log(`  ${sign}`)
}
const percent = ((100 * total.oneUser) / total.hidden).toFixed(1)
console.log(
  `all: ${total.lines} lines; ${total.oneUser} of ${total.hidden} (${percent} %) have one user; ${total.short} short files; ${total.openers} openers`,
)
