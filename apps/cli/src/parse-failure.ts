import { readHelp } from './completion/read-help.ts'
import { suggest } from './suggest.ts'

/** Says in words how arguments do not fit the flags of a command, whose `help` names them; undefined if `thrown` is no error of `parseArgs`. */
export function parseFailure(thrown: unknown, help: string): string | undefined {
  if (!(thrown instanceof TypeError)) return undefined
  const { code, message } = thrown as NodeJS.ErrnoException
  const quoted = /'(?:-\w, )?([^']*?)(?: <value>)?'/.exec(message)?.[1] ?? ''
  switch (code) {
    case 'ERR_PARSE_ARGS_UNKNOWN_OPTION': {
      const flags = readHelp(help, []).flags.map(({ name }) => name)
      return `there is no flag ${quoted}${suggest(quoted, [...flags, '--help'])}`
    }
    case 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE':
      if (message.includes('does not take')) return `${quoted}: takes no value`
      if (message.includes('ambiguous'))
        return `${quoted}: expected a value; write one that begins with - as ${quoted}=-…`
      return `${quoted}: expected a value`
    case 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL':
      if (isUrl(quoted)) return misplacedUrl(help)
      return `unexpected argument "${quoted}"${isFile(quoted) && takes('--config', help) ? ': give a configuration by --config' : ''}`
    default:
      return undefined
  }
}

function misplacedUrl(help: string): string {
  const flag = ['--rpc-url', '--upstream'].find((name) => takes(name, help))
  return flag === undefined ? 'unexpected argument: a URL' : `a URL came as an argument: give it by ${flag}`
}

/** Takes the URLs out of a message that came as arguments: a key may stand in one. */
export function withoutUrls(message: string, args: readonly string[]): string {
  const urls = args.map((arg) => arg.replace(/^--?[\w-]+=/, '')).filter((arg) => isUrl(arg))
  return urls.reduce((text, url) => {
    const unquoted = text.replaceAll(`"${url}"`, 'a URL')
    // A URL of a host alone has no key, and may be that of an example.
    return /:\/\/[\w.:-]+$/.test(url) ? unquoted : unquoted.replaceAll(url, 'a URL')
  }, message)
}

function takes(flag: string, help: string): boolean {
  return readHelp(help, []).flags.some(({ name }) => name === flag)
}

/** Tells the name of a configuration file. */
function isFile(text: string): boolean {
  return /\.(?:[cm]?[jt]s|ya?ml|json)$/.test(text)
}

function isUrl(text: string): boolean {
  return /^[\w+.-]+:\/\//.test(text)
}
