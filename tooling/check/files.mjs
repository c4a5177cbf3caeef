import { readFileSync } from 'node:fs'
import { listFiles } from './list-files.mjs'

const { maxLines, longFiles } = JSON.parse(readFileSync(new URL('config.json', import.meta.url), 'utf8'))

const readText = (file) => {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined // deleted, not yet committed
    throw error
  }
}

/** Sources stay short, and an index names what it exports. */
export async function conventions() {
  const problems = []
  const long = new Set()
  for (const file of await listFiles()) {
    if (!/^(packages|apps|tooling)\/.*\.m?[jt]sx?$/.test(file) || file.includes('/vectors/')) continue
    const text = readText(file)
    if (text === undefined) continue
    const isSource = /\/src\//.test(file)
    const lines = text.split('\n').length - 1
    if (isSource && lines > maxLines) long.add(file)
    if (isSource && lines > maxLines && !Object.hasOwn(longFiles, file))
      problems.push(
        `${file}: ${lines} lines, at most ${maxLines}: split it, or give a reason in tooling/check/config.json`,
      )
    if (isSource && /^export \*/m.test(text)) problems.push(`${file}: \`export *\`: name what it exports`)
  }
  for (const file of Object.keys(longFiles))
    if (!long.has(file)) problems.push(`tooling/check/config.json: ${file} is not that long any more: drop its row`)
  return problems
}

const forbidden = [
  { what: 'a path of one machine', pattern: /(?<![\w.~*-])\/(?:work|root|home\/\w+|Users\/\w+)\/[\w.-]/ },
  {
    what: 'the host of a package registry',
    pattern: /\b(?:registry\.(?:npmjs|yarnpkg|npmmirror)\.\w+|npm\.pkg\.github\.com)\b/,
  },
  { what: 'a tarball from elsewhere', pattern: /\btarball: ?https?:/, only: /^pnpm-lock\.yaml$/ },
]

/** Nothing tells on whose machine, or through which registry, the repository was made. */
export async function hygiene() {
  const problems = []
  for (const file of await listFiles()) {
    if (/\.(png|jpe?g|ico|gz|tgz|car|bin|woff2?)$/.test(file)) continue
    const lines = (readText(file) ?? '').split('\n')
    for (const { what, pattern, only } of forbidden) {
      if (only && !only.test(file)) continue
      const at = lines.findIndex((line) => pattern.test(line))
      if (at >= 0) problems.push(`${file}:${at + 1}: ${what}: ${pattern.exec(lines[at])[0]}`)
    }
  }
  return problems
}
