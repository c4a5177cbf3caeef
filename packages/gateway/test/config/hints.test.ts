import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkConfig, inspectConfig, printProblem } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-hints-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** The lines that a person sees about a file. */
async function linesOf(name: string, text: string, env: Record<string, string> = {}): Promise<string[]> {
  const file = join(folder, name)
  await writeFile(file, text)
  const { problems } = await inspectConfig(file, env)
  return problems.map((problem) => printProblem(problem, name))
}

const network = (chainId = '1', upstreams = '[https://node.example.org]', more = ''): string =>
  `networks:\n  mainnet:\n    kind: evm\n    chainId: ${chainId}\n    upstreams: ${upstreams}\n${more}`

describe('a mistyped member', () => {
  it('is told by the one that was meant, at every depth, and not told again as missing', async () => {
    const text = `netwroks:
  mainnet: { kind: evm, chainId: 1, upstreams: [https://node.example.org] }
project:
  - { name: demo, keys: [] }
`
    expect(await linesOf('a.yaml', text)).toEqual([
      'a.yaml:1:1: netwroks: expected a known member, got an unknown member; did you mean "networks"?',
      'a.yaml:3:1: project: expected a known member, got an unknown member; did you mean "projects"?',
    ])
    const deeper = `networks:
  mainnet:
    kind: evm
    chainID: 1
    upstreams:
      - urll: https://node.example.org
        budget: { perSeconds: 5 }
projects:
  - name: demo
    keys: [{ Key: an-example-key-of-16 }]
`
    expect(await linesOf('b.yaml', deeper)).toEqual([
      'b.yaml:4:14: networks.mainnet.chainID: expected a known member, got an unknown member; did you mean "chainId"?',
      'b.yaml:6:15: networks.mainnet.upstreams[0].urll: expected a known member, got an unknown member; did you mean "url"?',
      'b.yaml:7:31: networks.mainnet.upstreams[0].budget.perSeconds: expected a known member, got an unknown member; did you mean "perSecond"?',
      'b.yaml:10:19: projects[0].keys[0]: expected a known member, got an unknown member; did you mean "key"?',
    ])
  })

  it('in JSON, too', async () => {
    const text =
      '{\n  "networks": {\n    "main": { "kind": "evm", "chainId": 1, "upstream": ["https://a.example"] }\n  }\n}'
    expect(await linesOf('a.json', text)).toEqual([
      'a.json:3:44: networks.main.upstream: expected a known member, got an unknown member; did you mean "upstreams"?',
    ])
  })

  it('is told by all that there are, if none is near', async () => {
    expect(await linesOf('c.yaml', network('1', undefined, 'listen: { http: 1 }\n'))).toEqual([
      'c.yaml:6:17: listen.http: expected one of: rpc, ipfs, admin, tls, compress, got an unknown member',
    ])
  })
})

describe('a value that is almost right', () => {
  it.each([
    [
      'quotes around a number',
      network('"1"'),
      '4:14: networks.mainnet.chainId: expected a chain id as a decimal number, got "1"; write it without quotes',
    ],
    [
      'a chain id in hex',
      network('"0xa4b1"'),
      '4:14: networks.mainnet.chainId: expected a chain id as a decimal number, got "0xa4b1"; write it as 42161, without quotes',
    ],
    [
      'a number with commas',
      network('1', undefined, 'limits: { maxBatch: "1,000" }'),
      '6:21: limits.maxBatch: expected a whole number above 0, got "1,000"; write it as 1000, without quotes',
    ],
    [
      'a switch in quotes',
      network('1', undefined, 'onlyLocal: "true"'),
      '6:12: onlyLocal: expected true or false, got another value; write it without quotes',
    ],
    [
      'a number from the environment',
      network('${ID}'),
      '4:14: networks.mainnet.chainId: expected a chain id as a decimal number, got "5"; write the value itself, as ${…} stands for text alone',
    ],
    [
      'a number for a text',
      network('1', undefined, 'projects: [{ name: 5, keys: [] }]'),
      '6:20: projects[0].name: expected a name of letters, digits, - and _, got 5; write it in quotes',
    ],
    [
      'a mistyped word',
      network().replace('kind: evm', 'kind: Evm'),
      '3:11: networks.mainnet.kind: expected "evm", "rollup", "starknet" or "jsonrpc", got "Evm"; did you mean "evm"?',
    ],
    [
      'a mistyped name of a network',
      network('1', undefined, 'defaultNetwork: mainet'),
      '6:17: defaultNetwork: expected one of mainnet, got "mainet"; did you mean "mainnet"?',
    ],
    [
      'one entry where a list belongs',
      network('1', 'https://node.example.org'),
      '5:16: networks.mainnet.upstreams: expected an array, each a URL or { url }, got another value; write it as a list: in [ ], or with "- " in front of it',
    ],
    [
      'members that are not indented',
      'networks:\n  mainnet:\n',
      '2:11: networks.mainnet: expected a network, got null; give it a value, or indent its members below it',
    ],
  ])('%s', async (_, text, line) => {
    expect(await linesOf('v.yaml', text, { ID: '5' })).toEqual([`v.yaml:${line}`])
  })
})

it('a large configuration is not checked again for the sake of a hint, which needs none for a name', () => {
  const messageOf = (projects: number): string => {
    const keys = [{ key: 'an-example-key-of-16', disabled: 'true' }]
    const others = Array.from({ length: projects }, (_, i) => ({ name: `p${i}`, keys: [] }))
    try {
      checkConfig({ networks: {}, projects: [{ naem: 'demo', keys }, ...others] })
    } catch (thrown) {
      return (thrown as Error).message
    }
    return ''
  }
  const line = (hint: string): string =>
    `projects[0].naem: expected a known member, got an unknown member; did you mean "name"?\nprojects[0].keys[0].disabled: expected true or false, got another value${hint}\nnetworks: expected at least one network, got none`
  expect(messageOf(10)).toBe(line('; write it without quotes'))
  expect(messageOf(4_000)).toBe(line(''))
})

describe('a URL without a scheme', () => {
  const line = (words: string): string =>
    `u.yaml:5:17: networks.mainnet.upstreams[0]: expected an http, https, ws or wss URL, got another value; ${words}`

  it.each([
    ['localhost:8545', 'did you mean http://localhost:8545?'],
    ['127.0.0.1:8545', 'did you mean http://127.0.0.1:8545?'],
    ['geth.example.org:8545', 'did you mean http://geth.example.org:8545?'],
    ['eth.example.org/v3/S3CR3T', 'write https:// in front of it'],
    ['geth:8545', 'write http:// in front of it'],
    ['htpp://eth.example.org/S3CR3T', 'did you mean http://?'],
  ])('%s is told of without what may be secret', async (url, words) => {
    const own = 'listen: { rpc: 127.0.0.1:8547 }'
    expect(await linesOf('u.yaml', network('1', `[${url}]`, own))).toEqual([line(words)])
  })

  it('of a socket has that of a socket', async () => {
    expect(await linesOf('w.yaml', network('1', "[{ url: 'http://a.example', ws: 'localhost:8549' }]"))).toEqual([
      'w.yaml:5:48: networks.mainnet.upstreams[0].ws: expected a ws or wss URL, got another value; did you mean ws://localhost:8549?',
    ])
  })

  it('from the environment is not told', async () => {
    expect(await linesOf('u.yaml', network('1', '["${URL}"]'), { URL: 'localhost:8547' })).toEqual([
      line('write http:// in front of it'),
    ])
  })
})

describe('addresses that cannot all be had', () => {
  const lines = (listen: object, more: object = {}): string => {
    try {
      checkConfig({
        networks: { main: { kind: 'evm', chainId: 1, upstreams: ['https://a.example'] } },
        admin: { token: 'Zk3vQ8mXw2Lr7TnB5yHc' },
        listen,
        ...more,
      })
      return ''
    } catch (thrown) {
      return (thrown as Error).message
    }
  }

  it.each([
    [
      { rpc: '127.0.0.1:8546' },
      'listen.rpc: expected a port of its own, got that of listen.admin, 127.0.0.1:8546 by default',
    ],
    [
      { rpc: '127.0.0.1:1', admin: '0.0.0.0:1' },
      'listen.admin: expected a port of its own, got that of listen.rpc, 127.0.0.1:1',
    ],
    [
      { rpc: '[::]:1', admin: 'localhost:1' },
      'listen.admin: expected a port of its own, got that of listen.rpc, [::]:1',
    ],
    [
      { admin: 'localhost:8545' },
      'listen.admin: expected a port of its own, got that of listen.rpc, 127.0.0.1:8545 by default',
    ],
    [{ rpc: '127.0.0.1:0', admin: '127.0.0.1:0' }, ''],
    [{ rpc: '127.0.0.1:1', admin: '[::1]:1' }, ''],
    [{ rpc: '[::1]:1', admin: 'localhost:1' }, ''],
    [{ rpc: '10.0.0.1:1', admin: '10.0.0.2:1' }, ''],
    [{ rpc: '127.0.0.1:5001' }, ''],
  ])('%j', (listen, line) => {
    expect(lines(listen)).toBe(line)
  })

  it('count the IPFS listener where there is one', () => {
    const ipfs = { ipfs: { backend: 'local', dir: 'x' }, store: { sqlite: 'y' } }
    expect(lines({ rpc: '127.0.0.1:5001' }, ipfs)).toBe(
      'listen.rpc: expected a port of its own, got that of listen.ipfs, 127.0.0.1:5001 by default',
    )
  })

  it.each([
    ['[::1]:9545', 'http://localhost:9545'],
    ['0.0.0.0:9545', 'http://[::1]:9545'],
    ['0.0.0.0:9545', 'http://10.0.0.5:9545'],
    ['[::]:9545', 'http://10.0.0.5:9545'],
  ])('a listener at %s is perhaps not the upstream at %s', (rpc, url) => {
    expect(lines({ rpc }, { networks: { main: { kind: 'evm', chainId: 1, upstreams: [url] } } })).toBe('')
  })

  it.each([
    ['[::]:9545', 'http://localhost:9545'],
    ['[::]:9545', 'http://[::1]:9545'],
    ['0.0.0.0:9545', 'http://127.0.0.1:9545'],
    ['localhost:9545', 'http://127.0.0.1:9545'],
    ['[::1]:9545', 'http://[::1]:9545'],
  ])('a listener at %s is the upstream at %s', (rpc, url) => {
    expect(lines({ rpc }, { networks: { main: { kind: 'evm', chainId: 1, upstreams: [url] } } })).toContain('itself')
  })

  it.each([
    ['http://localhost:8545', 'rpc', '127.0.0.1:8545'],
    ['ws://127.0.0.1:8546', 'admin', '127.0.0.1:8546'],
  ])('an upstream at %s is the gateway itself', (url, name, own) => {
    const networks = { main: { kind: 'evm', chainId: 1, upstreams: [url] } }
    expect(lines({}, { networks })).toBe(
      `networks.main.upstreams[0]: expected the address of a node: listen.${name} is ${own} itself, so give it another port, got the same`,
    )
    expect(lines({ rpc: '127.0.0.1:1', admin: '127.0.0.1:2' }, { networks })).toBe('')
  })
})
