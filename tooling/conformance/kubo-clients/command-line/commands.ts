/** A command of Kubo's command line. `$name` stands for what an earlier command printed, `%name` for a path of the made files. */
export interface CliCommand {
  readonly args: readonly string[]
  readonly input?: string
  /** Keeps the output under a name. */
  readonly as?: string
}

/** A CID that no host has. */
export const missing = 'QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk'
const words = (line: string): readonly string[] => line.split(' ').filter((word) => word !== '')
const lines = (family: string, text: string): readonly CliCommand[] =>
  text
    .trim()
    .split('\n')
    .map((line) => ({ args: words(`${family} ${line.trim()}`) }))
const put = (
  family: string,
  inputs: readonly (readonly [options: string, input: string, as?: string])[],
): CliCommand[] =>
  inputs.map(([options, input, as]) => ({
    args: words(`${family} ${options}`),
    input,
    ...(as !== undefined && { as }),
  }))

const kept: readonly CliCommand[] = [
  { args: words('add -Qr %tree'), as: 'root' },
  { args: words('add -Qr --cid-version=1 %tree'), as: 'root1' },
  { args: words('add -Q %a'), as: 'a' },
  { args: words('add -Q --raw-leaves %large'), as: 'large' },
  { args: words('add -Qr --preserve-mode --preserve-mtime %tree'), as: 'kept' },
  { args: words('add -Q --pin=false'), input: 'nobody pins this', as: 'loose' },
  { args: words('dag put'), input: '{"a":{"b":[1,"x",null]},"link":{"/":"bafkqaaa"}}', as: 'node' },
  { args: words('dag put --store-codec=dag-json'), input: '{"list":[{"n":1}]}', as: 'json' },
]

const adds = [
  ...lines(
    'add --progress=false',
    `%a
     -q %a
     -n %a
     -w %a
     -nw %a
     -q -w %a %b
     %a %b
     --cid-version=1 %large
     --cid-version=0 %large
     --cid-version=2 %a
     --raw-leaves %large
     --raw-leaves=false --cid-version=1 %large
     --hash=sha2-512 %a
     --hash=blake3 %large
     --hash=blake2b-256 %a
     --hash=sha3-512 %a
     --hash=keccak-256 %a
     --hash=identity %a
     --hash=identity --raw-leaves=false %a
     --hash=identity %large
     --hash=nonsense %a
     --hash=sha2-512 --cid-version=0 %a
     --chunker=size-1000 %large
     --chunker=rabin %large
     --chunker=rabin-512-1024-2048 %large
     --chunker=buzhash %large
     --chunker=size-0 %a
     --chunker=nonsense %a
     --trickle %large
     --trickle --chunker=size-1000 %large
     --inline %a
     --inline --inline-limit=3 %a
     --inline --inline-limit=200 %a
     --pin=false %b
     --pin-name=named %b
     --pin-name=named --pin=false %b
     --silent %a
     --silent -r %tree
     --cid-base=base58btc %a
     --cid-base=base32 %a
     --cid-base=base36 --cid-version=1 %a
     --cid-base=nonsense %a
     --upgrade-cidv0-in-output %a
     --mode=0640 %a
     --mtime=5 %a
     --mtime=5 --mtime-nsecs=7 %a
     --mtime-nsecs=7 %a
     --preserve-mode %a
     --preserve-mtime %a
     --preserve-mode --preserve-mtime -r %tree
     --raw-leaves --preserve-mode %a
     -r %tree
     -r -w %tree
     -r -q %tree
     -r -H %tree
     -r --ignore=*.txt %tree
     -r --cid-version=1 %tree
     %tree
     %nowhere
     %empty
     --nocopy %a
     --pin=false --fscache %a
     --pin=false --to-files=/ %a
     --pin=false --max-file-links=2 --chunker=size-1000 %large
     --pin=false --empty-dirs=false -r %tree`,
  ),
  ...put('add --progress=false', [
    ['', 'from a pipe'],
    ['-q', ''],
    ['-w --stdin-name=named', 'with a name'],
  ]),
]

const reads = [
  ...lines(
    'cat',
    `$a
     $root/a.txt
     /ipfs/$root/a.txt
     /ipfs/$root1/sub/b.txt
     $root/link
     $a $root/sub/b.txt
     -o=1 $a
     -l=2 $a
     -o=1 -l=2 $a
     -o=99 $a
     -o=-1 $a
     -l=-1 $a
     -l=0 $a
     -o=2 -l=5 $a $root/sub/b.txt
     $large
     $root
     $root/none
     ${missing}
     $node
     nonsense
     /ipns/none.invalid
     $loose`,
  ),
  { args: words('cat'), input: '$a\n$root/a.txt\n' },
  ...lines(
    'get --progress=false',
    `$a -o=%out1
     $root -o=%out2
     $root/sub -o=%out3
     $large -o=%out4
     $a -C -o=%out5
     $root -a -o=%out6
     $root -a -C -o=%out7
     $a -C -l=12 -o=%out8
     $root/none -o=%out9
     ${missing} -o=%out9
     $node -o=%out9`,
  ),
]

const trees = [
  ...lines(
    'ls',
    `$root
     $root1
     /ipfs/$root/sub
     $root $root/sub
     -v $root
     -s $root
     --size=false $root
     --resolve-type=false $root
     --resolve-type=false --size=false $root
     --cid-base=base32 $root
     $large
     $a
     $root/none
     $root/sub/empty
     ${missing}
     $node
     -l $kept
     -l -v $kept/sub
     nonsense`,
  ),
  ...lines(
    'refs',
    `$root
     -r $root
     -u $root
     -r -u $root
     -e $root
     -r -e $root
     --format=<linkname>:<dst> $root
     --format=<src> -r $root
     --max-depth=1 -r $root
     --max-depth=0 -r $root
     -e --format=x $root
     $large $root/sub
     -r -u $large $root $root1
     $a
     $node
     ${missing}
     $root/none
     --cid-base=base32 $root`,
  ),
  ...lines(
    'resolve',
    `/ipfs/$root
     /ipfs/$root/sub
     /ipfs/$root1/sub/b.txt
     -r /ipfs/$root/a.txt
     /ipfs/$node/a/b
     /ipfs/$root/none
     $root/sub
     --cid-base=base36 /ipfs/$root1
     /ipns/none.invalid
     nonsense`,
  ),
]

const dags = [
  ...lines(
    'dag',
    `get $node
     get $node/a
     get $node/a/b/1
     get $node/none
     get $root
     get $json/list/0/n
     get --output-codec=dag-cbor $json
     get --output-codec=dag-json $root1
     get --output-codec=dag-pb $node
     get --output-codec=nonsense $node
     get ${missing}
     get $large
     resolve $node/a/b/0
     resolve $root/sub
     resolve $root/none
     resolve $node/link
     resolve nonsense
     stat --progress=false $root
     stat --progress=false $root $large
     stat --progress=false $node
     stat --progress=false $root/a.txt
     stat --progress=false $node/a
     stat --progress=false ${missing}
     stat --progress=false --cid-base=base32 $root
     export --progress=false $a
     export --progress=false $root/sub
     export --progress=false ${missing}
     import %car
     import --stats %car
     import --silent %car
     import --pin-roots=false %car
     import %a
     import %nowhere`,
  ),
  ...put('dag put', [
    ['', '{"x":1}'],
    ['', '[1,2.5,"x",true,null]'],
    ['', '{"/":{"bytes":"AQID"}}'],
    ['--store-codec=dag-json', '{"b":1,"a":2}'],
    ['--store-codec=raw', '{"/":{"bytes":"AQID"}}'],
    ['--store-codec=json', '{"b":1,"a":2}'],
    ['--store-codec=dag-pb', '{"Data":{"/":{"bytes":"CAE"}},"Links":[]}'],
    ['--store-codec=dag-pb', '{"x":1}'],
    ['--store-codec=nonsense', '{}'],
    ['--input-codec=json', '{"/":"bafkqaaa"}'],
    ['--input-codec=raw --store-codec=raw', 'any bytes'],
    ['--hash=sha2-512', '{"x":1}'],
    ['--hash=blake3', '{"x":1}'],
    ['--hash=identity', '{"x":1}'],
    ['--hash=nonsense', '{"x":1}'],
    ['--pin', '{"x":"pinned"}'],
    ['--pin', `{"/":"${missing}"}`, 'broken'],
    ['', '9223372036854775807'],
    ['', '9223372036854775808'],
    ['', '{'],
    ['', ''],
    ['--store-codec=dag-jose', '{"ciphertext":"AQID","iv":"BAUG"}', 'jose'],
    ['--store-codec=dag-jose', '{"x":1}'],
  ]),
  // A pin that is not whole makes Kubo fail in later commands.
  ...lines('pin', 'rm $broken'),
  ...lines('dag', 'get $jose\nget $jose/iv\nresolve $jose/iv'),
]

const blocks = [
  ...put('block put', [
    ['', 'a block', 'block'],
    ['', ''],
    ['--cid-codec=dag-pb', ''],
    ['--mhtype=sha2-512', 'x'],
    ['--mhtype=sha2-256 --mhlen=32', 'x'],
    ['--mhtype=sha2-512 --mhlen=64', 'x'],
    ['--mhtype=sha2-256 --mhlen=20', 'x'],
    ['--mhtype=sha2-256 --mhlen=40', 'x'],
    ['--mhtype=identity', 'x'],
    ['--mhtype=nonsense', 'x'],
    ['--format=v0', '\n\u0000'],
    ['--format=cbor', 'x'],
    ['--cid-codec=dag-cbor --format=v0', 'x'],
    ['--cid-codec=nonsense', 'x'],
    ['--pin', 'a pinned block', 'pinned'],
    ['--cid-base=base58btc', 'x'],
  ]),
  ...lines(
    'block',
    `get $block
     get $root/a.txt
     get ${missing}
     get nonsense
     stat $block
     stat $root
     stat --cid-base=base32 $root
     stat ${missing}
     rm $block
     rm $block
     rm -f $block
     rm -f -q $block
     rm $pinned
     rm $root/a.txt
     rm nonsense
     rm bafkqaaa`,
  ),
]

const pins = [
  ...lines(
    'pin',
    `add $loose
     add --progress=false $a
     add -n=mine $a
     add -r=false $root/sub/b.txt
     add -r=false $root
     add ${missing}
     add nonsense
     ls
     ls -q
     ls --type=recursive
     ls --type=direct
     ls --type=indirect
     ls --type=indirect -q
     ls --type=nonsense
     ls -n=mine
     ls --names --type=recursive
     ls -s --type=direct
     ls $root
     ls $root/a.txt
     ls $root/sub/b.txt
     ls --type=direct $root
     ls --type=indirect $root/a.txt
     ls ${missing}
     ls --cid-base=base32 --type=direct
     update $a $loose
     update $loose $a
     update --unpin=false $a $large
     update ${missing} $a
     verify
     verify --verbose
     verify -q
     verify -q --verbose
     rm $root/sub/b.txt
     rm -r=false $a
     rm $a
     rm $a
     rm $loose $large
     rm ${missing}
     rm nonsense
     ls $a`,
  ),
  { args: words('pin add'), input: '$a\n$large\n' },
  { args: words('pin rm'), input: '$a\n' },
]

const rest = [
  ...lines(
    '',
    'version\nversion -n\nversion --commit\nid\nid -f=<id>\nrepo stat\nrepo stat -s\nrepo stat -H\ncommands\ncommands -f',
  ),
]

/** The commands in the order in which they run. */
export const commands: readonly CliCommand[] = [
  ...kept,
  ...adds,
  ...reads,
  ...trees,
  ...dags,
  ...blocks,
  ...pins,
  ...rest,
]
