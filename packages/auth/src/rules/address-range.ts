/** A range of IP addresses. Both families are kept as eight groups of 16 bits; IPv4 is kept as IPv4-mapped IPv6 (RFC 4291 §2.5.5.2). */
export interface AddressRange {
  readonly groups: readonly number[]
  /** Leading bits that an address must share, 0 to 128; of an IPv4 range 96 more than its prefix says. */
  readonly prefix: number
}

/** Reads an address or a CIDR block of IPv4 or IPv6 (RFC 4632, RFC 4291); undefined for any other text, and for IPv4 in IPv6 form. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const [, address, length] = /^([0-9a-fA-F.:]{2,45})(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? []
  const groups = address === undefined ? undefined : parseAddress(address)
  if (groups === undefined) return undefined
  const isV4 = !address!.includes(':')
  // Such a block could be meant for either family.
  if (!isV4 && isMapped(groups)) return undefined
  const prefix = length === undefined ? 128 : Number(length) + (isV4 ? 96 : 0)
  return prefix > 128 ? undefined : { groups, prefix }
}

/**
 * Tells whether an IP address lies in one of the ranges. An IPv4-mapped IPv6 address counts as IPv4, a zone (`%eth0`) is ignored, and
 * a text that is no address lies in none.
 */
export function isInRanges(ranges: readonly AddressRange[], address: string): boolean {
  const zone = address.indexOf('%')
  const groups = parseAddress(zone < 0 ? address : address.slice(0, zone))
  if (groups === undefined) return false
  const family = isMapped(groups)
  return ranges.some((range) => isMapped(range.groups) === family && sharesPrefix(range, groups))
}

/**
 * Writes IPv4 in IPv6 form as IPv4 (RFC 4291 §2.5.5.2), and any other address as it came. Undefined for a text that is no address.
 */
export function plainAddress(text: string): string | undefined {
  const groups = parseAddress(text)
  return groups === undefined ? undefined : isMapped(groups) ? printV4(groups) : text
}

/**
 * Names the network whose addresses one caller can choose from: of IPv6 its first `bits`, 0 to 64; of IPv4 the address itself, also in IPv6
 * form. A text that is no address stays as it came.
 */
export function networkOf(address: string, bits: number): string {
  if (!address.includes(':')) return address
  const zone = address.indexOf('%')
  const groups = parseAddress(zone < 0 ? address : address.slice(0, zone))
  if (groups === undefined) return address
  if (isMapped(groups)) return printV4(groups)
  const kept = groups.slice(0, 4).map((group, i) => {
    const cut = Math.min(16, Math.max(0, (i + 1) * 16 - bits))
    return ((group >> cut) << cut).toString(16)
  })
  return `${kept.join(':')}::/${bits}`
}

function printV4(groups: readonly number[]): string {
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.')
}

function sharesPrefix({ groups, prefix }: AddressRange, address: readonly number[]): boolean {
  for (let i = 0; i * 16 < prefix; i++) {
    const ignored = Math.max(0, (i + 1) * 16 - prefix)
    if ((groups[i]! ^ address[i]!) >>> ignored !== 0) return false
  }
  return true
}

function isMapped(groups: readonly number[]): boolean {
  return (
    groups[5] === 0xffff && groups[4] === 0 && groups[3] === 0 && groups[2] === 0 && groups[1] === 0 && groups[0] === 0
  )
}

function parseAddress(text: string): readonly number[] | undefined {
  if (!text.includes(':')) {
    const last = parseV4(text)
    return last === undefined ? undefined : [0, 0, 0, 0, 0, 0xffff, ...last]
  }
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const head = parseGroups(halves[0]!, halves.length === 1)
  if (head === undefined) return undefined
  if (halves.length === 1) return head.length === 8 ? head : undefined
  const tail = parseGroups(halves[1]!, true)
  // The gap stands for one group at least.
  if (tail === undefined || head.length + tail.length > 7) return undefined
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail]
}

/** Reads groups between colons, the last two of which may be written as IPv4 if they end the address. */
function parseGroups(text: string, endsAddress: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [i, part] of parts.entries()) {
    if (/^[0-9a-fA-F]{1,4}$/.test(part)) groups.push(Number.parseInt(part, 16))
    else {
      const last = endsAddress && i === parts.length - 1 ? parseV4(part) : undefined
      if (last === undefined) return undefined
      groups.push(...last)
    }
  }
  return groups
}

const octet = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const v4Form = new RegExp(`^${octet}\\.${octet}\\.${octet}\\.${octet}$`)

function parseV4(text: string): readonly [number, number] | undefined {
  const parts = v4Form.exec(text)
  if (parts === null) return undefined
  return [(Number(parts[1]) << 8) | Number(parts[2]), (Number(parts[3]) << 8) | Number(parts[4])]
}
