const hostHelp = `  --ipfs-url URL      the host; default $WAYLEAVE_IPFS_URL, else the local wayleave dev
  --api-key KEY       default $WAYLEAVE_API_KEY, else the key of wayleave dev
  --api-key-secret S  default $WAYLEAVE_API_KEY_SECRET, which is better: all users of a machine can see its flags
  --timeout SECONDS   how long the host may keep silent; default 30`

const verifyHelp = `  --verify LEVEL      consistent (default): checks what can be checked, and tells on stderr where nothing could be;
                      proven: refuses what cannot be proven by its CID; off: checks nothing`

const codesHelp = 'Exit code 0: done; 1: an error or no answer, on stderr; 2: used wrongly; 130: stopped by Ctrl-C.'

const add = `Usage: wayleave ipfs add [options] FILE...

Adds files, with -r directories, and with - what comes on stdin. Prints \`added CID NAME\` for each, what holds the others last.

  -r, --recursive     directories, with all that is below them
  -w, --wrap-with-directory
                      puts all of it into one directory, so that the names stay
  -q, --quiet         prints CIDs alone
  -Q, --quieter       prints the CID of each FILE alone, with -w that of the directory
  --json              prints a line of JSON for each, an error as {"error":…}
  -n, --only-hash     computes CIDs and keeps nothing
  --profile P         how CIDs are made (IPIP-499): unixfs-v0-2015 (default) or unixfs-v1-2025, as a Kubo with that profile
  --cid-version N     0 (default) or 1 (default of unixfs-v1-2025)
  --raw-leaves        default: with --cid-version 1
  -s, --chunker C     size-262144 (default), size-1048576 (default of unixfs-v1-2025), rabin-MIN-AVG-MAX, buzhash
  --hidden            takes names that begin with a dot, in directories
  -E, --empty-dirs=false
                      leaves out directories in which there is nothing, but for FILE itself
  --dereference-symlinks
                      takes what symlinks in directories point to in their place
  --preserve-mode     permissions become part of the content
  --preserve-mtime    times become part of the content
  --pin=false         does not pin
  --pin-name NAME     names the pin
  --max-request-bytes N
                      most bytes of one request (100,000,000): more is sent in several; Infinity for a host without a limit
  --max-parts N       most entries of one request (1,000,000)
${verifyHelp}
${hostHelp}

A terminal shows how far it is. ${codesHelp}

  wayleave ipfs add report.pdf
  wayleave ipfs add -r --profile unixfs-v1-2025 site
  tar c site | wayleave ipfs add -Q -
`

const cat = `Usage: wayleave ipfs cat [options] CID[/PATH]

Writes the bytes of a file to stdout.

  --offset N          leaves out the first N bytes
  --length N          writes at most N bytes
${verifyHelp}
${hostHelp}
  --json              an error as {"error":…}, on stderr

${codesHelp}

  wayleave ipfs cat QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN
  wayleave ipfs cat --offset 1000 --length 10 QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN
`

const get = `Usage: wayleave ipfs get [options] CID[/PATH]

Writes a file, or a directory with all that is below it, to disk. Nothing appears until all of it has come.

  -o, --output PATH   what it will be called; default: the last name of what was asked for, here
  --force             replaces a file of that name; a directory is never replaced
${verifyHelp}
${hostHelp}
  --json              prints {"path","files","bytes"}, an error as {"error":…}

A terminal shows how far it is. ${codesHelp}

  wayleave ipfs get QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN -o hello.txt
`

const ls = `Usage: wayleave ipfs ls [options] CID[/PATH]

Lists a directory: the CID and the name of each entry, a tab between. A file is listed by its parts, which have no names.

${verifyHelp}
${hostHelp}
  --json              a line of JSON for each entry, an error as {"error":…}

${codesHelp}

  wayleave ipfs ls QmQVF7P2yM83e3WTbrf8G3mAv745SWofRa4T6mbnz6UaKd/sub
`

const pin = `Usage: wayleave ipfs pin add CID... [--name NAME] [--recursive=false] [options]
       wayleave ipfs pin rm CID... [options]
       wayleave ipfs pin ls [CID...] [--type TYPE] [options]

Keeps content, keeps it no longer, or lists what is kept.

  --name NAME         names the pins
  --recursive=false   pins the block of the CID alone
  --type TYPE         recursive, direct, indirect (blocks below recursive ones) or all; default: recursive and direct
  --json              a line of JSON for each pin, an error as {"error":…}
${hostHelp}

A pipe gets CID, type and name of each pin, tabs between. ${codesHelp}

  wayleave ipfs pin ls | cut -f1
`

const verify = `Usage: wayleave ipfs verify [options]

Has a running gateway read all content that its projects pin, block by block, and names each block that is missing or broken, with a pin above
it and the projects of that pin. It reads beside its service, and goes on if this command is stopped; asking again shows the same run.

  --admin URL         its admin listener; default $WAYLEAVE_ADMIN_URL, else http://127.0.0.1:8546
  --token-file FILE   an admin token of the scope ipfs, in a file or on stdin (-); default $WAYLEAVE_ADMIN_TOKEN
  --token TOKEN       the same, but all users of this machine can see it
  --timeout SECONDS   for each answer; default 30
  --json              one line: {"state","startedAt","endedAt","blocks","bytes","bad","badBlocks"}; an error as {"error":…}

A pipe gets block, pin, projects and reason, tabs between. Exit code 0: all is whole; 1: some is not, or there is no answer, on stderr; 2: used
wrongly.

  wayleave ipfs verify --json
`

const list = `Usage: wayleave ipfs COMMAND [options]

  add FILE...         adds files, directories, or stdin
  cat CID[/PATH]      writes a file to stdout
  get CID[/PATH]      writes a file or a directory to disk
  ls CID[/PATH]       lists a directory
  pin add|rm|ls       what is kept
  verify              has a gateway check what all projects keep

wayleave ipfs COMMAND --help tells more.
`

/** Prints the help of the subcommand among these arguments, else the list of subcommands. */
export function ipfsHelp(args: readonly string[]): string {
  const name = args.find((arg) => !arg.startsWith('-')) ?? ''
  return Object.hasOwn(texts, name) ? texts[name as keyof typeof texts] : list
}

const texts = { add, cat, get, ls, pin, verify }
