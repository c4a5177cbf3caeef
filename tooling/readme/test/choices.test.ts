import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (path: string): string => readFileSync(root + path, 'utf8')
const parents = '{packages,apps,tooling}/*'

const testFiles = globSync(`${parents}/{test,interop}/**/*.ts`, { cwd: root })
const textOf = (file: string): string => read(file).replaceAll(String.raw`\'`, "'")

/** Tells whether a test file of that name, wherever it lies, has that title. */
function hasTest(name: string, title: string): boolean {
  return testFiles.some((file) => file.endsWith(`/${name}`) && textOf(file).includes(title))
}

const pages = globSync(`${parents}/CHOICES.md`, { cwd: root }).map((file) => [file] as const)

it.each(pages)('each choice of %s has a test, which is named by its file and its title', (page) => {
  const rows = read(page)
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (?:topic|---)/.test(line))
  expect(rows.length).toBeGreaterThan(0)
  const faults = rows.filter((row) => {
    const [, file = '', title = ''] = /\| `([\w./-]+\.ts)`: ([^|]+) \|$/.exec(row) ?? []
    return title === '' || !hasTest(file, title)
  })
  expect(faults).toEqual([])
})

it('the packages whose code decides something have a page of choices', () => {
  expect(pages.length).toBeGreaterThan(15)
})
