import type { TreeNode } from './command-tree.ts'
import { flagValues } from './values.ts'

/** Prints the completion of bash, from version 3.2 on. */
export function bashCompletion(nodes: readonly TreeNode[]): string {
  const words = nodes
    .filter((node) => node.words.length > 0)
    .map(({ path, words: own }) => `    '${path}') echo '${own.map(({ name }) => name).join(' ')}' ;;\n`)
  const flags = nodes.map(
    ({ path, flags: own }) =>
      `    ${path === '' ? "''" : `'${path}' | '${path} '*`}) echo '${own.map(({ name }) => name).join(' ')}' ;;\n`,
  )
  const values = Object.entries(flagValues).map(([flag, own]) => `    ${flag}) echo '${own.join(' ')}' ;;\n`)
  return `# bash completion of wayleave, as \`wayleave completion bash\` prints it.

_wayleave_words() {
  case "$1" in
${words.join('')}  esac
}

_wayleave_flags() {
  case "$1" in
${flags.join('')}  esac
}

_wayleave_values() {
  case "$1" in
${values.join('')}  esac
}

_wayleave_takes_value() {
  case "$1" in
    ${takingValues(nodes).join(' | ')}) return 0 ;;
  esac
  return 1
}

_wayleave() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD - 1]}" at='' word i
  COMPREPLY=()
  # bash cuts --flag=value into three words.
  if [[ $cur == '=' ]]; then
    cur=''
  elif [[ $prev == '=' ]]; then
    prev="\${COMP_WORDS[COMP_CWORD - 2]}"
  fi
  if _wayleave_takes_value "$prev"; then
    COMPREPLY=($(compgen -W "$(_wayleave_values "$prev")" -- "$cur"))
    return
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ $word == '--' ]]; then
      return
    elif _wayleave_takes_value "$word"; then
      if [[ \${COMP_WORDS[i + 1]} == '=' ]]; then i=$((i + 1)); fi
      i=$((i + 1))
    elif [[ $word != -* && " $(_wayleave_words "$at") " == *" $word "* ]]; then
      at="\${at:+$at }$word"
    fi
  done
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_wayleave_flags "$at")" -- "$cur"))
  else
    COMPREPLY=($(compgen -W "$(_wayleave_words "$at")" -- "$cur"))
  fi
}

complete -o default -F _wayleave wayleave
`
}

/** Lists the flags that take a value. */
export function takingValues(nodes: readonly TreeNode[]): readonly string[] {
  const taking = nodes.flatMap(({ flags }) => flags.filter(({ value }) => value !== undefined).map(({ name }) => name))
  return [...new Set(taking)].toSorted()
}
