// Kubo takes each mode that it is told for one of Go, where the bits beyond the permissions lie elsewhere.
// Source: boxo `files/util.go`.

/** The bits of POSIX in a mode of Go: permissions, setuid, setgid and sticky. */
export function fromGoMode(mode: number): number {
  return ((mode & 0xc0_0000) >>> 12) | ((mode & 0x10_0000) >>> 11) | (mode & 0o777)
}

/** A mode of Go with these bits of POSIX. */
export function toGoMode(mode: number): number {
  return ((mode & 0o6000) << 12) | ((mode & 0o1000) << 11) | (mode & 0o777)
}
