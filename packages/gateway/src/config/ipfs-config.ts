import { array, choice, oneOf, shown, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import {
  bytes,
  count,
  defaultsOf,
  exact,
  filePath,
  isObject,
  milliseconds,
  refusal,
  required,
  setting,
  url,
} from '@wayleave/network/config'

const httpUrl = url('an http or https URL', ['http:', 'https:'])

const bounds = {
  maxRequestBytes: setting(shown(bytes), 'Longest request, in bytes.', 100_000_000),
  stallMs: setting(
    shown(milliseconds),
    'How long a caller may send or take nothing, in ms; also the longest wait for a turn of `maxCalls`.',
    60_000,
  ),
  maxCalls: setting(shown(count), 'Most calls at once; projects share them fairly, and others wait.', 48),
}

const localMembers = {
  backend: shown(oneOf('local')),
  dir: setting(
    shown(filePath('the path of a folder')),
    'A folder that nobody else uses. Default: `ipfs` in `dataDir`, which has to be given then.',
  ),
  gateways: setting(
    array(httpUrl),
    'Trustless gateways (http or https URLs), in order, that missing content is fetched from. Default: none.',
  ),
  maxUnpinnedBytes: setting(
    shown(bytes),
    'Unpinned bytes on the disk beyond which it is removed at once.',
    1_073_741_824,
  ),
  minFreeBytes: setting(
    shown(bytes),
    'Free bytes of the disk below which unpinned content is removed at once.',
    1_073_741_824,
  ),
  ...bounds,
}
const local = exact('{ backend: "local", dir?, gateways? }', localMembers)
const kubo = exact('{ backend: "kubo", url }', {
  backend: shown(oneOf('kubo')),
  url: required(httpUrl, 'The URL of its RPC, such as `http://kubo:5001`; credentials in it become a header.'),
  ...bounds,
})
const none = refusal('an object whose backend is "local" or "kubo"')
const other = refusal('"local" or "kubo"', 'another value', '.backend')

/** The IPFS API (Spec §4.12): the place of its content, and its bounds. */
export type IpfsConfig = TypeOf<typeof local> | TypeOf<typeof kubo>

export const ipfs = choice<IpfsConfig>(
  none.expected,
  (value) => {
    if (!isObject(value)) return none
    if (value['backend'] === 'local') return local
    return value['backend'] === 'kubo' ? kubo : other
  },
  [local, kubo],
)

export const ipfsDefaults = defaultsOf(localMembers)
