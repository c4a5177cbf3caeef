import { IpfsError } from '../error.ts'
import type { IpfsBytes, IpfsCatOptions, Verification } from './client.ts'
import type { Host } from './host.ts'
import type { ReadSettings } from './verified/read.ts'

/** The most that `bytes` reads by default. */
const mostBytes = 1 << 26

/** `IpfsClient.cat`. */
export function cat(settings: ReadSettings, path: string, options: IpfsCatOptions = {}): IpfsBytes {
  let reported: (verification: Verification) => void
  const verification = new Promise<Verification>((resolve) => (reported = resolve))
  let source: AsyncGenerator<Uint8Array> | undefined
  const left = new AbortController()

  async function* read(): AsyncGenerator<Uint8Array> {
    const { signal } = options
    const leave = (): void => left.abort(signal?.reason)
    signal?.addEventListener('abort', leave)
    if (signal?.aborted) leave()
    let bytes = 0
    try {
      for await (const chunk of checked(
        { ...settings, verify: options.verify ?? settings.verify },
        path,
        { ...settings.host.begin(options), signal: left.signal },
        reported,
      )) {
        bytes += chunk.byteLength
        yield chunk
        options.onProgress?.(bytes)
      }
    } finally {
      signal?.removeEventListener('abort', leave)
      reported('unverified')
    }
  }

  function begin(): AsyncGenerator<Uint8Array> {
    if (source !== undefined) throw new IpfsError('bad_argument', 'read already: call cat again')
    source = read()
    // A generator closes only after the step that it waits for. Leaving ends that step.
    const close = source.return.bind(source)
    source.return = (value) => {
      left.abort()
      reported('unverified')
      return close(value)
    }
    return source
  }

  return {
    verification,
    [Symbol.asyncIterator]: begin,
    async bytes(maxBytes = mostBytes) {
      const chunks = begin()
      return (await import('../unixfs/gather.ts')).gather(chunks, maxBytes)
    },
    stream() {
      const chunks = begin()
      return new ReadableStream<Uint8Array>(
        {
          async pull(controller) {
            const { done, value } = await chunks.next()
            if (done) controller.close()
            else controller.enqueue(value)
          },
          cancel: async () => void (await chunks.return(undefined)),
        },
        { highWaterMark: 0 },
      )
    },
  }
}

async function* checked(
  settings: ReadSettings,
  path: string,
  options: IpfsCatOptions,
  report: (verification: Verification) => void,
): AsyncGenerator<Uint8Array> {
  if (settings.verify === 'off') yield* plainBytes(settings.host, path, options)
  else {
    const { readBytes } = await import('./verified/read.ts')
    if ((yield* readBytes(settings, path, options, report)) === 'read') return
    const { readPlain } = await import('./verified/read-plain.ts')
    yield* readPlain(settings.verify, path, options, plainBytes(settings.host, path, options), report)
  }
}

/** Reads the bytes as the host sends them. @throws IpfsError `truncated` if it announces more than it sends, or has more */
async function* plainBytes(
  host: Host,
  path: string,
  { offset, length, ...options }: IpfsCatOptions,
): AsyncGenerator<Uint8Array> {
  const { chunks, isWhole } = await host.call('cat', { arg: path, offset, length }, options)
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (length !== undefined && bytes > length) {
      throw new IpfsError('invalid_response', `expected at most ${length} bytes`)
    }
    yield chunk
  }
  if (!isWhole && bytes !== length) {
    await (await import('./confirm-end.ts')).confirmEnd(host, path, (offset ?? 0) + bytes, options)
  }
}
