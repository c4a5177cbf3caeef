import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import { type CarSection, createCarReader } from '../../unixfs/car-reader.ts'
import { askGateway, type AskOptions, type Gateway } from './gateway.ts'
import { localCarCaps, readHeader } from './import-car.ts'

/** Tells which blocks below a CID are wanted. */
export interface CarShape {
  /** `entity`: a whole file, or the blocks that list a directory. `all`: everything below. */
  readonly scope: 'entity' | 'all'
  /** A range of a file: `length` bytes beginning at byte `from`. An undefined `length` means up to its end. */
  readonly range?: { readonly from: bigint; readonly length: bigint | undefined } | undefined
}

/**
 * Fetches blocks below `root` from one gateway, unchecked, in the order of a walk: depth first, in the order of links, and
 * each once, since the caller keeps those that came. Source: Trustless Gateway Specification, IPIP-402, IPIP-412.
 *
 * @throws IpfsError `not_found`, `http_status`, `invalid_response` (no archive in this order); and the errors of `fetch`
 */
export async function* fetchCar(
  gateway: Gateway,
  root: CID,
  { scope, range }: CarShape,
  options: AskOptions,
): AsyncGenerator<CarSection> {
  const { host } = gateway
  const bytes = range === undefined ? '' : `&entity-bytes=${rangeOf(range)}`
  const asked = {
    // A range implies the scope, but without one Kubo 0.41 sends everything.
    path: `/ipfs/${root}?format=car&dag-scope=${scope}${bytes}`,
    accept: 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
    what: `archive of ${root}`,
  }
  const response = await askGateway(gateway, asked, options)
  const type = response.headers.get('content-type') ?? ''
  if (!/^application\/vnd\.ipld\.car\b/i.test(type) || !/;\s*order=dfs\b/i.test(type)) {
    await response.body.cancel()
    throw new IpfsError('invalid_response', `${host} sends no archives in the order of a walk`)
  }
  const reader = createCarReader(response.body, localCarCaps)
  const readable = async <T>(work: Promise<T>): Promise<T> =>
    work.catch((cause: unknown) => {
      if (!(cause instanceof IpfsError)) throw cause
      throw new IpfsError('invalid_response', `${host} sent no archive of ${root}: ${cause.message}`, { cause })
    })
  try {
    const { end } = await readable(readHeader(reader))
    for (;;) {
      const section = await readable(reader.section(end))
      if (section === undefined) return
      yield section
    }
  } finally {
    await reader.close()
  }
}

function rangeOf({ from, length }: NonNullable<CarShape['range']>): string {
  return `${from}:${length === undefined ? '*' : from + length - 1n}`
}
