// Nodes and hosts whose texts try to steer the terminal, or to look like another text.
import { describe, expect, it } from 'vitest'
import { runWayleave, serveHttp, serveNode, servePushes } from './helpers.ts'

/** Clears the screen (C0 and C1), turns the direction of writing, breaks lines. */
const evil = '\u001b[2J\u009b2J\u0085\u202egnp.exe\u2066\u200f\u2028\u0007'
const hash = `0x${'12'.repeat(32)}`
const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const word = (hex: string): string => `0x${hex.padEnd(64, '0')}`

/** Runs a command on a terminal, and checks that the evil text came, but as text. */
async function expectHarmless(args: readonly string[], env: Record<string, string> = {}): Promise<void> {
  const { stdout, stderr } = await runWayleave(args, env, '', true)
  const shown = `${stdout}${stderr}`
  expect(shown).toContain('\\u202egnp.exe')
  expect(shown.replaceAll(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u)
}

describe('a result', () => {
  it.each([
    ['a text', evil],
    ['a member', { hash: evil, [evil]: 1 }],
    ['a row', [{ address: evil, topics: [evil], data: evil }]],
    ['a row of unknown columns', [{ [evil]: evil }]],
  ])('with %s', async (_what, result) => {
    const { url } = await serveNode(() => result)
    const to = ['--rpc-url', url]
    for (const json of [[], ['--json']]) {
      await expectHarmless(['rpc', 'my_method', ...to, ...json])
      await expectHarmless(['eth', 'get-logs', '--from-block', '1', ...to, ...json])
      await expectHarmless(['block', ...to, ...json])
      await expectHarmless(['rollup', 'get-info', ...to, ...json])
      await expectHarmless(['starknet', 'get-block-with-txs', '--spec-version', '0.8', ...to, ...json])
    }
  })

  it('that is a storage text', async () => {
    const bytes = Buffer.from('\u009b2J\u202egnp.exe')
    const slot = word(bytes.toString('hex')).slice(0, -2) + (bytes.length * 2).toString(16).padStart(2, '0')
    const { url } = await serveNode(() => slot)
    const args = ['storage-slot', '0', '--address', account, '--type', 'string', '--rpc-url', url]
    for (const json of [[], ['--json']]) await expectHarmless([...args, ...json])
  })

  it('that is verified', async () => {
    const { url } = await serveNode(() => ({ hash: evil, type: evil }))
    for (const json of [[], ['--json']]) await expectHarmless(['verify', 'tx', hash, '--rpc-url', url, ...json])
  })
})

describe('an error', () => {
  it.each([
    ['eth', 'chain-id'],
    ['rpc', 'my_method'],
    ['verify', 'block'],
    ['starknet', 'block-number', '--spec-version', '0.8'],
    ['gas'],
  ])('of %s %s', async (...args) => {
    const { url } = await serveNode(() => ({ code: -32000, message: evil, data: evil }))
    for (const json of [[], ['--json']]) await expectHarmless([...args, '--rpc-url', url, ...json])
  })

  it('beside an HTTP status', async () => {
    const { url } = await serveHttp((_request, response) => {
      response.writeHead(500).end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: 1, message: evil } }))
    })
    await expectHarmless(['eth', 'chain-id', '--rpc-url', url])
  })

  it('of a gas API', async () => {
    const { url } = await serveHttp((request, response) => {
      if (request.method === 'GET') response.writeHead(400).end(JSON.stringify({ message: evil }))
      else response.end('{"jsonrpc":"2.0","id":1,"result":"0x1"}')
    })
    for (const flags of [[], ['--json'], ['--watch']]) {
      await expectHarmless(['gas', '--rpc-url', `${url}/v3/a-key`, ...flags])
    }
  })

  it('of an admin API', async () => {
    const { url } = await serveHttp((_request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ code: 'invalid', detail: evil }))
    })
    const env = { WAYLEAVE_ADMIN_URL: url, WAYLEAVE_ADMIN_TOKEN: 'a-token-of-this-test' }
    for (const json of [[], ['--json']]) await expectHarmless(['projects', 'list', ...json], env)
  })

  it('that is wrong use', async () => {
    await expectHarmless(['eth', evil])
    await expectHarmless([evil])
    await expectHarmless(['rpc', `--${evil}`])
    await expectHarmless(['eth', evil, '--json'])
  })
})

describe('a note', () => {
  it('on a malformed result', async () => {
    const { url } = await serveNode(() => evil)
    await expectHarmless(['eth', 'block-number', '--rpc-url', url])
  })

  it('on the version of a node', async () => {
    const { url } = await serveNode(({ method }) => (method === 'starknet_specVersion' ? evil : 7))
    await expectHarmless(['starknet', 'block-number', '--rpc-url', url])
  })
})

describe('an event', () => {
  it.each([
    ['watch', 'heads'],
    ['watch', 'pending'],
    ['eth', 'subscribe', 'newPendingTransactions'],
    ['eth', 'subscribe', 'syncing'],
  ])('of %s %s %s', async (...args) => {
    const result = args.includes('heads') ? { number: evil, hash: evil, parentHash: evil, timestamp: evil } : evil
    const { url } = await servePushes('eth_subscription', result)
    for (const json of [[], ['--json']]) await expectHarmless([...args, '--count', '1', '--rpc-url', url, ...json])
  })

  it.each([
    ['watch', 'status', '0x1', '--spec-version', '0.9'],
    ['starknet', 'subscribe', 'transactionStatus', '0x1'],
  ])('of %s %s', async (...args) => {
    const { url } = await servePushes('starknet_subscriptionTransactionStatus', { transaction_hash: evil })
    for (const json of [[], ['--json']]) await expectHarmless([...args, '--count', '1', '--rpc-url', url, ...json])
  })
})
