import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(root + path, 'utf8')
const parents = '{packages,apps,tooling}/*'

/** The text of the test files of each name, wherever they lie. */
const tests = new Map<string, string>()
for (const file of globSync(`${parents}/{test,interop}/**/*.ts`, { cwd: root })) {
  const text = read(file).replaceAll(String.raw`\'`, "'")
  tests.set(basename(file), `${tests.get(basename(file)) ?? ''}\n${text}`)
}

const pages = globSync(`${parents}/CHOICES.md`, { cwd: root }).map((file) => [file] as const)

it.each(pages)('each choice of %s has a test, which is named by its file and its title', (page) => {
  const rows = read(page)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:topic|---)/.test(line))
  expect(rows.length).toBeGreaterThan(0)
  const faults = rows.filter((row) => {
    const [, file = '', title = ''] = /\| `([\w.-]+\.ts)`: ([^|]+) \|$/.exec(row) ?? []
    return title === '' || tests.get(file)?.includes(title) !== true
  })
  expect(faults).toEqual([])
})

it('the packages whose code decides something have a page of choices', () => {
  expect(pages.length).toBeGreaterThan(15)
})
