import { type Refusal, refusedAs } from './refusal.ts'

/** The commands of Kubo that the server does not have, by the beginnings of their names: what they are about, and what to do instead. */
const absent: readonly {
  readonly families: readonly string[]
  readonly about: string
  readonly instead: string
}[] = [
  {
    families: ['files'],
    about: 'the mutable files of one node',
    instead: 'add content, and pin/add keeps it; files/stat takes paths below /ipfs',
  },
  {
    families: ['name', 'key'],
    about: 'names of IPNS and the keys that sign them',
    instead: 'a DNS record (DNSLink) can name a CID, and a node of your own can publish names',
  },
  {
    families: ['pin/remote'],
    about: 'pins that a node has at other services',
    instead: 'pin/add pins here, as this is such a service',
  },
  {
    families: ['swarm', 'bootstrap', 'ping', 'p2p', 'bitswap', 'routing', 'dht', 'provide', 'stats', 'pubsub'],
    about: 'the peers of a node, and its exchange with them',
    instead: 'ask a node of your own, as this service has no peers for its callers',
  },
  {
    families: ['config', 'shutdown', 'log', 'diag', 'mount', 'update', 'version', 'repo'],
    about: 'the care for one node',
    instead: 'its operator cares for this service; repo/stat, repo/gc and repo/verify are about your own content',
  },
  {
    families: ['object'],
    about: 'the older form of blocks',
    instead: 'dag/get, dag/put, block/get and block/put, as in Kubo, which has removed it',
  },
  {
    families: ['cid', 'multibase', 'commands'],
    about: 'texts, without any content',
    instead: 'the program ipfs computes it without a service',
  },
  {
    families: ['filestore', 'urlstore'],
    about: 'content that stays in files or at URLs of a node',
    instead: 'add the content',
  },
]

/**
 * The refusal of a command that Kubo has, or had, and the server does not: 501, with the error as JSON, whose message clients print. Of a 404
 * they read nothing. Undefined where Kubo has no command of such a name either.
 */
export function absentCommand(name: string): Refusal | undefined {
  const found = absent.find(({ families }) =>
    families.some((family) => name === family || name.startsWith(`${family}/`)),
  )
  if (found === undefined || !/^[a-z0-9/-]{1,64}$/.test(name)) return undefined
  return refusedAs(501, `${name} is not served here: it is about ${found.about}. Instead: ${found.instead}`)
}
