import { codecCodes } from '../../codec-codes.ts'
import { IpfsError } from '../../error.ts'
import { gather } from '../../unixfs/gather.ts'
import { readIpfsPath } from '../../server/ipfs-path.ts'
import type { IpfsReadOptions, Verification, VerifyMode } from '../client.ts'
import type { Host } from '../host.ts'
import { checkBlock, isCheckable, mostBlockBytes } from './check-block.ts'
import { parseCid } from './parse-cid.ts'

/** `IpfsClient.block.get`. */
export async function getBlock(
  host: Host,
  text: string,
  verify: VerifyMode,
  options: IpfsReadOptions,
): Promise<Uint8Array> {
  const { cid, segments } = readIpfsPath(text)
  if (segments.length > 0)
    throw new IpfsError('bad_argument', 'expected a CID alone: resolve the path with dag.resolve')
  const isChecked = verify !== 'off' && isCheckable(cid)
  if (verify === 'proven' && !isChecked) throw unverified()
  const { chunks } = await host.call('block/get', { arg: text }, options)
  const bytes = await gather(chunks, mostBlockBytes)
  if (isChecked) await checkBlock(cid, bytes)
  return bytes
}

/** Names of codecs, as `block/put` takes them, beside those of older hosts. */
const formats: Readonly<Record<string, number | undefined>> = {
  raw: codecCodes.raw,
  'dag-pb': codecCodes.dagPb,
  protobuf: codecCodes.dagPb,
  v0: codecCodes.dagPb,
  'dag-cbor': codecCodes.dagCbor,
  'dag-json': codecCodes.dagJson,
  'dag-jose': codecCodes.dagJose,
  cbor: codecCodes.cbor,
  json: codecCodes.json,
}

/** Checks the CID and size that a host gave a block against its bytes and format. @throws IpfsError `mismatch`, `unverified` */
export async function checkPut(
  answer: { readonly cid: string; readonly size: number; readonly format: string },
  bytes: Uint8Array,
  verify: VerifyMode,
): Promise<Verification> {
  const cid = parseCid(answer.cid)
  const code = formats[answer.format]
  if (answer.size !== bytes.byteLength)
    throw new IpfsError('mismatch', `the host tells a size of ${answer.size} for a block of ${bytes.byteLength} bytes`)
  if (code !== undefined && cid.code !== code)
    throw new IpfsError('mismatch', `the host gave a block of ${answer.format} a CID of another codec: ${cid}`)
  if (isCheckable(cid)) {
    await checkBlock(cid, bytes)
    if (code !== undefined) return 'proven'
  }
  if (verify === 'proven') throw unverified()
  return 'unverified'
}

function unverified(): IpfsError {
  return new IpfsError('unverified', 'expected a known codec, and a CID of sha2-256 or sha2-512, to check')
}
