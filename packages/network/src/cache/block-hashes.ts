import { canonicalHash } from '../kinds/evm-canonical.ts'

type Block = Readonly<Record<string, unknown>>

/** Different blocks that have to come twice alike, before one that hashes, until a chain counts as one whose blocks do not. */
const mostOdd = 3
/** Blocks that came once and are remembered. */
const mostRemembered = 64

export interface BlockHashesOptions {
  /** Computes the hash of a header; throws for one that lacks members. */
  readonly headerHash: (block: Block) => string
  /** Called once, where the chain's blocks do not hash to their names. */
  readonly onOdd: () => void
}

/**
 * Makes the test whether a block hashes to its name. Chains whose headers have members of their own have blocks that never do: once three of
 * them came twice alike and none ever hashed, a block's name and shape decide. A single block that hashes ends that for good.
 */
export function createBlockHashes({ headerHash, onOdd }: BlockHashesOptions): (block: Block) => boolean {
  const odd = new Map<string, string>()
  const twice = new Set<string>()
  let kind: 'unknown' | 'hashed' | 'odd' = 'unknown'

  function computed(block: Block): string {
    try {
      return headerHash(block)
    } catch {
      return 'none'
    }
  }

  return (block) => {
    const name = canonicalHash(block['hash'])
    if (name === undefined) return false
    const hash = computed(block)
    if (hash === name) {
      kind = 'hashed'
      odd.clear()
      twice.clear()
      return true
    }
    if (kind !== 'unknown') return kind === 'odd'
    // Blocks without the members of a header are told apart by what they have.
    const content =
      hash === 'none' ? `${canonicalHash(block['parentHash'])} ${canonicalHash(block['stateRoot'])}` : hash
    if (odd.get(name) === content) twice.add(name)
    odd.delete(name)
    odd.set(name, content)
    if (odd.size > mostRemembered) odd.delete(odd.keys().next().value!)
    if (twice.size < mostOdd) return false
    kind = 'odd'
    odd.clear()
    twice.clear()
    onOdd()
    return true
  }
}
