import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as starknetTypes from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
const { starknetMethods, starknetVersions } = starknetTypes

test('every function of the package is in the README', () => {
  const functions = Object.entries(starknetTypes).flatMap(([name, value]) =>
    typeof value === 'function' ? [name] : [],
  )
  expect(functions.filter((name) => !readme.includes(`\`${name}`))).toEqual([])
})

test('the table of versions has all of them, and counts their methods', () => {
  const cells = (first: string): readonly string[] =>
    readme
      .split('\n')
      .find((line) => line.startsWith(`| ${first}|`))!
      .split('|')
      .slice(2, -1)
      .map((cell) => cell.trim())
  expect(cells('')).toEqual(starknetVersions)
  expect(cells('methods ').map(Number)).toEqual(
    starknetVersions.map((version) => Object.keys(starknetMethods[version]).length),
  )
})
