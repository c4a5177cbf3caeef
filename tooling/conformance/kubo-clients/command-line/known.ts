import { type CliCommand, missing } from './commands.ts'

/** A command that ends or prints otherwise on a gateway. */
interface Known {
  readonly command: string
  /** Its input, where other commands of the same words have others. */
  readonly input?: string
  readonly reason: string
}

const stat = 'the pins of the project and its quota, not the folder of the service'

/** The commands in which a gateway differs from Kubo, each with its reason. */
const known: readonly Known[] = [
  { command: 'add --progress=false --pin=false --fscache %a', reason: 'it needs files on the disk of the service' },
  { command: 'add --progress=false --pin=false --to-files=/ %a', reason: 'there are no mutable files' },
  {
    command: 'dag put --pin',
    input: `{"/":"${missing}"}`,
    reason: 'a pin whose blocks are missing is refused; Kubo then fails in what walks its pins',
  },
  { command: 'pin rm $broken', reason: 'the pin of the line before was refused' },
  { command: 'dag put', input: '{', reason: 'an object that is cut off is refused; Kubo stores none and says nothing' },
  { command: 'block put --mhtype=sha2-256 --mhlen=20', reason: 'digests have their usual lengths' },
  { command: 'id', reason: 'our own name; there are no peers' },
  { command: 'id -f=<id>', reason: 'our own name; there are no peers' },
  ...['repo stat', 'repo stat -s', 'repo stat -H'].map((command) => ({ command, reason: stat })),
]

/** The reason why a command differs; undefined for one that must not. */
export function reasonOf({ args, input }: CliCommand): string | undefined {
  const text = args.join(' ')
  return known.find((each) => each.command === text && (each.input === undefined || each.input === input))?.reason
}
