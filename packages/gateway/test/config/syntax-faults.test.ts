import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspectConfig, printProblem } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-syntax-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function linesOf(name: string, text: string): Promise<string[]> {
  const file = join(folder, name)
  await writeFile(file, text)
  const { problems } = await inspectConfig(file, {})
  return problems.map((problem) => printProblem(problem, 'f'))
}

describe('YAML', () => {
  it.each([
    [
      'a member that stands twice',
      'networks:\n  mainnet:\n    kind: evm\n    chainId: 1\n    kind: rollup\n',
      'f:5:5: networks.mainnet.kind: expected each member once, got it again, after line 3',
    ],
    [
      'a network that stands twice',
      'networks:\n  mainnet: { kind: evm }\n  sepolia: { kind: evm }\n  mainnet: { kind: evm }\n',
      'f:4:3: networks.mainnet: expected each member once, got it again, after line 2',
    ],
    [
      'a member that stands twice in brackets',
      'projects:\n  - { name: a, keys: [{ key: S3CR3T, key: S3CR3T }] }\n',
      'f:2:38: projects[0].keys[0].key: expected each member once, got it again, after line 2',
    ],
    [
      'a secret that stands twice as a name',
      'admin:\n  S3CR3T: 1\n  S3CR3T: 2\n',
      'f:3:3: admin: expected each member once, got it again, after line 2',
    ],
    [
      'a member less indented than its neighbour',
      'networks:\n  mainnet:\n    kind: evm\n   chainId: 1\n',
      'f:4:4: expected members of one object to begin in one column, got one in column 4',
    ],
    [
      'a member more indented than its neighbour',
      'networks:\n  mainnet:\n    kind: evm\n      chainId: 1\n',
      'f:4:7: expected a member in the column of the one above, which has a value, got one in column 7',
    ],
    [
      'an entry of a list out of its column',
      'bareHosts:\n  - a.example\n - b.example\n',
      'f:3:2: expected entries of one list to begin in one column, got one in column 2',
    ],
    [
      'an entry of a list without its dash',
      'bareHosts:\n  - a.example\n  b.example\n',
      'f:3:3: expected - in front of an entry of a list, or a colon behind the name of a member, got neither',
    ],
    ['a tab', 'networks:\n\tmainnet: {}\n', 'f:2:1: expected spaces at the beginning of a line, got a tab'],
    [
      'a name without its colon',
      'networks:\n  mainnet\n    kind: evm\n',
      'f:2:3: expected a colon behind the name of a member, got none in this line',
    ],
    [
      'a colon without its space',
      'networks:\n  mainnet:\n    kind: evm\n    chainId:1\n',
      'f:4:5: expected a colon and a space behind the name of a member, got none',
    ],
    [
      'two colons in a line',
      'dataDir: a: b\n',
      'f:1:10: expected one member a line, got a second colon; write a text with ": " in it in quotes, and members of members on lines of their own',
    ],
    ['a quote that does not end', 'dataDir: "S3CR3T\nnetworks: {}\n', 'f:1:10: expected a closing ", got none'],
    [
      'a bracket that does not end',
      'networks: { mainnet: { kind: evm }\nprojects: []\n',
      'f:2:1: expected a closing }, indented, got none',
    ],
    [
      'a text that begins with @',
      'dataDir: @here\n',
      'f:1:10: expected quotes around a text that begins with such a character, got none',
    ],
    [
      'a second document',
      'networks: {}\n---\nprojects: []\n',
      'f:2:1: expected one document, got a second one, after ---',
    ],
  ])('%s', async (_, text, line) => {
    expect(await linesOf('a.yaml', text)).toEqual([line])
  })
})

describe('JSON', () => {
  it.each([
    [
      'a member that stands twice',
      '{\n "networks": {},\n "networks": {}\n}',
      'f:3:2: networks: expected each member once, got it again, after line 2',
    ],
    ['a comma before the end', '{"a": 1,\n}', 'f:2:1: expected no comma in front of the closing }, got one'],
    ['single quotes', "{'networks': 1}", 'f:1:2: expected double quotes, got single ones'],
    ['a name without quotes', '{networks: 1}', 'f:1:2: expected the name of a member in double quotes, got none'],
    ['a comment', '{\n // a\n}', 'f:2:2: expected no comment, as JSON has none, got one; YAML has comments'],
    ['no end', '{\n "networks": "S3CR3T', 'f:2:21: expected a closing bracket or quote, got the end of the file'],
    ['no comma', '{"a": 1,\n "b": 2 "c": 3}', 'f:2:9: expected a comma or a colon between two values, got none'],
    ['no colon', '{"a" 1}', 'f:1:6: expected JSON, got something out of place'],
  ])('%s', async (_, text, line) => {
    expect(await linesOf('a.json', text)).toEqual([line])
  })
})
