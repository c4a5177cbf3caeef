import { maxRuleEntries, parseRules, type RuleEntries } from '@wayleave/auth'
import { optional, type Schema } from '@wayleave/jsonrpc-core/schema'
import { exact, listOf, textThat } from './fields.ts'

/** An entry that `auth` reads. */
function list(of: keyof RuleEntries, expected: string): Schema<readonly string[]> {
  const entry = textThat(expected, (value) => parseRules({ [of]: [value] }))
  const entries = listOf(entry, maxRuleEntries)
  return {
    ...entries,
    // A template that renders nothing must not read as a list that was left out.
    check(value, path) {
      if (!Array.isArray(value) || value.length > 0) return entries.check(value, path)
      return { path, expected: 'at least one entry, or no such member', received: 'an empty list' }
    },
    json: (inner) => ({ ...inner(entries), minItems: 1 }),
  }
}

/** Allowlists of a project. */
export const rules: Schema<RuleEntries> = exact<RuleEntries>('allowlists', {
  methods: optional(list('methods', 'the exact name of a method, such as eth_call')),
  addresses: optional(list('addresses', 'a contract address: 0x and at most 64 hex digits')),
  origins: optional(
    list('origins', 'https://app.example.com, app.example.com, https://*.example.com or https://, without a path'),
  ),
  userAgents: optional(list('userAgents', 'a text of 1 to 256 characters, not all blank')),
  sources: optional(list('sources', 'an IP address or a CIDR block such as 10.0.0.0/8 or 2001:db8::/32')),
})
