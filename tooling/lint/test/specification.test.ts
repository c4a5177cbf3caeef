import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const rows = readFileSync(join(root, 'docs/specification.md'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, section, , places, tests] = line.split('|').map((cell) => cell.trim())
    return section?.startsWith('§') === true ? [{ section, places: places!, tests: tests! }] : []
  })
const sections = new Set(rows.map(({ section }) => section.slice(1)))

/** Sections that comments name, with a file that does. */
function namedSections(): ReadonlyMap<string, string> {
  const grep = ['grep', '-oE', 'Spec §[0-9]+(\\.[0-9]+)?(, §[0-9]+(\\.[0-9]+)?)*', '--', 'packages', 'apps', 'tooling']
  const found = execFileSync('git', grep, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  return new Map(
    found
      .filter((line) => !line.startsWith('tooling/lint/'))
      .flatMap((line) =>
        [...line.matchAll(/§([\d.]+)/g)].map(([, section]) => [section!, line.split(':')[0]!] as const),
      ),
  )
}

it('every section of the specification that a comment names has its row in docs/specification.md', () => {
  const named = namedSections()
  expect(named.size).toBeGreaterThan(20)
  expect([...named].filter(([section]) => !sections.has(section))).toEqual([])
})

it('every section has one row, and every place and test of it is there', () => {
  expect(sections.size).toBe(rows.length)
  const absent = rows.flatMap(({ section, places, tests }) => {
    let folder = ''
    const files = [...places.matchAll(/`([\w./-]+)`/g)].flatMap(([, name]) => {
      if (existsSync(join(root, 'packages', name!)) && !name!.includes('/')) folder = `packages/${name}`
      else return [join(folder, name!.startsWith('src') ? name! : `src/${name}`)]
      return []
    })
    const held = [...tests.matchAll(/`([\w./-]+)`/g)].map(([, name]) => name!)
    return [...files, ...held].filter((file) => !existsSync(join(root, file))).map((file) => `${section} ${file}`)
  })
  expect(absent).toEqual([])
})
