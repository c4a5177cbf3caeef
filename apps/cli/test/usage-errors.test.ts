// Wrong use of every command: in words with a suggestion, and with --json as a line of JSON.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commands } from '../src/commands.ts'
import { runProcess, runWayleave } from './helpers.ts'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

describe('wrong use with --json', () => {
  it.each([
    ...commands.map(({ name }) => [name]),
    ['block'],
    ['keys', 'list'],
    ['projects', 'create'],
    ['ipfs', 'add'],
    ['ipfs', 'pin', 'ls'],
    ['eth', 'get-balance'],
    ['eth', 'subscribe'],
    ['starknet', 'subscribe'],
  ])('of %s %s is a line of JSON on stdout, and code 2', async (...words) => {
    const { code, stdout, stderr } = await runWayleave([...words, '--no-such-flag', '--json'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    expect(stdout).toMatch(/^[^\n]+\n$/)
    expect(JSON.parse(stdout)).toEqual({
      error: { code: 'usage', message: expect.stringMatching(/no-such-flag|expected/) as string },
    })
  })

  it.each([
    [['devv', '--json'], 'there is no command "devv" (did you mean "dev"?)'],
    [['hlep', '--json'], 'there is no command "hlep" (did you mean "help"?)'],
    [['--json'], 'expected a COMMAND before flags, got "--json"'],
    [['--versoin', '--json'], 'got "--versoin" (did you mean "--version"?); wayleave --help lists them'],
    [['-V', '--json'], 'got "-V" (did you mean "-v"?)'],
    [['eth', 'get-balance', '0x12', '--json'], 'ADDRESS: expected a 20-byte address'],
    [['rpc', '--json'], 'expected a METHOD, such as eth_chainId'],
    [['keys', 'create', '--json'], 'create: expected PROJECT'],
  ])('of %j tells the same words', async (args, words) => {
    const { code, stdout, stderr } = await runWayleave(args)
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
    const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
    expect(error.code).toBe('usage')
    expect(error.message).toContain(words)
  })

  it('of ipfs cat goes to stderr, since its stdout is the content', async () => {
    const { code, stdout, stderr } = await runWayleave(['ipfs', 'cat', '--json'])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(JSON.parse(stderr)).toEqual({ error: { code: 'usage', message: 'expected one CID or CID/PATH' } })
  })

  it('does not count behind --', async () => {
    const { stdout, stderr } = await runWayleave(['rpc', '--nonsense', '--', '--json'])
    expect(stdout).toBe('')
    expect(stderr).toContain('there is no flag --nonsense')
  })
})

describe('a wrong flag', () => {
  it.each([
    [['eth', 'balance', '0x1', '--netwrok', 'dev'], 'there is no flag --netwrok (did you mean "--network"?)'],
    [['eth', '--netwrok', 'dev', 'balance'], 'there is no flag --netwrok (did you mean "--network"?)'],
    [['block', '--ful'], 'there is no flag --ful (did you mean "--full"?)'],
    [['rpc', 'eth_chainId', '--jsn'], 'there is no flag --jsn (did you mean "--json"?)'],
    [['gas', '--lvel', 'low'], 'there is no flag --lvel (did you mean "--level"?)'],
    [['watch', 'logs', '--adress', '0x1'], 'there is no flag --adress (did you mean "--address"?)'],
    [['verify', 'tx', '--ancor', '0x1'], 'there is no flag --ancor (did you mean "--anchor"?)'],
    [['dev', '--prot', '1'], 'there is no flag --prot (did you mean "--port"?)'],
    [['serve', '--confg', 'x'], 'there is no flag --confg (did you mean "--config"?)'],
    [['config', 'check', '--jsn'], 'check: there is no flag --jsn (did you mean "--json"?)'],
    [['ipfs', 'add', '--recursiv'], 'there is no flag --recursiv (did you mean "--recursive"?)'],
    [['starknet', 'get-nonce', '--block-di', '1'], 'there is no flag --block-di (did you mean "--block-id"?)'],
    [['usage', '--sinse', '1d'], 'there is no flag --sinse (did you mean "--since"?)'],
    [['keys', 'create', 'shop', '--lable', 'x'], 'create: there is no flag --lable (did you mean "--label"?)'],
    [['rpc', '-x'], 'there is no flag -x'],
    [['rpc', 'eth_chainId', '--timeout'], '--timeout: expected a value'],
    [
      ['rpc', 'eth_chainId', '--timeout', '-1'],
      '--timeout: expected a value; write one that begins with - as --timeout=-…',
    ],
    [['rpc', 'eth_chainId', '--json=yes'], '--json: takes no value'],
    [['gas', 'low'], 'unexpected argument "low"'],
    [['serve', 'my.yaml'], 'unexpected argument "my.yaml": give a configuration by --config'],
    [['doctor', 'my.json'], 'unexpected argument "my.json": give a configuration by --config'],
    [['gas', 'my.yaml'], 'unexpected argument "my.yaml"'],
    [['gas', 'https://host/v3/a-key'], 'a URL came as an argument: give it by --rpc-url'],
  ])('%j', async (args, words) => {
    const { code, stdout, stderr } = await runWayleave(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n')[0]).toBe(`wayleave ${args[0]}: ${words}`)
  })
})

it.each([
  [['keys', 'create'], 'keys create'],
  [['keys', 'craete', 'shop'], 'keys'],
  [['ipfs', 'pin', 'add'], 'ipfs pin'],
  [['eth', 'getBalance'], 'eth getBalance'],
  [['eth', 'get-balance', '--netwrok', 'dev'], 'eth get-balance'],
  [['balance'], 'balance'],
  [['eth', 'balanse'], 'eth'],
  [['starknet', 'get-nonce'], 'starknet get-nonce'],
  [['starknet', 'subscribe', 'newHead'], 'starknet subscribe'],
  [['config', 'check', 'a.yaml', 'b.yaml'], 'config check'],
  [['gas', 'low'], 'gas'],
])('wrong use of %j leads to the help of %s', async (args, words) => {
  const { stderr } = await runWayleave(args)
  expect(stderr.split('\n').at(-2)).toBe(`wayleave ${words} --help tells more.`)
  expect((await runWayleave([...words.split(' '), '--help'])).code).toBe(0)
})

describe('a URL in the wrong place', () => {
  const url = 'http://host/v3/S3CR3T'
  it.each([
    [['serve', url], 'a URL came as an argument: give it by --upstream'],
    [['config', 'init', url], 'init: a URL came as an argument: give it by --upstream'],
    [['dev', url], 'unexpected argument: a URL'],
    [['config', url], 'expected init, check, diff, import or schema, got a URL'],
    [['ipfs', url], 'got a URL'],
    [['verify', 'tx', url], 'HASH'],
    [['starknet', url], 'a URL'],
    [['rpc', 'eth_chainId', '--timeout', url], '--timeout: expected seconds above 0, got a URL'],
    [['gas', `--level=${url}`], '--level: expected low, medium or high, got a URL'],
    [[url], 'there is no command a URL; '],
    [['dev', 'wss://me:S3CR3T@host'], 'unexpected argument: a URL'],
  ])('is not repeated: %j', async (args, words) => {
    for (const more of [[], ['--json']]) {
      const { code, stdout, stderr } = await runWayleave([...args, ...more])
      expect(code).toBe(2)
      expect(stdout + stderr).toContain(words)
      expect(stdout + stderr).not.toContain('S3CR3T')
    }
  })
})

describe('wayleave --version', () => {
  it.each(['--version', '-v', 'version'])('%s prints the version of the package alone', async (flag) => {
    expect(await runWayleave([flag])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' })
    expect(await runWayleave([flag, '--json'])).toEqual({
      code: 0,
      stdout: `{"version":"${manifest.version}"}\n`,
      stderr: '',
    })
  })

  it('is a flag of the command itself', async () => {
    expect((await runProcess(['--version'])).stdout).toBe(`${manifest.version}\n`)
    expect((await runWayleave(['--help'])).stdout).toContain('  -v, --version  ')
  })
})

it.each([
  [
    ['block'],
    { WAYLEAVE_RPC_URL: 'localhost:8545' },
    '$WAYLEAVE_RPC_URL: expected an http, https, ws or wss URL; is it ',
  ],
  [['starknet', 'block-number'], { WAYLEAVE_RPC_URL: 'nonsense' }, '$WAYLEAVE_RPC_URL: expected an http, https, '],
  [
    ['ipfs', 'pin', 'ls'],
    { WAYLEAVE_IPFS_URL: 'localhost:5001' },
    '$WAYLEAVE_IPFS_URL: expected an http or https URL; ',
  ],
  [
    ['block', '--rpc-url', 'x'],
    { WAYLEAVE_RPC_URL: 'localhost:8545' },
    '--rpc-url: expected an http, https, ws or wss URL',
  ],
])('%j with %j names what is to be mended', async (args, env, words) => {
  const { code, stderr } = await runWayleave(args, env)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`: ${words}`)])
})

it('wayleave help COMMAND is its --help', async () => {
  for (const args of [['eth'], ['keys', 'create'], ['gas']]) {
    expect(await runWayleave(['help', ...args])).toEqual(await runWayleave([...args, '--help']))
  }
})
