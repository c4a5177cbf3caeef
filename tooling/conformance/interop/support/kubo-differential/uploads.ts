/** One part of an upload: its header as it stands, and its content. */
export interface Part {
  readonly head: readonly string[]
  readonly content: string | Buffer
}

const boundary = 'b-o-u-n-d'

function file(
  name: string | undefined,
  content: string | Buffer,
  type = 'application/octet-stream',
  field = 'file',
): Part {
  const fileName = name === undefined ? '' : `; filename="${name}"`
  return { head: [`Content-Disposition: form-data; name="${field}"${fileName}`, `Content-Type: ${type}`], content }
}

const directory = (name: string, field?: string): Part => file(name, '', 'application/x-directory', field)
const link = (name: string, target: string): Part => file(name, target, 'application/symlink')

/** A multipart body, and what its request says of it. */
export function formOf(parts: readonly Part[]): { readonly body: Buffer; readonly headers: Record<string, string> } {
  const pieces = parts.flatMap(({ head, content }) => [
    Buffer.from(`--${boundary}\r\n${head.map((line) => `${line}\r\n`).join('')}\r\n`),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return {
    body: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}

/** What a chunker can cut, and the same on each day. */
export const largeContent: Buffer = Buffer.from(
  Uint8Array.from({ length: 600_000 }, (_, i) => (i * i * 31 + (i >> 7)) & 255),
)

export const treeParts: readonly Part[] = [
  directory('t'),
  file('t%2Fa.txt', 'a\n'),
  file('t%2Fsub%2Fb.txt', 'b\n'),
  file('t%2Fsub%2Fdeep%2Fc.txt', 'c\n'),
  directory('t%2Fempty'),
  link('t%2Flink', 'sub'),
  file('t%2Fcaf%C3%A9+%E2%98%95.txt', 'coffee\n'),
]

const add: readonly (readonly Part[])[] = [
  [file('hello.txt', 'hello world')],
  [file('hello.txt', 'hello world')],
  [file('', 'hello world')],
  [file(undefined, 'hello world')],
  [file('x', '')],
  [file('large', largeContent)],
  [file('large', largeContent)],
  treeParts,
  treeParts.slice(1),
  [directory('d')],
  [directory('d'), directory('d%2Fe')],
  [directory(''), file('a', 'a')],
  [directory('/'), file('/a', 'a')],
  [directory('d'), file('d', 'same name')],
  [file('d', 'same name'), file('d%2Fbelow', 'below a file')],
  [file('a', 'one'), file('a', 'two')],
  [file('d%2Fa', 'one'), file('d%2Fa', 'two')],
  [file('d%2Fa', 'one'), file('d%2Fb', 'two'), file('e%2Fa', 'three'), file('d%2Fc', 'out of order')],
  [file('a', 'one'), file('b', 'two'), file('c', 'three')],
  [file('', 'one'), file('', 'two')],
  [file(undefined, 'one'), file('a', 'two')],
  [file('../../a', 'up')],
  [file('/abs/a', 'absolute')],
  [file('a//b', 'slashes'), file('a/./c', 'dots')],
  [file('..', 'up')],
  [file('.', 'here')],
  [file('a%2', 'broken escape')],
  [file('a%ZZ', 'broken escape')],
  [file('a+b', 'plus')],
  [file('caf\u00e9 \u2615', 'plain unicode')],
  [file('caf%C3%A9', 'escaped unicode')],
  [file('a\\"b', 'quoted')],
  [file('a\\\\b', 'backslash')],
  [file('C:\\dir\\x', 'windows')],
  [{ head: ["Content-Disposition: form-data; name=file; filename*=UTF-8''caf%C3%A9"], content: 'extended' }],
  [
    {
      head: ["Content-Disposition: form-data; name=file; filename=plain; filename*=UTF-8''caf%C3%A9"],
      content: 'both',
    },
  ],
  [{ head: ['Content-Disposition: form-data; name=file; filename=plain'], content: 'no quotes' }],
  [{ head: ['Content-Disposition: attachment; filename="x"'], content: 'attachment' }],
  [{ head: ['content-disposition: FORM-DATA; NAME="file"; FILENAME="x"'], content: 'upper case' }],
  [{ head: ['Content-Disposition: file; filename="x"'], content: 'as go' }],
  [{ head: ['Content-Disposition: form-data; filename="x"; filename="y"'], content: 'twice' }],
  [{ head: ['Content-Disposition: form-data; filename="x'], content: 'open quote' }],
  [{ head: ['Content-Disposition: form-data; name="file"; filename="x";'], content: 'semicolon' }],
  [{ head: ['Content-Disposition: form-data; name = "file" ; filename = "x y"'], content: 'spaces' }],
  [
    {
      head: ['Content-Disposition: form-data;filename=x;name=file', 'Content-Type: text/plain; charset=utf-8'],
      content: 'tight',
    },
  ],
  [{ head: ['Content-Disposition: form-data; filename=x y'], content: 'two words' }],
  [{ head: ['X: y'], content: 'no disposition' }],
  [{ head: [], content: 'no head' }],
  [{ head: ['no colon'], content: 'no colon' }],
  [{ head: ['Content-Disposition: form-data; filename="x"', 'Content-Type: text/html'], content: '<p>' }],
  [
    {
      head: ['Content-Disposition: form-data; filename="x"', 'Content-Type: application/x-directory; x=y'],
      content: 'content of a directory',
    },
  ],
  [{ head: ['Content-Disposition: form-data; filename="x"', 'Content-Type: APPLICATION/X-DIRECTORY'], content: '' }],
  [
    {
      head: ['Content-Disposition: form-data; filename="x"', 'Content-Type: multipart/form-data; boundary=inner'],
      content: '--inner--',
    },
  ],
  [{ head: ['Content-Disposition: form-data; filename="x"', 'Content-Type: not a type'], content: 'bad type' }],
  [
    {
      head: ['Content-Disposition: form-data; filename="x"', 'Content-Transfer-Encoding: base64'],
      content: 'aGVsbG8=',
    },
  ],
  [
    {
      head: ['Content-Disposition: form-data; filename="x"', 'Content-Transfer-Encoding: quoted-printable'],
      content: 'a=3Db',
    },
  ],
  [{ head: ['Content-Disposition: form-data; filename="x"', 'Content-Encoding: gzip'], content: 'not gzip' }],
  [{ head: ['Content-Disposition: form-data; filename="x"', 'Abspath: /etc/passwd'], content: 'path of a disk' }],
  [link('l', 'target')],
  [link('l', '')],
  [link('d%2Fl', '../../etc/passwd')],
  [link('l', 'caf\u00e9')],
  [directory('d'), link('d%2Fl', 'a'), file('d%2Fa', 'a')],
  [file('x', 'mode', undefined, 'file?mode=0644&mtime=1700000000')],
  [file('x', 'mode', undefined, 'file?mode=0644&mtime=1700000000&mtime-nsecs=5')],
  [file('x', 'mode', undefined, 'file?mtime=-5')],
  [file('x', 'mode', undefined, 'file?mode=9&mtime=x')],
  [file('x', 'mode', undefined, 'file?mode=100644')],
  [file('x', 'mode', undefined, 'file?mode=&mtime=')],
  [file('x', 'mode', undefined, 'file?mtime=0&mtime-nsecs=7')],
  [file('x', 'mode', undefined, 'file?mtime=1&mtime-nsecs=1000000000')],
  [file('x', 'mode', undefined, 'file?mode=0777&mode=0600')],
  [file('x', 'mode', undefined, 'file?mtime-nsecs=7')],
  [file('x', 'mode', undefined, 'file?mode=04755')],
  [directory('d', 'dir?mode=0700&mtime=5'), file('d%2Fa', 'a', undefined, 'file?mode=0600&mtime=6')],
  [],
]

const headers =
  '3aa265726f6f747381d82a58250001551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde96776657273696f6e01'
const section = '2f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde968656c6c6f20776f726c64'
const car = Buffer.from(headers + section, 'hex')

export const uploads = {
  add,
  'block/put': [
    [file('x', 'hello world')],
    [file('x', '')],
    [file('x', 'a'), file('y', 'b')],
    [file('x', Buffer.from('0a110802120b68656c6c6f20776f726c64180b', 'hex'))],
    [file('x', Buffer.from('a1616101', 'hex'))],
    [directory('d')],
    [file('d%2Fx', 'in a directory')],
    [],
  ],
  'dag/put': [
    ...['{"a":1}', '{"b":1,"a":[1,2.5,null,true,"x"]}', '{', '', '1', '"x"', 'null', '{"a":1}{"b":2}', '{"a":1} ', '{"a":1,"a":2}'].map((text) => [file('x', text)]), // prettier-ignore
    ...['{"/":"Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD"}', '{"/":{"bytes":"AQID"}}', '{"/":"nonsense"}', '{"/":{"bytes":"%"}}', '{"Data":{"/":{"bytes":"CAE"}},"Links":[]}', '{"a":1.0}', '9007199254740993', '1e400', '-0', '{"\u00e9":"\u2615"}'].map((text) => [file('x', text)]), // prettier-ignore
    [file('x', Buffer.from('a1616101', 'hex'))],
    [file('x', Buffer.from('0a020801', 'hex'))],
    [file('x', '{"a":1}'), file('y', '{"b":2}')],
    [directory('d')],
    [],
  ],
  'dag/import': [
    [file('x.car', car)],
    [file('x.car', car), file('y.car', car)],
    [file('x.car', Buffer.from(headers, 'hex'))],
    [file('x.car', car.subarray(0, -1))],
    [file('x.car', car.subarray(0, 20))],
    [file('x.car', Buffer.concat([car.subarray(0, -1), Buffer.from('x')]))],
    [file('x.car', '')],
    [file('x.car', 'nonsense')],
    [directory('d')],
    [],
  ],
} satisfies Readonly<Record<string, readonly (readonly Part[])[]>>
