import type { IpfsBytes, IpfsClient, Verification, VerifyMode } from '@wayleave/ipfs-http'
import type { ClientApi } from '../api.ts'
import { assertOptions } from '../assert-options.ts'
import type { LazyBearer } from '../credentials/load-bearer.ts'
import { loadOnce } from '../load-once.ts'
import type { Redaction } from '../redaction.ts'
import type { IpfsSetting } from './open-ipfs.ts'

/**
 * The IPFS HTTP API of a gateway (Spec §4.12) or of another host. Each call rejects with an `IpfsError`, or with a
 * `TypeError` if the client's options name no host. The code loads with the first call.
 */
export type IpfsMethods = IpfsClient

export interface IpfsApiOptions {
  /** The URL of the IPFS API. Default: port 5001 of the gateway's host. It gets the same key, and secret or token, unless it holds its own. */
  readonly url?: string
  /** The check of content: `off`, `consistent` or `proven`. Default: that of `createIpfsClient`. */
  readonly verify?: VerifyMode
}

/** Makes the IPFS API of a client, for `apis` of `createClient`: `{ ipfs: ipfs() }`. @throws TypeError */
export function ipfs(options: IpfsApiOptions = {}): ClientApi<IpfsMethods> {
  assertOptions(options, 'ipfs', { ipfs: 'url verify' })
  const { url: ipfsUrl, verify } = options
  return {
    url: ipfsUrl,
    open: ({ url, apiKey, apiKeySecret, timeoutMs, bearer, redaction }) =>
      ipfsMethods({ url, apiKey, apiKeySecret, timeoutMs, ipfsUrl, verify }, bearer, redaction),
  }
}

/** Creates IPFS methods whose code loads with the first call. */
function ipfsMethods(setting: IpfsSetting, bearer: LazyBearer | undefined, redaction: Redaction): IpfsMethods {
  const open = loadOnce(async () => (await import('./open-ipfs.ts')).openIpfs(setting, await bearer?.load()))
  const load = async (): Promise<IpfsClient> => {
    const { client, ready } = await open()
    await ready()
    return client
  }
  async function cleaned<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (thrown) {
      throw redaction.error(thrown)
    }
  }
  async function* cleanEach<T>(source: () => AsyncIterable<T> | Promise<AsyncIterable<T>>): AsyncGenerator<T> {
    try {
      yield* await source()
    } catch (thrown) {
      throw redaction.error(thrown)
    }
  }
  const call =
    <A extends unknown[], T>(method: (client: IpfsClient) => (...args: A) => Promise<T>) =>
    async (...args: A): Promise<T> =>
      cleaned(async () => method(await load())(...args))
  const each =
    <A extends unknown[], T>(method: (client: IpfsClient) => (...args: A) => AsyncIterable<T>) =>
    (...args: A): AsyncGenerator<T> =>
      cleanEach(async () => method(await load())(...args))
  const entries = each((client) => client.get)

  return {
    add: call((client) => client.add),
    addAll: each((client) => client.addAll),
    cat: (...args) => lazyBytes(async () => (await load()).cat(...args), cleaned),
    async *get(...args) {
      for await (const entry of entries(...args)) yield { ...entry, content: cleanEach(() => entry.content) }
    },
    ls: each((client) => client.ls),
    pin: {
      add: call((client) => client.pin.add),
      rm: call((client) => client.pin.rm),
      ls: each((client) => client.pin.ls),
      update: call((client) => client.pin.update),
    },
    block: {
      get: call((client) => client.block.get),
      put: call((client) => client.block.put),
      stat: call((client) => client.block.stat),
    },
    dag: {
      get: call((client) => client.dag.get),
      put: call((client) => client.dag.put),
      resolve: call((client) => client.dag.resolve),
    },
    version: call((client) => client.version),
    id: call((client) => client.id),
  }
}

/** Creates bytes whose source is opened by the first read. `cleaned` takes secrets out of errors. */
function lazyBytes(open: () => Promise<IpfsBytes>, cleaned: <T>(work: () => Promise<T>) => Promise<T>): IpfsBytes {
  let report: (verification: Verification) => void
  const verification = new Promise<Verification>((resolve) => (report = resolve))
  let opened: Promise<IpfsBytes> | undefined
  const source = async (): Promise<IpfsBytes> => {
    opened ??= open()
    // A source that could not be opened was not checked.
    opened.then((bytes) => bytes.verification).then(report, () => report('unverified'))
    return opened
  }
  /** Opens an iterator. It is no generator, whose `return` would wait for a read that may never end. */
  function begin(): AsyncIterableIterator<Uint8Array> {
    let chunks: Promise<AsyncIterator<Uint8Array>> | undefined
    const iterator: AsyncIterableIterator<Uint8Array> = {
      next: () =>
        cleaned(async () => {
          chunks ??= source().then((bytes) => bytes[Symbol.asyncIterator]())
          return (await chunks).next()
        }),
      async return() {
        report('unverified')
        chunks ??= Promise.resolve(noBytes)
        await (await chunks).return?.()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]: () => iterator,
    }
    return iterator
  }

  return {
    verification,
    [Symbol.asyncIterator]: begin,
    bytes: (maxBytes) => cleaned(async () => (await source()).bytes(maxBytes)),
    stream() {
      const chunks = begin()
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const { done, value } = await chunks.next()
            if (done) controller.close()
            else controller.enqueue(value)
          },
          cancel: async () => void (await chunks.return!()),
        },
        { highWaterMark: 0 },
      )
    },
  }
}

const noBytes: AsyncIterator<Uint8Array> = { next: async () => ({ done: true, value: undefined }) }
