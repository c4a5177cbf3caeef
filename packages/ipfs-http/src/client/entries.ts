import { IpfsError } from '../error.ts'
import type { IpfsEntry, IpfsLink, IpfsReadOptions } from './client.ts'
import { tarEntries } from './tar-entries.ts'
import { readEntries, readLinks, type ReadSettings } from './verified/read.ts'

/** `IpfsClient.get`. */
export async function* get(settings: ReadSettings, path: string, options: IpfsReadOptions): AsyncGenerator<IpfsEntry> {
  const verify = options.verify ?? settings.verify
  if (verify !== 'off' && (yield* readEntries(settings, path, options)) === 'read') return
  if (verify === 'proven') throw unverified()
  const { chunks } = await settings.host.call('get', { arg: path }, options)
  try {
    yield* tarEntries(chunks)
  } finally {
    void chunks.return?.()
  }
}

/** `IpfsClient.ls`. */
export async function* ls(settings: ReadSettings, path: string, options: IpfsReadOptions): AsyncGenerator<IpfsLink> {
  const verify = options.verify ?? settings.verify
  if (verify !== 'off' && (yield* readLinks(settings, path, options)) === 'read') return
  if (verify === 'proven') throw unverified()
  const query = { arg: path, 'resolve-type': false, size: false }
  const answer = await settings.host.json<{ Objects?: { Links?: unknown }[] } | null>('ls', query, options)
  const links = answer?.Objects?.[0]?.Links
  if (!Array.isArray(links)) throw new IpfsError('invalid_response', 'expected an object with Objects and their Links')
  for (const { Name, Hash } of links as { Name?: unknown; Hash?: unknown }[]) {
    yield { name: String(Name), cid: String(Hash), verification: 'unverified' }
  }
}

function unverified(): IpfsError {
  return new IpfsError('unverified', 'this host gives no blocks (dag/export, block/get) that would prove the content')
}
