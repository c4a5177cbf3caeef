import { takingValues } from './bash.ts'
import type { TreeNode } from './command-tree.ts'
import { flagValues } from './values.ts'

interface Entry {
  readonly name: string
  readonly summary: string
}

/** Prints the completion of zsh: for a file `_wayleave` in `$fpath`, or to be sourced. */
export function zshCompletion(nodes: readonly TreeNode[]): string {
  const words = nodes
    .filter((node) => node.words.length > 0)
    .map(({ path, words: own }) => `    ${quote(path)}) found=(${described(own)}) ;;\n`)
  const flags = nodes.map(
    ({ path, flags: own }) =>
      `    ${path === '' ? "''" : `${quote(path)}|${quote(`${path} `)}*`}) found=(${described(own)}) ;;\n`,
  )
  const values = Object.entries(flagValues).map(([flag, own]) => `    ${flag}) found=(${own.join(' ')}) ;;\n`)
  return `#compdef wayleave
# zsh completion of wayleave, as \`wayleave completion zsh\` prints it.

_wayleave_words() {
  found=()
  case "$1" in
${words.join('')}  esac
}

_wayleave_flags() {
  found=()
  case "$1" in
${flags.join('')}  esac
}

_wayleave_values() {
  found=()
  case "$1" in
${values.join('')}  esac
  if (( $#found )); then compadd -a found; else _files; fi
}

_wayleave_takes_value() {
  case "$1" in
    ${takingValues(nodes).join('|')}) return 0 ;;
  esac
  return 1
}

_wayleave() {
  local at='' word i
  local -a found
  if [[ $PREFIX == --*=* ]]; then
    word=\${PREFIX%%=*}
    compset -P '*='
    _wayleave_values "$word"
    return
  fi
  if _wayleave_takes_value "\${words[CURRENT-1]}"; then
    _wayleave_values "\${words[CURRENT-1]}"
    return
  fi
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if [[ $word == -- ]]; then
      _files
      return
    elif _wayleave_takes_value "$word"; then
      ((i++))
    elif [[ $word != -* ]]; then
      _wayleave_words "$at"
      if (( \${found[(I)$word:*]} )); then at="\${at:+$at }$word"; fi
    fi
  done
  if [[ $PREFIX == -* ]]; then
    _wayleave_flags "$at"
    _describe -o flag found
  else
    _wayleave_words "$at"
    if (( $#found )); then _describe word found; else _files; fi
  fi
}

if [[ \${funcstack[1]} == _wayleave ]]; then _wayleave "$@"; else compdef _wayleave wayleave; fi
`
}

function described(entries: readonly Entry[]): string {
  return entries.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ')
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
