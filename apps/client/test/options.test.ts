import { expect, it } from 'vitest'
import { gas } from '../src/gas/index.ts'
import { type ClientOptions, createClient } from '../src/index.ts'
import { ipfs } from '../src/ipfs/index.ts'
import { starknet } from '../src/starknet/index.ts'
import { verify } from '../src/verify/index.ts'

const url = 'http://127.0.0.1:9'
const open = (options: object): unknown => createClient({ url, ...options } as ClientOptions)

it.each([
  [{ key: 'x' }, 'createClient: there is no option "key": did you mean apiKey?'],
  [{ APIKEY: 'x' }, 'createClient: there is no option "APIKEY": did you mean apiKey?'],
  [{ secret: 'x' }, 'createClient: there is no option "secret": did you mean apiKeySecret?'],
  [{ timeout: 5 }, 'createClient: there is no option "timeout": did you mean timeoutMs?'],
  [{ netwrok: 'x' }, 'createClient: there is no option "netwrok": did you mean network?'],
  [{ rpcUrl: 'x' }, 'createClient: there is no option "rpcUrl": did you mean url?'],
  [{ retries: 3 }, 'createClient: there is no option "retries": did you mean retry?'],
  [{ retry: { retries: 3 } }, 'retry: there is no option "retries": did you mean maxRetries?'],
  [{ batch: { size: 3 } }, 'batch: there is no option "size"; there are maxCalls, maxBytes, waitMs'],
  [{ heartbeat: { interval: 3 } }, 'heartbeat: there is no option "interval": did you mean intervalMs?'],
])('refuses %j with the option that may be meant', (options, message) => {
  expect(() => open(options)).toThrow(new TypeError(message))
})

it.each([
  [{ require: 'proven', anchr: {} }, 'verify: there is no option "anchr": did you mean anchor?'],
  [{ require: 'proven', anchor: { hash: '0x' } }, 'anchor: there is no option "hash": did you mean blockHash?'],
  [
    { require: 'proven', anchor: { quorum: { handler: [] } } },
    'quorum: there is no option "handler": did you mean handlers?',
  ],
])('refuses %j of verify with the option that may be meant', (options, message) => {
  expect(() => verify(options as never)).toThrow(new TypeError(message))
})

it.each([
  [() => gas({ gasUrl: url } as never), 'gas: there is no option "gasUrl": did you mean url?'],
  [() => ipfs({ verfy: 'off' } as never), 'ipfs: there is no option "verfy": did you mean verify?'],
  [() => starknet({ versoin: '0.8' } as never), 'starknet: there is no option "versoin": did you mean version?'],
])('refuses an option that an API does not have: %s', (make, message) => {
  expect(make).toThrow(new TypeError(message))
})

it('refuses an option that is like none, with those that there are', () => {
  expect(() => open({ frobnicate: 1 })).toThrow(
    /^createClient: there is no option "frobnicate"; there are url, apiKey, /,
  )
  expect(() => createClient(undefined as never)).toThrow('createClient: expected an object of options')
})

it('takes every option that there is', async () => {
  // A name that is missing here does not compile, and one that is unknown there throws.
  const all: Required<ClientOptions> = {
    url,
    apiKey: 'key',
    apiKeySecret: 'secret',
    token: 'token',
    network: 'base',
    apis: {
      gas: gas({ url, chainId: 1 }),
      ipfs: ipfs({ url, verify: 'off' }),
      starknet: starknet({ version: '0.5.1' }),
    },
    transport: 'http',
    timeoutMs: 1,
    attemptTimeoutMs: 1,
    retry: { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1, onRetry: () => {} },
    resendTransactions: () => undefined,
    batch: { maxCalls: 1, maxBytes: 1, waitMs: 1 },
    coalesce: true,
    verify: verify({
      require: 'proven',
      anchor: { quorum: { handlers: [], atLeast: 1 } },
      logs: 'receipts',
      maxLogBlocks: 1,
      offload: async () => ({ ok: undefined, reason: '', fields: {} }),
      unverifiable: 'pass',
      others: 'pass',
      onVerdict: () => {},
      maxBytes: 1,
      maxCalls: 1,
      maxHeaders: 1,
    }),
    resubscribe: true,
    onReconnect: () => {},
    heartbeat: { intervalMs: 1, timeoutMs: 1 },
  }
  const { apiKeySecret: _, ...withToken } = all
  const { token: __, ...withSecret } = all
  for (const options of [withToken, withSecret]) await createClient(options).close()
  await createClient({ url, verify: verify({ require: 'proven', anchor: { blockHash: '0x00' } }) }).close()
})
