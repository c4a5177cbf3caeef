import { IpfsError } from '../error.ts'
import { isCidText } from './cid-text.ts'
import type { IpfsEntry, IpfsLink, IpfsReadOptions } from './client.ts'
import { safeName } from './safe-name.ts'
import { tarEntries } from './tar-entries.ts'
import { readEntries, readLinks, type ReadSettings, rootName } from './verified/read.ts'

/** `IpfsClient.get`. */
export async function* get(settings: ReadSettings, path: string, given: IpfsReadOptions): AsyncGenerator<IpfsEntry> {
  const options = settings.host.begin(given)
  const verify = options.verify ?? settings.verify
  if (verify !== 'off' && (yield* readEntries(settings, path, options)) === 'read') return
  if (verify === 'proven') throw unverified()
  const name = rootName(path)
  const { chunks } = await settings.host.call('get', { arg: path }, options)
  try {
    yield* tarEntries(chunks, name)
  } finally {
    void chunks.return?.()
  }
}

/** `IpfsClient.ls`. */
export async function* ls(settings: ReadSettings, path: string, given: IpfsReadOptions): AsyncGenerator<IpfsLink> {
  const options = settings.host.begin(given)
  const verify = options.verify ?? settings.verify
  if (verify !== 'off' && (yield* readLinks(settings, path, options)) === 'read') return
  if (verify === 'proven') throw unverified()
  const query = { arg: path, 'resolve-type': false, size: false }
  const answer = await settings.host.json<{ Objects?: { Links?: unknown }[] } | null>('ls', query, options)
  const links = answer?.Objects?.[0]?.Links
  if (!Array.isArray(links)) throw invalid('an object with Objects and their Links')
  for (const link of links as ({ readonly Name?: unknown; readonly Hash?: unknown } | null)[]) {
    const { Name: linkName, Hash: cid } = link ?? {}
    if (typeof linkName !== 'string' || !isCidText(cid)) throw invalid('Links of Name and Hash')
    yield { name: safeName(linkName), cid, verification: 'unverified' }
  }
}

function invalid(expected: string): IpfsError {
  return new IpfsError('invalid_response', `expected ${expected}: is url that of an IPFS API?`)
}

function unverified(): IpfsError {
  return new IpfsError('unverified', 'this host gives no blocks (dag/export, block/get) that would prove the content')
}
