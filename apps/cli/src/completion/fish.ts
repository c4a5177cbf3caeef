import { takingValues } from './bash.ts'
import type { TreeNode } from './command-tree.ts'
import { flagValues } from './values.ts'

interface Entry {
  readonly name: string
  readonly summary: string
}

/** Prints the completion of fish. */
export function fishCompletion(nodes: readonly TreeNode[]): string {
  const words = nodes
    .filter((node) => node.words.length > 0)
    .map(({ path, words: own }) => `    case ${quote(path)}\n${printed(own)}`)
  const flags = nodes.map(
    ({ path, flags: own }) => `    case ${quote(path)}${path === '' ? '' : ` ${quote(`${path} *`)}`}\n${printed(own)}`,
  )
  const values = Object.entries(flagValues).map(
    ([flag, own]) => `    case ${flag}\n      printf '%s\\n' ${own.join(' ')}\n`,
  )
  return `# fish completion of wayleave, as \`wayleave completion fish\` prints it.

function __wayleave_words
  switch "$argv[1]"
${words.join('')}  end
end

function __wayleave_flags
  switch "$argv[1]"
${flags.join('')}  end
end

function __wayleave_values
  switch "$argv[1]"
${values.join('')}  end
end

function __wayleave_takes_value
  contains -- "$argv[1]" ${takingValues(nodes).join(' ')}
end

# Prints the words that lead to where the cursor is, such as "ipfs pin".
function __wayleave_at
  set -l at ''
  set -l skip no
  for word in (commandline -opc)[2..-1]
    if test $skip = yes
      set skip no
    else if __wayleave_takes_value $word
      set skip yes
    else if not string match -q -- '-*' $word
      if contains -- $word (__wayleave_words "$at" | string replace -r '\\t.*' '')
        set at (string trim "$at $word")
      end
    end
  end
  echo $at
end

function __wayleave_complete
  set -l before (commandline -opc)
  if __wayleave_takes_value $before[-1]
    __wayleave_values $before[-1]
  else if string match -q -- '-*' (commandline -ct)
    __wayleave_flags (__wayleave_at)
  else
    __wayleave_words (__wayleave_at)
  end
end

# Files come where nothing else fits.
complete -c wayleave -n 'count (__wayleave_complete) > /dev/null' -f -a '(__wayleave_complete)'
`
}

function printed(entries: readonly Entry[]): string {
  if (entries.length === 0) return '      true\n'
  const pairs = entries.map(({ name, summary }) => `${quote(name)} ${quote(summary)}`)
  return `      printf '%s\\t%s\\n' ${pairs.join(' ')}\n`
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
