import { IpfsError } from '../error.ts'
import type { Host, HostCallOptions } from './host.ts'

/**
 * Asks whether a file ends at `end`, for a host that did not announce its length: it may have failed, and have said so in a
 * trailer, which `fetch` hides. Asks for a few bytes, one of which has been read, so that a host that knows no ranges is told by its
 * answer, which is longer or the same again, and believed.
 * @throws IpfsError `truncated` if there is more
 */
export async function confirmEnd(host: Host, path: string, end: number, options: HostCallOptions): Promise<void> {
  const offset = Math.max(end - 1, 0)
  // Not as many as the same again.
  const length = end === 3 ? 4 : 3
  let bytes = 0
  try {
    const { chunks } = await host.call('cat', { arg: path, offset, length }, options)
    for await (const chunk of chunks) {
      bytes += chunk.byteLength
      if (bytes > length) return
    }
  } catch (thrown) {
    // A host that knows no ranges may refuse them.
    if (!(thrown instanceof IpfsError) || thrown.code !== 'http_status' || thrown.status! >= 500) throw thrown
  }
  if (bytes > end - offset && bytes !== end)
    throw new IpfsError('truncated', `the body ended after ${end} bytes, and there are more: retry`)
}
