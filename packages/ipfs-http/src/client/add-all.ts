import { throwIfAborted, unlessAborted } from '../abortable.ts'
import { IpfsError } from '../error.ts'
import type { AddSettings, Uploading } from './add.ts'
import type { IpfsAdded, IpfsAddOptions, IpfsUpload } from './client.ts'
import { createSplitter } from './split-upload.ts'

/** Most entries of one request by default, as many as our server takes. */
const mostParts = 1_000_000

/** `IpfsClient.addAll`. */
export async function* addAll(
  { fullOptions, addInOne, leave }: Uploading,
  settings: AddSettings,
  source: AsyncIterable<IpfsUpload> | Iterable<IpfsUpload>,
  given: IpfsAddOptions = {},
): AsyncGenerator<IpfsAdded> {
  const iterator = Symbol.asyncIterator in source ? source[Symbol.asyncIterator]() : source[Symbol.iterator]()
  const options = settings.host.begin(given)
  try {
    const { maxParts = mostParts } = settings
    const split = createSplitter(source, { maxParts, isWrapped: options.wrapWithDirectory === true })
    const { signal = new AbortController().signal } = options
    throwIfAborted(signal)
    const head = await unlessAborted(Promise.resolve(iterator.next()), signal)
    if (head.done) throw new IpfsError('bad_argument', 'expected something to add')
    let first: IpfsUpload | undefined = head.value
    split.isNext(first)
    const full = fullOptions(settings, options, first, Array.isArray(source) && source.length === 1)

    /** Yields the entries of one request, and keeps the one that begins the next. */
    async function* entriesOfRequest(): AsyncGenerator<IpfsUpload> {
      yield first!
      first = undefined
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        if (split.isNext(next.value)) {
          first = next.value
          return
        }
        yield next.value
      }
    }

    while (first !== undefined) yield* addInOne(settings, entriesOfRequest(), full)
  } finally {
    leave(iterator)
  }
}
