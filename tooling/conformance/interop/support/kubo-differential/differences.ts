import type { Ask, Reported } from './exchange.ts'

/** One difference that is meant to be. */
export interface Difference {
  readonly name: string
  readonly why: string
  /** Whether it explains all that differs between two answers to a request. */
  explains(ask: Ask, kubo: Reported, ours: Reported): boolean
}

const isError = ({ status }: Reported): boolean => status >= 400
const isOk = ({ status }: Reported): boolean => status === 200
const bothFail = (kubo: Reported, ours: Reported): boolean => kubo.status === 500 && ours.status === 500
const reported = ({ body }: Reported): string => body.toString()
const messageOf = (answer: Reported): string =>
  answer.headers['content-type'] === 'application/json' && answer.status === 500
    ? String((JSON.parse(reported(answer)) as { Message?: unknown }).Message)
    : reported(answer)
const commandOf = ({ path }: Ask): string => path.split('?', 1)[0]!
const optionsOf = ({ path }: Ask): URLSearchParams => new URLSearchParams(path.split('?')[1] ?? '')
const bodyOf = ({ body }: Ask): string => body?.toString('latin1') ?? ''
const says = (ours: Reported, ...texts: readonly (string | RegExp)[]): boolean =>
  isError(ours) &&
  texts.some((text) => (typeof text === 'string' ? reported(ours).includes(text) : text.test(reported(ours))))

/** What clients cannot mean otherwise: Kubo's text and ours for the same refusal. */
const words: readonly (readonly [RegExp, RegExp])[] = [
  [/^invalid path .*: invalid cid: /, /^invalid path .*: invalid cid: expected one of version/],
  [/^(?:could not resolve name|DNSLink lookup|invalid path "\/ipns)/, /resolves no IPNS names$/],
  [/^(?:pin: )?(?:unrecognized hash function|potentially insecure hash|unknown multihash|digest too small)/, /^expected the hash to be one of|^block was not found locally/], // prettier-ignore
  [
    /^unknown multicodec|^no (?:encoder|decoder) registered|^unrecognized|^unknown codec/,
    /^expected (?:one of|the codec)/,
  ],
  [/^(?:unrecognized chunker|chunker parameters|chunk size|rabin|incorrect format|first label|strconv\.|size argument|unrecognized)/, /^expected .* came /], // prettier-ignore
  [/^func called on wrong kind|^key not found|^no such link|^index|^invalid segment|^strconv/, /^no link named/],
  [/^unknown node type$/, /^unknown node type: /],
  [/^(?:multipart: NextPart: |malformed MIME header|unexpected EOF)/, /^unexpected EOF: |goes on after its boundary/],
  [/^import failed: |^unexpected EOF|^invalid |^malformed/, /^the bytes are not those|archive|CAR/],
  [/^(?:unexpected|invalid|strconv|illegal|unsupported|cbor|multibase|selected|cid|protobuf|mismatched|func called|key|.*EOF|.*Int|json|ipld|expected)/, /^expected (?:dag-json|dag-cbor|dag-pb|json|raw)|^this node cannot be/], // prettier-ignore
  [/^get \S+: block was not found/, /^block was not found/],
  [/^directory already has entry/, /^expected each path of an upload once/],
  [/^cannot marshal IPLD/, /^this node cannot be/],
  [/^either the filestore/, /^nocopy needs files/],
  [/^invalid peer id|^'ipfs id'/, /^this service tells of no peer/],
]

/** What ours says of a parameter, before or after something else that is wrong with the request. */
const ofParameters = [
  /^(?:could not convert|expected key)/,
  /"Message":"(?:expected (?:one of raw|the codec|the hash|sizes|a chunker|.* in the chunker)|unknown CID version|unsupported multibase)/,
  /"Message":"(?:unable to use|pin name is|invalid type|option |mtime nano|inline-limit|HAMT fanout|expected max-|CIDv0 only|raw-leaves can't|pin-name option)/,
] as const

export const differences: readonly Difference[] = [
  {
    name: 'words of a refusal',
    why: 'ours say what to do; clients match on the texts that are the same',
    explains: (_, kubo, ours) =>
      bothFail(kubo, ours) && words.some(([its, our]) => its.test(messageOf(kubo)) && our.test(messageOf(ours))),
  },
  {
    name: 'which of several refusals',
    why: 'Kubo reads options in an order of chance, and paths, parameters and bodies in another order than we do',
    explains: (_, kubo, ours) =>
      isError(kubo) &&
      isError(ours) &&
      (says(ours, ...ofParameters) ||
        says(kubo, 'unsupported multibase', 'unknown multicodec') ||
        says(ours, 'resolves no IPNS')),
  },
  {
    name: 'both names of one option',
    why: 'Kubo takes one of them by chance',
    explains: (ask, _, ours) => says(ours, 'expected key') && new Set(optionsOf(ask).keys()).size > 1,
  },
  {
    name: 'timeouts that say nothing',
    why: 'Kubo answers 200 with no body and no type',
    explains: (ask, kubo) => kubo.headers['content-type'] === undefined && optionsOf(ask).has('timeout'),
  },
  {
    name: 'encodings other than json',
    why: 'one way to say each thing',
    explains: (ask, _, ours) => says(ours, 'unsupported encoding') && optionsOf(ask).has('encoding'),
  },
  {
    name: 'paths that are no command here',
    why: 'only what the specification names is served, under its one name',
    explains: (ask, _, ours) => [404, 501].includes(ours.status) && (ask.method ?? 'POST') === 'POST',
  },
  {
    name: 'more multibases',
    why: 'base8, base10 and base32z are multibases',
    explains: (ask, kubo) => says(kubo, 'invalid path') && /arg=(7|9|h)/.test(ask.path),
  },
  {
    name: 'the identity base',
    why: 'bytes are no text',
    explains: (_, __, ours) => says(ours, 'unsupported multibase encoding: identity'),
  },
  {
    name: 'codecs and hashes',
    why: 'the README lists those that there are; none may make a CID without a digest',
    explains: (_, kubo, ours) =>
      isOk(kubo) && says(ours, 'expected one of raw', 'expected the codec', 'expected the hash'),
  },
  {
    name: 'the mode and time of a line',
    why: 'ours are those that the entry has; Kubo repeats the header of the entry at the top, stored or not',
    explains: (ask, kubo, ours) => commandOf(ask) === 'add' && isOk(kubo) && isOk(ours) && withoutMetadata(kubo) === withoutMetadata(ours), // prettier-ignore
  },
  {
    name: 'directories come last',
    why: 'a later part may lie in one of them; Kubo tells of such a directory twice, with half of it each time',
    explains: (ask, kubo, ours) => commandOf(ask) === 'add' && isOk(kubo) && (isOk(ours) || says(ours, 'each path of an upload once')) && /e%2Fa|"d"|filename="a"/.test(bodyOf(ask)), // prettier-ignore
  },
  {
    name: 'progress by what arrives',
    why: 'each telling is of 256 KiB or more, not of the chunk that Kubo read',
    explains: (ask, kubo, ours) => commandOf(ask) === 'add' && isOk(kubo) && isOk(ours) && withoutProgress(kubo) === withoutProgress(ours), // prettier-ignore
  },
  {
    name: 'heads of parts that cannot be read',
    why: 'Kubo ends the upload there without a word, or refuses it; here such a part is a file without a name, or of bytes',
    explains: (ask, _, ours) =>
      isOk(ours) && /no (?:disposition|head|colon)|twice|open quote|two words|bad type/.test(bodyOf(ask)),
  },
  {
    name: 'chunkers of what has no chunks',
    why: 'Kubo reads the parameter with the first file that has content',
    explains: (ask, kubo, ours) => isOk(kubo) && says(ours, 'chunker') && optionsOf(ask).has('chunker'),
  },
  {
    name: 'only the hash of directories with a mode or time',
    why: 'Kubo looks for blocks that it has not kept',
    explains: (ask, kubo, ours) =>
      commandOf(ask) === 'add' &&
      optionsOf(ask).has('only-hash') &&
      isOk(ours) &&
      (kubo.streamError ?? messageOf(kubo)).startsWith('ipld: could not find '),
  },
  {
    name: 'pins of blocks that cannot be read',
    why: 'what lies below a pin must be known; Kubo pins such a block, and fails at the next collection',
    explains: (ask, kubo, ours) => commandOf(ask) === 'block/put' && isOk(kubo) && says(ours, /block \S+ is no /),
  },
  {
    name: 'parameters of an upload of nothing',
    why: 'what is wrong with them is told with the first block',
    explains: (ask, kubo, ours) => isError(kubo) && isOk(ours) && ours.body.length === 0 && ask.body !== undefined,
  },
  {
    name: 'names of archives in base256emoji',
    why: 'Kubo cleans them as it does names of Windows',
    explains: (ask, kubo, ours) =>
      commandOf(ask) === 'get' && isOk(kubo) && isOk(ours) && ask.path.includes('%F0%9F%9A%80'),
  },
  {
    name: 'only the hash of a directory with limits',
    why: 'Kubo minds its options for the directory at the top only where it keeps blocks',
    explains: (ask, kubo, ours) =>
      commandOf(ask) === 'add' &&
      isOk(kubo) &&
      isOk(ours) &&
      optionsOf(ask).has('only-hash') &&
      optionsOf(ask).has('max-directory-links'),
  },
  {
    name: 'content types with a broken parameter',
    why: 'what names a boundary is enough',
    explains: (ask, kubo) => kubo.status === 400 && /=$|;x$/.test(ask.headers?.['Content-Type'] ?? ''),
  },
  {
    name: 'transfer encodings of parts',
    why: 'RFC 7578 took them out of use; bytes are what was sent',
    explains: (ask, kubo, ours) => isOk(kubo) && isOk(ours) && bodyOf(ask).includes('quoted-printable'),
  },
  {
    name: 'half an upload',
    why: 'all or nothing: Kubo keeps what it has read and tells the rest in the trailer, or not at all',
    explains: (ask, kubo, ours) => ask.body !== undefined && says(ours, 'unexpected EOF', 'archive', 'CAR', 'goes on after', 'expected dag-json', 'expected json', 'expected a file', 'a file name holds') && (isOk(kubo) || bothFail(kubo, ours)), // prettier-ignore
  },
  {
    name: 'part of an answer before its error',
    why: 'an answer in lines is kept back until nothing can fail any more',
    explains: (_, kubo, ours) => isOk(kubo) && kubo.streamError !== undefined && isError(ours),
  },
  {
    name: 'a wrapped directory without a name',
    why: 'Kubo cannot wrap what its own Go client sends; here it is the directory that wraps',
    explains: (_, kubo, ours) => says(kubo, 'no path given to Mkdir') && isOk(ours),
  },
  {
    name: 'the length of digests',
    why: 'usual ones only',
    explains: (_, __, ours) => says(ours, 'mhlen: digests'),
  },
  {
    name: 'numbers of JavaScript',
    why: '1.0 becomes 1 in dag-cbor; seconds beyond 2^53 are printed rounded',
    explains: (ask, kubo, ours) => isOk(kubo) && isOk(ours) && /1\.0|mtime=-?9223/.test(`${bodyOf(ask)}${ask.path}`),
  },
  {
    name: 'pins are those of a project',
    why: 'none is indirect, and who asks for names is told them with arguments, too',
    explains: (ask, _, ours) => commandOf(ask) === 'pin/ls' && optionsOf(ask).has('arg') && (isOk(ours) || says(ours, 'is not pinned')), // prettier-ignore
  },
  {
    name: 'pins of one name',
    why: 'in a base that is asked for, an indirect pin of Kubo may take the place of one of the other version',
    explains: (ask, kubo, ours) =>
      commandOf(ask) === 'pin/ls' && isOk(kubo) && isOk(ours) && optionsOf(ask).has('cid-base'),
  },
  {
    name: 'sizes of blocks',
    why: 'the CID of a block larger than 2 MiB, and one of no block, is refused before it is asked for',
    explains: (_, kubo, ours) => bothFail(kubo, ours) && says(kubo, 'digest too small'),
  },
]

const lines = (answer: Reported): readonly Record<string, unknown>[] =>
  reported(answer)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

function withoutMetadata(answer: Reported): string {
  return JSON.stringify(
    lines(answer)
      .filter(isReported)
      .map(({ Name, Hash, Size }) => [Name, Hash, Size]),
  )
}

function withoutProgress(answer: Reported): string {
  return JSON.stringify(lines(answer).filter(isReported))
}

const isReported = ({ Hash }: Record<string, unknown>): boolean => Hash !== undefined
