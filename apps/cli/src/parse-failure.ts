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
      return isUrl(quoted) ? misplacedUrl(help) : `unexpected argument "${quoted}"`
    default:
      return undefined
  }
}

function misplacedUrl(help: string): string {
  const { flags } = readHelp(help, [])
  const flag = ['--rpc-url', '--upstream'].find((name) => flags.some((known) => known.name === name))
  return flag === undefined ? 'unexpected argument: a URL' : `a URL came as an argument: give it by ${flag}`
}

/** Takes the URLs out of a message that came as arguments: a key may stand in one. */
export function withoutUrls(message: string, args: readonly string[]): string {
  const urls = args.map((arg) => arg.replace(/^--?[\w-]+=/, '')).filter((arg) => isUrl(arg))
  return urls.reduce((text, url) => {
    const unquoted = text.replaceAll(`"${url}"`, 'a URL')
    // One of a host alone has no key, and may be that of an example.
    return /:\/\/[\w.:-]+$/.test(url) ? unquoted : unquoted.replaceAll(url, 'a URL')
  }, message)
}

function isUrl(text: string): boolean {
  return /^[\w+.-]+:\/\//.test(text)
}
