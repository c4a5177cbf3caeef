import { expect, it } from 'vitest'
import { type ClientOptions, createClient } from '../src/index.ts'

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
  [{ verify: { require: 'proven', anchr: {} } }, 'verify: there is no option "anchr": did you mean anchor?'],
  [
    { verify: { require: 'proven', anchor: { hash: '0x' } } },
    'anchor: there is no option "hash": did you mean blockHash?',
  ],
  [
    { verify: { require: 'proven', anchor: { quorum: { handler: [] } } } },
    'quorum: there is no option "handler": did you mean handlers?',
  ],
])('refuses %j with the option that may be meant', (options, message) => {
  expect(() => open(options)).toThrow(new TypeError(message))
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
    starknetVersion: '0.5.1',
    chainId: 1,
    gasUrl: url,
    ipfsUrl: url,
    transport: 'http',
    timeoutMs: 1,
    attemptTimeoutMs: 1,
    retry: { maxRetries: 1, baseDelayMs: 1, maxDelayMs: 1, maxRetryAfterMs: 1, onRetry: () => {} },
    resendTransactions: () => undefined,
    batch: { maxCalls: 1, maxBytes: 1, waitMs: 1 },
    coalesce: true,
    verify: {
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
    },
    resubscribe: true,
    onReconnect: () => {},
    heartbeat: { intervalMs: 1, timeoutMs: 1 },
  }
  const { apiKeySecret: _, ...withToken } = all
  const { token: __, ...withSecret } = all
  for (const options of [withToken, withSecret]) await createClient(options).close()
  await createClient({ url, verify: { require: 'proven', anchor: { blockHash: '0x00' } } }).close()
})
