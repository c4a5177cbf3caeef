/** A command that ends or prints otherwise on a gateway. */
interface Known {
  /** The command begins with this. */
  readonly begins: string
  readonly reason: string
}

/** The commands in which a gateway differs from Kubo, each with its reason. */
export const known: readonly Known[] = [
  { begins: 'add --progress=false --pin=false --fscache', reason: 'it needs files on the disk of the service' },
  { begins: 'add --progress=false --pin=false --to-files', reason: 'there are no mutable files' },
  { begins: 'add --progress=false --pin=false --max-file-links', reason: 'it is always 174' },
  { begins: 'add --progress=false --pin=false --empty-dirs=false', reason: 'directories are always added' },
  {
    begins: 'dag put --pin',
    reason: 'a pin whose blocks are missing is refused; Kubo then fails in what walks its pins',
  },
  { begins: 'pin rm $broken', reason: 'the pin of the line before was refused' },
  { begins: 'dag put', reason: 'an empty object is refused; Kubo takes none and says nothing' },
  { begins: 'block put --mhtype=sha2-256 --mhlen=20', reason: 'digests have their usual lengths' },
  {
    begins: 'block rm bafkqaaa',
    reason: 'over a Kubo, a block that its CID holds is removed by nobody: nobody put it',
  },
  { begins: 'version', reason: 'our own version' },
  { begins: 'id', reason: 'our own name; there are no peers' },
  { begins: 'repo stat', reason: 'the pins of the project and its quota, not the folder of the service' },
]
